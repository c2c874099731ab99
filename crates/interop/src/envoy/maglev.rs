//! [`Maglev`]: `MAGLEV`.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::hash::Xxh64;
use keyroute_core::{
    Description, EntryPlace, Explanation, KeyHasher, MemberOrder, Members, Place, RouteError,
    Router, Slot,
};
use keyroute_maglev::{Permutation, TableSize, fill};

use super::Cluster;
use super::cluster::double;

/// The greatest `table_size`.
const MAX_TABLE_SIZE: u32 = 5_000_011;

/// Envoy's Maglev: hosts take turns by weight, in the order of their keys.
///
/// Offset and skip are XXH64 of the key with seeds 0 and 1; entry `hash % size` serves a key. A host of a small
/// weight can have few entries, or none. (Older releases may take hosts in the order of the configuration.)
///
/// Cost: a lookup is a hash and a division; building takes some ten probes an entry. Memory: 4 bytes an entry.
#[derive(Clone, Debug)]
pub struct Maglev {
    cluster: Cluster,
    size: TableSize,
    entries: Vec<Slot>,
}

impl Maglev {
    /// The `table_size` unless said.
    pub const DEFAULT_TABLE_SIZE: u32 = 65_537;

    /// A table of so many entries over this cluster.
    ///
    /// # Errors
    ///
    /// [`RouteError::TableSize`] for a size that is no prime, or over 5,000,011, both of which Envoy refuses.
    pub fn new(cluster: &Cluster, table_size: u32) -> Result<Self, RouteError> {
        let size = TableSize::new(table_size)?;
        if table_size > MAX_TABLE_SIZE {
            return Err(RouteError::TableSize {
                given: table_size,
                accepted: MAX_TABLE_SIZE,
            });
        }
        let listed = cluster.members.listed();
        let mut places: Vec<usize> = (0..listed.len()).collect();
        // Stable: hosts of one key stay in their order.
        places.sort_by(|&a, &b| cluster.shares[a].key.cmp(&cluster.shares[b].key));
        let [offset, skip] = [0, 1].map(|seed| Xxh64 { seed });
        let permutations: Vec<Permutation> = places
            .iter()
            .map(|&place| {
                let key = cluster.shares[place].key.as_bytes();
                Permutation::new(size, offset.hash(key), skip.hash(key))
            })
            .collect();
        let weights: Vec<f64> = places
            .iter()
            .map(|&place| cluster.shares[place].weight)
            .collect();
        let entries = fill(size, &permutations, turns(&weights))
            .unwrap_or_default() // no hosts, no entries
            .into_iter()
            .map(|host| listed[places[host as usize]])
            .collect();
        Ok(Self {
            cluster: cluster.clone(),
            size,
            entries,
        })
    }

    /// The host for a request hash that was made otherwise ([`RequestHash`](super::RequestHash)).
    #[must_use]
    pub fn route_hash(&self, hash: u64) -> Option<Slot> {
        let entry = hash % u64::from(self.size.get());
        self.entries.get(usize::try_from(entry).ok()?).copied()
    }

    /// The host of selection number `attempt`, from 0, under a retry host predicate.
    #[must_use]
    pub fn retry(&self, hash: u64, attempt: u64) -> Option<Slot> {
        self.route_hash(match attempt {
            0 => hash,
            attempt => hash ^ attempt.wrapping_neg(),
        })
    }

    /// The table.
    #[must_use]
    pub fn entries(&self) -> &[Slot] {
        &self.entries
    }
}

/// In each round a host takes a turn if its weights so far reach what its turns have cost, in doubles; the
/// first costs nothing.
fn turns(weights: &[f64]) -> impl Iterator<Item = usize> {
    let top = weights.iter().copied().fold(0.0, f64::max);
    let mut targets: Vec<f64> = weights.iter().map(|_| 0.0).collect();
    let (mut round, mut takers) = (0u64, VecDeque::new());
    core::iter::from_fn(move || {
        // The host of the greatest weight takes one each round, but for rounding.
        while takers.is_empty() && !weights.is_empty() {
            round += 1;
            for (place, (&weight, target)) in weights.iter().zip(&mut targets).enumerate() {
                if double(round) * weight >= *target {
                    *target += top;
                    takers.push_back(place);
                }
            }
        }
        takers.pop_front()
    })
}

impl Router for Maglev {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_hash(Xxh64::default().hash(key))
    }

    fn members(&self) -> &Members {
        &self.cluster.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("envoy/maglev/1", MemberOrder::Listed);
        description.field("table_size", self.size.get());
        self.cluster.describe(&mut description);
        description.members(&self.cluster.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.cluster.members.heap_bytes() + self.entries.capacity() * size_of::<Slot>()
    }

    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let hasher = Xxh64::default();
        let hash = hasher.hash(key);
        let why = Explanation::of(self, key).hashed(&hasher, hash);
        let Some(owner) = self.route_hash(hash) else {
            return why;
        };
        let size = u64::from(self.size.get());
        let place = EntryPlace {
            name: "entry",
            number: hash % size,
            of: size,
            rule: "the remainder of the digest".into(),
            digests: None,
            owned: None,
        };
        why.placed(Place::Entry(
            place.owned_by(owner, self.entries.iter().copied()),
        ))
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use keyroute_core::Router;

    use super::Maglev;
    use crate::envoy::{Cluster, Host};

    fn places(maglev: &Maglev) -> Vec<u32> {
        maglev.entries.iter().map(|slot| slot.index()).collect()
    }

    #[test]
    fn tables_are_filled_as_documented() {
        let hosts = [
            Host::new("10.0.0.1:80").unwrap(),
            Host::new("10.0.0.2:80").unwrap().with_weight(2).unwrap(),
        ];
        let maglev = Maglev::new(&Cluster::new(hosts).unwrap(), 11).unwrap();
        assert_eq!(places(&maglev), [1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1]);
        for (key, host) in [
            (b"".as_slice(), "10.0.0.1:80"),
            (b"alpha", "10.0.0.2:80"),
            (b"user-1", "10.0.0.2:80"),
        ] {
            assert_eq!(maglev.route_id(key).unwrap(), host);
        }
        // Hosts take turns in the order of their keys as text.
        let hosts =
            ["10.0.0.2:80", "10.0.0.10:80", "10.0.0.1:80"].map(|host| Host::new(host).unwrap());
        let maglev = Maglev::new(&Cluster::new(hosts).unwrap(), 13).unwrap();
        assert_eq!(places(&maglev), [0, 1, 0, 2, 1, 0, 1, 2, 0, 2, 1, 2, 1]);
    }

    #[test]
    fn sizes_that_envoy_refuses_are_refused() {
        let cluster = Cluster::new([Host::new("a:1").unwrap()]).unwrap();
        for size in [0, 1, 6, 65_536, 5_000_077] {
            assert!(Maglev::new(&cluster, size).is_err(), "{size}");
        }
        assert!(Maglev::new(&cluster, 5_000_011).is_ok());
        let empty = Maglev::new(&Cluster::new([]).unwrap(), 7).unwrap();
        assert_eq!(empty.route(b"k"), None);
    }
}
