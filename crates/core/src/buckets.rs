//! Numbered buckets: what functions from hashes to bucket numbers stand on.
//!
//! Strategies over buckets number them from 0 and draw pseudo-random [`word`]s of a key's hash; the
//! numbers lie in levels, each a power of two. [`jump_back_hash`] is here because more than one strategy
//! begins with it.

mod guesses;
mod jump_back_hash;
mod words;

pub use guesses::{first_below, is_nearly_full};
pub use jump_back_hash::jump_back_hash;
pub use words::{below, high, low, word};

/// The most buckets: 2^31 − 1. The papers' bucket numbers are 32-bit signed.
pub const MAX_BUCKETS: u32 = i32::MAX as u32;

/// `None` for 0 buckets and over [`MAX_BUCKETS`].
///
/// ```
/// use keyroute_core::buckets::{MAX_BUCKETS, covered};
///
/// assert_eq!([covered(0), covered(1), covered(MAX_BUCKETS + 1)], [None, Some(()), None]);
/// ```
#[inline]
#[must_use]
pub fn covered(buckets: u32) -> Option<()> {
    (1..=MAX_BUCKETS).contains(&buckets).then_some(())
}

/// All ones up to the top bit of `buckets` − 1: the smallest such mask that holds every bucket. 0 for
/// one bucket, and for none.
///
/// ```
/// use keyroute_core::buckets::mask;
///
/// assert_eq!([1, 2, 3, 4, 5].map(mask), [0, 1, 3, 3, 7]);
/// ```
#[inline]
#[must_use]
pub fn mask(buckets: u32) -> u32 {
    // All below the top bit of twice as many less one, which has a bit even for one bucket.
    let twice = (2 * u64::from(buckets)).saturating_sub(1);
    low(u64::MAX >> (twice | 1).leading_zeros() >> 1)
}

/// The top bit of a number: 2^e, the first bucket of level e; 0 for 0.
///
/// ```
/// use keyroute_core::buckets::top_bit;
///
/// assert_eq!([0, 1, 2, 3, 4, 7].map(top_bit), [0, 1, 2, 2, 4, 4]);
/// ```
#[inline]
#[must_use]
pub fn top_bit(number: u32) -> u32 {
    number.checked_ilog2().map_or(0, |level| 1 << level)
}

/// All ones below the top bit of a number: the places within its level; 0 for 0.
///
/// ```
/// use keyroute_core::buckets::below_top;
///
/// assert_eq!([0, 1, 2, 3, 4, 7].map(below_top), [0, 0, 1, 1, 3, 3]);
/// ```
#[inline]
#[must_use]
pub fn below_top(number: u32) -> u32 {
    (u32::MAX >> (number | 1).leading_zeros()) >> 1
}

/// The top bit of a number, and other bits below it: a place in the same level; 0 for 0.
///
/// ```
/// use keyroute_core::buckets::within_level;
///
/// assert_eq!([0, 1, 4, 7].map(|number| within_level(number, 0b1001)), [0, 1, 5, 5]);
/// ```
#[inline]
#[must_use]
pub fn within_level(number: u32, bits: u32) -> u32 {
    let below = below_top(number);
    number & (below + 1) | bits & below
}
