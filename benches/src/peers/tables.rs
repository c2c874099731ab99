//! Maglev's tables. All three take a hundred entries a node, to the next prime.

use maglev::{ConsistentHasher, Maglev};
use maglev_hash::MaglevTable;

use super::borrowed;
use crate::contestant::{Lookup, REPLICAS, Replicas};

pub(super) fn maglev_hash(nodes: u32) -> Box<dyn Fn() -> MaglevTable<u32>> {
    Box::new(move || MaglevTable::new((0..nodes).collect()))
}

impl Lookup for MaglevTable<u32> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get(&key).copied().unwrap_or(u32::MAX)
    }
}

impl Replicas for MaglevTable<u32> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let found = self.get_top_k(&key, REPLICAS);
        let mut nodes = found.into_iter().copied();
        [(); REPLICAS].map(|()| nodes.next().unwrap_or(u32::MAX))
    }
}

pub(super) fn maglev(nodes: u32) -> Box<dyn Fn() -> Maglev<u32>> {
    Box::new(move || Maglev::new(0..nodes))
}

impl Lookup for Maglev<u32> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get(key).copied().unwrap_or(u32::MAX)
    }
}

type Ring = hash_rings::maglev::Ring<'static, u32>;

pub(super) fn hash_rings(nodes: u32) -> Box<dyn Fn() -> Ring> {
    Box::new(move || Ring::new((0..nodes).map(borrowed).collect()))
}

impl Lookup for Ring {
    fn owner(&self, key: &[u8]) -> u32 {
        *self.get_node(&key)
    }
}
