//! [`RemovalEngine`]: engines from which any bucket may be removed.

use alloc::string::ToString;

use keyroute_core::RouteError;

use super::Hash;

/// A set of numbered buckets of the collection, and its function from keys to them.
pub trait KeyedBuckets {
    /// The bucket of a key that is not empty; `None` if none is in service.
    fn bucket(&self, hash: Hash, key: &[u8]) -> Option<u32>;

    /// Puts the bucket that left last into service, else the next new one, and gives it; `None` if no
    /// more fit.
    fn add(&mut self) -> Option<u32>;

    /// Takes a bucket out of service; says whether it was in service.
    fn remove(&mut self, bucket: u32) -> bool;
}

/// An engine of the collection from which any bucket may be removed. The order of removals decides
/// answers.
///
/// ```
/// use keyroute_interop::java::{AnchorEngine, Hash};
///
/// let mut engine = AnchorEngine::with_capacity(20, 40, Hash::Xx)?;
/// assert_eq!(engine.bucket(b" "), Some(3));
/// assert!(engine.remove_bucket(3) && !engine.remove_bucket(3));
/// assert_ne!(engine.bucket(b" "), Some(3));
/// assert_eq!(engine.add_bucket(), Some(3));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RemovalEngine<B> {
    hash: Hash,
    buckets: B,
}

impl<B: KeyedBuckets> RemovalEngine<B> {
    /// These buckets, with the first `size` put into service.
    pub(super) fn over(mut buckets: B, size: u32, hash: Hash) -> Result<Self, RouteError> {
        let fits = (0..size).all(|bucket| buckets.add() == Some(bucket));
        if size == 0 || !fits {
            return Err(RouteError::Parameter {
                name: "size",
                given: size.to_string(),
                accepted: "1 to the capacity",
            });
        }
        Ok(Self { hash, buckets })
    }

    /// The bucket of this key; `None` without buckets, and for the empty key, which the collection
    /// refuses.
    #[must_use]
    pub fn bucket(&self, key: &[u8]) -> Option<u32> {
        if key.is_empty() {
            return None;
        }
        self.buckets.bucket(self.hash, key)
    }

    /// Adds a bucket, and gives it: the one removed last, else a new one. `None` if no more fit.
    pub fn add_bucket(&mut self) -> Option<u32> {
        self.buckets.add()
    }

    /// Removes a bucket; says whether it was there.
    pub fn remove_bucket(&mut self, bucket: u32) -> bool {
        self.buckets.remove(bucket)
    }
}

/// The remainder of a hash.
pub(super) fn modulo(hash: u64, bound: u32) -> u32 {
    // A bound of 0 is never asked for; a remainder is below its bound.
    hash.checked_rem(bound.into())
        .and_then(|remainder| u32::try_from(remainder).ok())
        .unwrap_or(0)
}
