//! Numbered buckets.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;

use anchorhash::{AnchorHash, Builder};
use consistent_choose_k::{ConsistentChooseKHasher, ConsistentHasher};
use jumphash::JumpHasher;
use xxhash_rust::xxh3::xxh3_64;

use super::Sip;
use crate::contestant::{Change, Lookup, Mover, REPLICAS, Replicas};

/// What is put around a function that needs nothing but the number of buckets.
macro_rules! function {
    ($prepare:ident, $Name:ident, |$key:ident, $buckets:ident| $owner:expr) => {
        pub(super) struct $Name(u32);

        pub(super) fn $prepare(nodes: u32) -> Box<dyn Fn() -> $Name> {
            Box::new(move || $Name(nodes))
        }

        impl Lookup for $Name {
            fn owner(&self, $key: &[u8]) -> u32 {
                let $buckets = self.0;
                $owner
            }
        }
    };
}

function!(jumpconsistenthash, JumpConsistentHash, |key, buckets| {
    jumpconsistenthash::jump_hash_from_u64(xxh3_64(key), buckets)
});

function!(fliphash, FlipHash, |key, buckets| {
    let bucket = fliphash::fliphash_64(xxh3_64(key), ..=u64::from(buckets - 1));
    u32::try_from(bucket).unwrap_or(u32::MAX)
});

function!(consistent_choose_k, ChooseK, |key, buckets| {
    let bucket = ConsistentHasher::new(seeded(key)).into_prev(buckets as usize); // u32 fits
    bucket.map_or(u32::MAX, number)
});

impl Replicas for ChooseK {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let buckets = self.0 as usize; // u32 fits
        let hasher = ConsistentChooseKHasher::new_with_k(seeded(key), buckets, REPLICAS);
        let mut samples = hasher.samples().iter().copied().map(number);
        [(); REPLICAS].map(|()| samples.next().unwrap_or(u32::MAX))
    }
}

/// The state from which the crate draws what it needs.
fn seeded(key: &[u8]) -> DefaultHasher {
    let mut hasher = DefaultHasher::new();
    hasher.write(key);
    hasher
}

fn number(bucket: usize) -> u32 {
    u32::try_from(bucket).unwrap_or(u32::MAX)
}

pub(super) struct JumpHash(JumpHasher, u32);

pub(super) fn jumphash(nodes: u32) -> Box<dyn Fn() -> JumpHash> {
    Box::new(move || JumpHash(JumpHasher::new_with_keys(0, 0), nodes))
}

impl Lookup for JumpHash {
    fn owner(&self, key: &[u8]) -> u32 {
        self.0.slot(&key, self.1)
    }
}

type Ring = hash_rings::jump::Ring<Sip>;

pub(super) fn hash_rings(nodes: u32) -> Box<dyn Fn() -> Ring> {
    Box::new(move || Ring::with_hasher(Sip::default(), nodes))
}

impl Lookup for Ring {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get_node(&key)
    }
}

/// Every lookup names its key's type; a key of any lifetime may stand for one that lives for ever.
type Anchor<'k> = AnchorHash<&'k [u8], u32, Sip>;

/// Half of its buckets are in service, as of ours.
pub(super) fn anchorhash(nodes: u32) -> Box<dyn Fn() -> Anchor<'static>> {
    anchorhash_with_capacity(nodes, 2 * nodes)
}

/// All of its buckets are in service.
pub(super) fn anchorhash_without_spare(nodes: u32) -> Box<dyn Fn() -> Anchor<'static>> {
    anchorhash_with_capacity(nodes, nodes)
}

fn anchorhash_with_capacity(nodes: u32, capacity: u32) -> Box<dyn Fn() -> Anchor<'static>> {
    Box::new(move || {
        let capacity = u16::try_from(capacity).expect("the list of contestants says how many");
        Builder::with_hasher(Sip::default())
            .with_resources(0..nodes)
            .build(capacity)
    })
}

impl Lookup for Anchor<'static> {
    fn owner(&self, key: &[u8]) -> u32 {
        let anchor: &Anchor<'_> = self;
        anchor.get_resource(key).copied().unwrap_or(u32::MAX)
    }
}

impl Change for Anchor<'static> {
    fn join(&mut self, mover: &Mover) {
        self.add_resource(mover.number)
            .expect("half of the buckets are free");
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove_resource(&mover.number).expect("a member");
    }
}
