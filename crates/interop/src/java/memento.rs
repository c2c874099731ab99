//! The collection's MementoHash: its authors' code.

use keyroute_anchor::{Buckets, Draws, MementoBuckets};
use keyroute_core::RouteError;

use super::removal::modulo;
use super::{Hash, KeyedBuckets, RemovalEngine, jump};

/// `MementoEngine`: MementoHash over Guava's jump.
///
/// Source: `consistenthash/memento/MementoEngine.java`.
///
/// ```
/// use keyroute_interop::java::{Hash, MementoEngine};
///
/// assert_eq!(MementoEngine::new(20, Hash::Xx)?.bucket(b" "), Some(10));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type MementoEngine = RemovalEngine<MementoBuckets>;

impl MementoEngine {
    /// An engine of `size` buckets.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a size of 0 or of more buckets than fit.
    pub fn new(size: u32, hash: Hash) -> Result<Self, RouteError> {
        Self::over(MementoBuckets::new(), size, hash)
    }
}

impl KeyedBuckets for MementoBuckets {
    fn bucket(&self, hash: Hash, key: &[u8]) -> Option<u32> {
        self.bucket_by(&mut Replacements { hash, key })
    }

    fn add(&mut self) -> Option<u32> {
        Buckets::add(self)
    }

    fn remove(&mut self, bucket: u32) -> bool {
        Buckets::remove(self, bucket)
    }
}

/// Jump first, then the key with the bucket that left.
struct Replacements<'k> {
    hash: Hash,
    key: &'k [u8],
}

impl Draws for Replacements<'_> {
    fn first(&mut self, buckets: u32) -> u32 {
        // Refused by the engine if there are too many buckets.
        jump(self.hash.text(self.key), buckets).unwrap_or(buckets)
    }

    fn next(&mut self, left: u32, bound: u32) -> u32 {
        let hash = self.hash.seeded(self.key, left).cast_signed();
        modulo(hash.unsigned_abs(), bound)
    }
}
