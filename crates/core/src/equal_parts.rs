//! [`EqualParts`]: all digests cut into equal parts.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use crate::{HashValue, OwnedRange, Slot};

/// The 2^64 digests cut into equal parts, in their order: how a key finds its entry in a table.
///
/// The part of a digest is the upper half of its product with the number of parts, so it reads the top
/// bits. That is one multiplication, where a remainder is a division.
///
/// ```
/// use core::num::NonZeroU32;
/// use keyroute_core::EqualParts;
///
/// let parts = EqualParts::new(NonZeroU32::new(3).unwrap());
/// assert_eq!(parts.of(0), 0);
/// assert_eq!(parts.of(u64::MAX), 2);
/// assert_eq!(parts.of(parts.last(0)), 0);
/// assert_eq!(parts.of(parts.last(0) + 1), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EqualParts(NonZeroU32);

impl EqualParts {
    /// This many parts.
    #[inline]
    #[must_use]
    pub fn new(count: NonZeroU32) -> Self {
        Self(count)
    }

    /// How many there are.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.get()
    }

    /// The part that holds this digest, from 0.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "below the number of parts")]
    pub fn of(self, digest: u64) -> u32 {
        ((u128::from(digest) * u128::from(self.0.get())) >> 64) as u32
    }

    /// The last digest of a part; the last of all for numbers at or over their count.
    #[must_use]
    pub fn last(self, part: u32) -> u64 {
        let next = (u128::from(part) + 1) << 64;
        u64::try_from(next.div_ceil(self.0.get().into()) - 1).unwrap_or(u64::MAX)
    }

    /// The first and the last digest of a part.
    ///
    /// ```
    /// use core::num::NonZeroU32;
    /// use keyroute_core::EqualParts;
    ///
    /// let halves = EqualParts::new(NonZeroU32::new(2).unwrap());
    /// assert_eq!(halves.digests(1).map(|digest| digest.value()), [1 << 63, (1 << 64) - 1]);
    /// ```
    #[must_use]
    pub fn digests(self, part: u32) -> [HashValue; 2] {
        let first = part
            .checked_sub(1)
            .map_or(0, |before| self.last(before).saturating_add(1));
        [first, self.last(part)].map(HashValue::of)
    }

    /// A range of digests for each part, given the owners of the parts in their order.
    pub fn each(self, owners: impl IntoIterator<Item = Slot>) -> Vec<OwnedRange<u64>> {
        let parts = (0..self.0.get()).zip(owners);
        OwnedRange::each(parts.map(|(part, owner)| (self.last(part), owner)))
    }

    /// The fewest ranges of digests, given the owners of the parts in their order.
    pub fn ranges(self, owners: impl IntoIterator<Item = Slot>) -> Vec<OwnedRange<u64>> {
        let parts = (0..self.0.get()).zip(owners);
        OwnedRange::merge(parts.map(|(part, owner)| (self.last(part), owner)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_where_the_next_begins() {
        for count in [1, 2, 3, 7, 16_384, 65_537, 16_777_213, u32::MAX] {
            let parts = EqualParts::new(NonZeroU32::new(count).unwrap());
            assert_eq!(parts.of(0), 0);
            assert_eq!(parts.last(count - 1), u64::MAX);
            assert_eq!(parts.last(count), u64::MAX);
            let inner = [0, 1, count / 3, count / 2, count.saturating_sub(2)];
            for part in inner.into_iter().filter(|&part| part < count - 1) {
                let last = parts.last(part);
                assert_eq!(parts.of(last), part, "{count} parts");
                assert_eq!(parts.of(last + 1), part + 1, "{count} parts");
            }
        }
    }
}
