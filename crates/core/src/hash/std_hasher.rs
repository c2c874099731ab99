//! [`StdHasher`]: the standard library's hashers.

use core::hash::{BuildHasher, Hasher};

use crate::KeyHasher;

/// A [`BuildHasher`] as a [`KeyHasher`]: the key's bytes in one `write`, nothing else.
///
/// It is unnamed, since the trait tells no name. **Not every builder is stable**: the standard
/// library's own default differs between processes and must never route. Use builders with a fixed
/// seed and a documented function.
///
/// ```
/// use core::hash::{BuildHasherDefault, Hasher};
/// use keyroute_core::{KeyHasher, hash::StdHasher};
///
/// #[derive(Default)]
/// struct Sum(u64);
/// impl Hasher for Sum {
///     fn write(&mut self, bytes: &[u8]) { self.0 += bytes.iter().map(|&b| u64::from(b)).sum::<u64>() }
///     fn finish(&self) -> u64 { self.0 }
/// }
///
/// let hasher = StdHasher(BuildHasherDefault::<Sum>::default());
/// assert_eq!(hasher.hash(b"ab"), 195);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StdHasher<B>(pub B);

impl<B: BuildHasher> KeyHasher for StdHasher<B> {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.0.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}
