//! What spares a processor guesses that it would lose: which way a key goes is chance.

use core::hint::select_unpredictable;

use super::mask;

/// Whether so many buckets are at most a quarter fewer than the next power of two: a draw below that is then a bucket
/// so often that a processor gains by expecting it.
///
/// ```
/// use keyroute_core::buckets::is_nearly_full;
///
/// assert_eq!([1, 2, 3, 8, 9, 1_000, 1_024].map(is_nearly_full), [true, true, false, true, false, true, true]);
/// ```
#[inline]
#[must_use]
pub fn is_nearly_full(buckets: u32) -> bool {
    let mask = mask(buckets);
    mask - buckets.saturating_sub(1) <= mask / 4
}

/// The first of these draws that is below `bound`, found without a branch; `u32::MAX` if none is.
///
/// ```
/// use keyroute_core::buckets::first_below;
///
/// assert_eq!(first_below(10, [12, 9, 3]), 9);
/// assert_eq!(first_below(10, [12, 10]), u32::MAX);
/// ```
#[inline]
#[must_use]
pub fn first_below<const N: usize>(bound: u32, draws: [u32; N]) -> u32 {
    let draws = draws.into_iter();
    draws.rfold(u32::MAX, |later, draw| {
        select_unpredictable(draw < bound, draw, later)
    })
}
