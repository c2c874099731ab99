//! `seed004-fnv`: a C++ article's ring and its hash.

use alloc::string::String;

use keyroute_core::{AtOrAfter, FirstListed, KeyHasher};

use crate::{LabelRule, Labels};

/// A C++ article's `ConsistentHash`: labels `{node}#VN{i}`, i in decimal from 0, under [`Seed004Fnv`]; the first point
/// at or after the key's hash owns it.
///
/// The node that came first owns a shared point; the nodes that the original begins with come in the order of their
/// bytes. Removing that node gives the point to the other; **the original takes it from both**.
/// Adding a node that is present changes nothing there.
///
/// Laws of rings are kept but that the order of adding decides shared points.
///
/// Source: `ConsistentHash.cpp` of `shanchuann/CPP-Learninng` at commit d915694, where chars are signed.
///
/// ```
/// use keyroute_interop::seeds::{CppRing, Seed004Fnv};
///
/// let nodes = ["192.168.1.101:12345", "192.168.1.102:12346", "192.168.1.103:12347", "192.168.1.104:12348"];
/// let ring = CppRing::ring(Seed004Fnv, 1, nodes)?;
/// assert_eq!(ring.route_id(b"0").unwrap(), "192.168.1.102:12346");
/// assert_eq!(ring.route_id(b"65536").unwrap(), "192.168.1.104:12348");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
///
/// Beside it the article has `ketama_hash`, one word of MD5:
///
/// ```
/// use keyroute_interop::{KeyHasher, hash::Md5Word};
///
/// assert_eq!(Md5Word::new(1)?.hash(b"192.168.1.101:12345"), 1_421_957_104);
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type CppRing = Labels<CppRule, Seed004Fnv>;

/// The rule of [`CppRing`].
#[derive(Clone, Copy, Debug)]
pub struct CppRule;

impl LabelRule for CppRule {
    const NAME: &'static str = "seed004-fnv/1";
    const LABEL: &'static str = "{node}#VN{i}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;
}

/// The hash of the C++ article, 32 bits: `seed004-fnv`.
///
/// FNV-1a's order (xor, then multiply) over *signed* chars, then an avalanche of its own; it matches
/// no standard FNV. A byte from 0x80 on flips the upper 24 bits too, on every target: a build of the
/// original with unsigned chars hashes such bytes otherwise.
///
/// ```
/// use keyroute_interop::{KeyHasher, seeds::Seed004Fnv};
///
/// assert_eq!(Seed004Fnv.hash(b"abc"), 33_957_123);
/// assert_eq!(Seed004Fnv.hash("é".as_bytes()), 1_254_762_382);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed004Fnv;

impl KeyHasher for Seed004Fnv {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        let mut hash = bytes.iter().fold(0x811c_9dc5u32, |hash, &byte| {
            let widened = i32::from(byte.cast_signed()).cast_unsigned();
            (hash ^ widened).wrapping_mul(0x0100_0193)
        });
        hash = hash.wrapping_add(hash << 13);
        hash ^= hash >> 7;
        hash = hash.wrapping_add(hash << 3);
        hash ^= hash >> 17;
        hash.wrapping_add(hash << 5)
    }

    fn name(&self) -> Option<String> {
        Some("seed004-fnv".into())
    }
}
