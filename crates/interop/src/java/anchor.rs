//! The collection's AnchorHash.

use keyroute_anchor::{AnchorBuckets, Buckets, Draws};
use keyroute_core::RouteError;

use super::removal::modulo;
use super::{Hash, KeyedBuckets, RemovalEngine};

const SEED: u32 = 0xdead_beef;

/// `AnchorEngine`: AnchorHash with the collection's hashes.
///
/// Source: `consistenthash/anchor/AnchorEngine.java`.
pub type AnchorEngine = RemovalEngine<AnchorBuckets>;

impl AnchorEngine {
    /// An engine of `size` buckets and room for `capacity`. The collection's factory gives twice as much
    /// room as there are nodes.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a capacity of 0 or over 2^24, and for a size of 0 or over the
    /// capacity.
    pub fn with_capacity(size: u32, capacity: u32, hash: Hash) -> Result<Self, RouteError> {
        Self::over(AnchorBuckets::new(capacity)?, size, hash)
    }
}

impl KeyedBuckets for AnchorBuckets {
    fn bucket(&self, hash: Hash, key: &[u8]) -> Option<u32> {
        self.bucket_by(&mut Chain { hash, key, last: 0 })
    }

    fn add(&mut self) -> Option<u32> {
        Buckets::add(self)
    }

    fn remove(&mut self, bucket: u32) -> bool {
        Buckets::remove(self, bucket)
    }
}

/// Each hash is hashed again, with the bucket that left.
struct Chain<'k> {
    hash: Hash,
    key: &'k [u8],
    last: u64,
}

impl Draws for Chain<'_> {
    fn first(&mut self, buckets: u32) -> u32 {
        self.last = absolute(self.hash.seeded(self.key, SEED));
        modulo(self.last, buckets)
    }

    fn next(&mut self, left: u32, bound: u32) -> u32 {
        self.last = absolute(self.hash.number_twice_seeded(self.last, left, SEED));
        modulo(self.last, bound)
    }
}

/// As `Math.abs` of a signed number.
fn absolute(hash: u64) -> u64 {
    hash.cast_signed().unsigned_abs()
}
