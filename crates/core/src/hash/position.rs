//! [`Position`]: the widths a hash can have.

use core::fmt::{Debug, Display, LowerHex};

use super::mix64;
use crate::buckets::{high, word};

mod sealed {
    pub trait Sealed {}
}

/// A place on a ring, or a digest: `u32`, `u64` or `u128`.
///
/// Sealed: every strategy relies on wrapping arithmetic over the whole width.
///
/// ```
/// use keyroute_core::Position;
///
/// assert_eq!(10u32.ahead(4), u32::MAX - 5); // all the way round
/// assert_eq!(4u32.ahead(10), 6);
/// ```
pub trait Position:
    sealed::Sealed + Copy + Ord + Debug + Display + LowerHex + Default + Send + Sync + 'static
{
    /// The width in bits.
    const BITS: u32;
    /// The highest position.
    const MAX: Self;

    /// The clockwise distance from here to `to`, round the end if need be.
    #[must_use]
    fn ahead(self, to: Self) -> Self;

    /// The position this far ahead, round the end if need be.
    #[must_use]
    fn plus(self, distance: Self) -> Self;

    /// The position just before, round the end if need be.
    #[must_use]
    fn before(self) -> Self;

    /// Half of it, rounded down.
    #[must_use]
    fn halved(self) -> Self;

    /// The remainder of the division by `n`; 0 for `n` = 0.
    #[must_use]
    fn modulo(self, n: u32) -> u32;

    /// The same number in 128 bits.
    #[must_use]
    fn widen(self) -> u128;

    /// What follows the upper 32 bits: nothing, 32 bits, or 96 bits in three words.
    type Rest: Copy + Ord + Debug + Default + Send + Sync + 'static;

    /// The upper 32 bits and the rest: positions are in the order of these pairs. A container that
    /// searches keeps the two apart, since the upper bits nearly always decide.
    ///
    /// ```
    /// use keyroute_core::Position;
    ///
    /// assert_eq!(7u32.split(), (7, ()));
    /// assert_eq!((7u64 << 32 | 9).split(), (7, 9));
    /// assert_eq!(u128::join(7, [0, 0, 9]), 7 << 96 | 9);
    /// ```
    #[must_use]
    fn split(self) -> (u32, Self::Rest);

    /// The position of these upper bits and this rest: the inverse of [`split`](Self::split).
    #[must_use]
    fn join(head: u32, rest: Self::Rest) -> Self;

    /// Number i of a sequence that follows from this digest, spread over the whole width: where multi-probe
    /// hashing asks for the i-th time.
    ///
    /// The numbers are [`word`]s: of 64 bits word i; of 32 bits the upper half of word i of the digest,
    /// zero-extended; of 128 bits, high half H and low half L, words 2i (the high half) and 2i + 1 of
    /// L ⊕ [`mix64`]\(H).
    #[must_use]
    fn probe(self, i: u32) -> Self;
}

fn probe_32(digest: u32, i: u32) -> u32 {
    high(word(digest.into(), i.into()))
}

fn probe_64(digest: u64, i: u32) -> u64 {
    word(digest, i.into())
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
fn probe_128(digest: u128, i: u32) -> u128 {
    let folded = digest as u64 ^ mix64((digest >> 64) as u64);
    let [high, low] = [0, 1].map(|half| u128::from(word(folded, 2 * u64::from(i) + half)));
    high << 64 | low
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves")]
fn split_64(at: u64) -> (u32, u32) {
    ((at >> 32) as u32, at as u32)
}

fn join_64(head: u32, rest: u32) -> u64 {
    u64::from(head) << 32 | u64::from(rest)
}

#[expect(clippy::cast_possible_truncation, reason = "the four words")]
fn split_128(at: u128) -> (u32, [u32; 3]) {
    let word = |index| (at >> (32 * index)) as u32;
    (word(3), [word(2), word(1), word(0)])
}

fn join_128(head: u32, rest: [u32; 3]) -> u128 {
    rest.into_iter()
        .fold(head.into(), |joined, word| joined << 32 | u128::from(word))
}

macro_rules! position {
    ($($width:ty, $Rest:ty: $split:expr, $join:expr, $probe:ident;)*) => {$(
        impl sealed::Sealed for $width {}

        impl Position for $width {
            const BITS: u32 = <$width>::BITS;
            const MAX: Self = <$width>::MAX;

            #[inline]
            fn ahead(self, to: Self) -> Self {
                to.wrapping_sub(self)
            }

            fn plus(self, distance: Self) -> Self {
                self.wrapping_add(distance)
            }

            fn before(self) -> Self {
                self.wrapping_sub(1)
            }

            fn halved(self) -> Self {
                self / 2
            }

            #[allow(clippy::cast_possible_truncation, reason = "a remainder is below the u32 n")]
            #[inline]
            fn modulo(self, n: u32) -> u32 {
                self.checked_rem(n.into()).unwrap_or(0) as u32
            }

            fn widen(self) -> u128 {
                self.into()
            }

            type Rest = $Rest;

            #[inline]
            fn split(self) -> (u32, $Rest) {
                $split(self)
            }

            fn join(head: u32, rest: $Rest) -> Self {
                $join(head, rest)
            }

            #[inline]
            fn probe(self, i: u32) -> Self {
                $probe(self, i)
            }
        }
    )*};
}

position! {
    u32, (): |at| (at, ()), |head, ()| head, probe_32;
    u64, u32: split_64, join_64, probe_64;
    u128, [u32; 3]: split_128, join_128, probe_128;
}
