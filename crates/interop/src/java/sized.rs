//! [`SizedEngine`]: engines whose only state is the number of buckets.

use core::marker::PhantomData;

use alloc::string::ToString;

use keyroute_core::RouteError;
use keyroute_core::buckets::covered;

use super::Hash;

/// A function of a key and the number of buckets. The collection has five.
pub trait SizedFunction {
    /// The bucket of a key that is not empty, among `size` buckets; `None` for no or too many buckets.
    fn bucket(hash: Hash, key: &[u8], size: u32) -> Option<u32>;
}

/// An engine of the collection whose buckets come and go at the end.
///
/// ```
/// use keyroute_interop::java::{Hash, JumpEngine};
///
/// let mut engine = JumpEngine::new(20, Hash::Xx)?;
/// assert_eq!(engine.bucket(b" "), Some(10));
/// assert_eq!(engine.remove_bucket(), Some(19));
/// assert_eq!(engine.add_bucket(), Some(19));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SizedEngine<F> {
    size: u32,
    hash: Hash,
    function: PhantomData<fn() -> F>,
}

impl<F: SizedFunction> SizedEngine<F> {
    /// An engine of so many buckets.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for no bucket and over
    /// [`MAX_BUCKETS`](keyroute_core::buckets::MAX_BUCKETS).
    pub fn new(size: u32, hash: Hash) -> Result<Self, RouteError> {
        covered(size).ok_or_else(|| RouteError::Parameter {
            name: "size",
            given: size.to_string(),
            accepted: "1 to 2147483647",
        })?;
        Ok(Self {
            size,
            hash,
            function: PhantomData,
        })
    }

    /// The bucket of this key; `None` for the empty key, which the collection refuses.
    #[must_use]
    pub fn bucket(&self, key: &[u8]) -> Option<u32> {
        if key.is_empty() {
            return None;
        }
        F::bucket(self.hash, key, self.size)
    }

    /// The number of buckets.
    #[must_use]
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Adds a bucket at the end, and gives it; `None` if no more fit.
    pub fn add_bucket(&mut self) -> Option<u32> {
        covered(self.size + 1)?;
        self.size += 1;
        Some(self.size - 1)
    }

    /// Removes the last bucket, and gives it; `None` if it is the only one. The collection's method takes a
    /// bucket and ignores it.
    pub fn remove_bucket(&mut self) -> Option<u32> {
        covered(self.size - 1)?;
        self.size -= 1;
        Some(self.size)
    }
}
