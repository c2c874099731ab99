//! [`LevelDraws`]: what the functions over levels ask of a key.

use keyroute_core::buckets::{low, word};

/// The pseudo-random numbers of one key, by level: level e is the buckets 2^e to 2^(e + 1) − 1.
///
/// [`flip_hash_by`](crate::flip_hash_by), [`power_hash_by`](crate::power_hash_by) and
/// [`binomial_hash_by`](crate::binomial_hash_by) are generic over it, so that they answer as another
/// library once its hash function is put in the place of ours.
///
/// Implementors: draws depend on the key and the arguments, and [`within`](Self::within) on the attempt
/// that was asked for last, on nothing else. Callers cut them to as many low bits as they need.
///
/// ```
/// use keyroute_jump::{LevelDraws, flip_hash_by};
///
/// /// Two words of a hash for everything: enough to look at, not to use.
/// struct Halves(u32, u32);
///
/// impl LevelDraws for Halves {
///     fn over(&mut self, _attempt: u32, _mask: u32) -> u32 {
///         self.0
///     }
///     fn within(&mut self, _level: u32) -> u32 {
///         self.1
///     }
/// }
///
/// assert_eq!(flip_hash_by(&mut Halves(0b1010, 0b0011), 16), Some(0b1001));
/// ```
pub trait LevelDraws {
    /// Bits for a bucket of any level that `mask` covers. Attempt 0 does not depend on the mask: it is
    /// the key's place before anything is known of the number of buckets.
    fn over(&mut self, attempt: u32, mask: u32) -> u32;

    /// Bits for a bucket of the level whose first bucket is `level`, a power of two.
    fn within(&mut self, level: u32) -> u32;
}

/// The native draw within the level of this place: of the words from `first` on number 1 for level 0, 2 for level 1, and
/// so on. Without a place it is as for level 0, where no bit of it counts.
#[inline]
pub(crate) fn level_word(key: u64, first: u64, place: u32) -> u32 {
    let number = u32::BITS - (place | 1).leading_zeros();
    low(word(key, first + u64::from(number)))
}
