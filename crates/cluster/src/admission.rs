//! [`Gate`]: which keys each slot admits.

use keyroute_core::hash::{Xxh3, mix64};
use keyroute_core::{KeyHasher, Slot};

use crate::Member;

/// What goes before a node's id in the hash that decides which keys its ramp admits.
const RAMP_PREFIX: &[u8] = b"keyroute/ramp/1:";

/// Which keys a slot admits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// All.
    Every,
    /// Those whose hash with the node is below the share.
    Ramp { share: u32, seed: u64 },
    /// None, and it was planned: they are passed on under any policy.
    Drained,
    /// None, and it was not.
    Down,
}

impl Admission {
    fn of<T>(member: &Member<T>) -> Self {
        match member.status {
            status if status.drained => Self::Drained,
            status if status.down => Self::Down,
            status => match status.ramp {
                Some(share) => Self::Ramp {
                    share,
                    seed: ramp_seed(member.id.as_bytes()),
                },
                None => Self::Every,
            },
        }
    }
}

/// The admissions by slot; empty where every slot admits every key.
#[derive(Debug, Default)]
pub(crate) struct Gate(Vec<Admission>);

impl Gate {
    /// Of the members by slot.
    pub(crate) fn of<'m, T: 'm>(members: impl Iterator<Item = Option<&'m Member<T>>>) -> Self {
        let admissions: Vec<Admission> = members
            .map(|member| member.map_or(Admission::Every, Admission::of))
            .collect();
        if admissions.iter().all(|&it| it == Admission::Every) {
            Self::default()
        } else {
            Self(admissions)
        }
    }

    /// Whether every slot admits every key.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub(crate) fn admission(&self, slot: Slot) -> Admission {
        let at = slot.index() as usize; // u32 fits
        self.0.get(at).copied().unwrap_or(Admission::Every)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.0.capacity() * size_of::<Admission>()
    }
}

/// A key as ramps see it: hashed once, and only if a ramp is met.
pub(crate) struct RampKey<'k> {
    key: &'k [u8],
    hash: Option<u64>,
}

impl<'k> RampKey<'k> {
    pub(crate) fn new(key: &'k [u8]) -> Self {
        Self { key, hash: None }
    }

    /// 32 bits of the key and the node, independent of where the key stands.
    pub(crate) fn toward(&mut self, seed: u64) -> u32 {
        let hash = *self.hash.get_or_insert_with(|| Xxh3.hash(self.key));
        high(mix64(hash ^ seed))
    }
}

fn ramp_seed(id: &[u8]) -> u64 {
    Xxh3.hash(&[RAMP_PREFIX, id].concat())
}

fn high(word: u64) -> u32 {
    let [.., a, b, c, d] = (word >> 32).to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of another program, written from `docs/hashing.md`.
    #[test]
    fn the_hash_of_a_ramp_is_pinned() {
        let hash = |key: &[u8], id: &[u8]| RampKey::new(key).toward(ramp_seed(id));
        assert_eq!(hash(b"user:1", b"cache-1"), 0xf446_edef);
        assert_eq!(hash(b"user:1", b"cache-10"), 0x306e_9d1c);
        assert_eq!(hash(b"", b"a"), 0xd219_3007);
        assert_eq!(hash(&[0xff; 300], b"x y"), 0x8412_cd68);
    }
}
