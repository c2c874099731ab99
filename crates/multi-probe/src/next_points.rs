//! [`NextPoints`]: the next point from anywhere on a ring of few, without a search.

use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::mem::size_of;

use keyroute_core::Position;

/// Up to so many points there are parts: 36 KiB at 64 bits. Among more a search costs half as much again.
const FEW: usize = 256;

/// At least so many parts for a point: then few have two of them, and at most one key in
/// twenty meets one of those.
const PARTS_A_POINT: usize = 16;

/// For each of many equal parts of the ring, as many as a power of two, the first point from its beginning on.
///
/// ```text
///   parts   │     │     │  x  │     │ y z │     │
///   next    x     x     x     y     y     x     x        the first one again behind the last
///   crowded                         !
/// ```
///
/// The next point of a position is the closer one of those from the beginning and from the end of its part: if the only
/// point in the part is behind the position, it is all the way round. Where a part holds more, nothing is said.
#[derive(Clone, Debug, Default)]
pub(crate) struct NextPoints<P> {
    /// By how many bits a head is longer than the number of its part.
    shift: u32,
    /// One more than there are parts; none if there are no points, or more than a few.
    next: Vec<P>,
    /// Whether there is more than one position in a part.
    crowded: Vec<bool>,
}

/// How many parts so many points have.
fn parts(points: usize) -> usize {
    match points {
        1..=FEW => (PARTS_A_POINT * points).next_power_of_two(),
        _ => 0,
    }
}

impl<P: Position> NextPoints<P> {
    /// Whether so many points are few enough, and there are any.
    pub(crate) fn covers(points: usize) -> bool {
        parts(points) > 0
    }

    /// Of points at these positions, which ascend.
    pub(crate) fn of(points: &[P]) -> Self {
        let parts = parts(points.len());
        let (&[first, ref others @ ..], 1..) = (points, parts) else {
            return Self::default();
        };
        let mut table = Self {
            shift: u32::BITS - parts.ilog2(),
            // The first point is the next one of whatever is behind the last.
            next: vec![first; parts + 1],
            crowded: vec![false; parts],
        };
        let mut before = first;
        for &point in others {
            let (from, to) = (table.part(before), table.part(point));
            table.crowded[to] |= from == to && before != point;
            table.next[from + 1..=to].fill(point);
            before = point;
        }
        table
    }

    /// The part of this position.
    #[inline]
    fn part(&self, at: P) -> usize {
        (at.split().0 >> self.shift) as usize // u32 fits
    }

    /// Which of these positions is the closest to the next point: of equal ones the first. `None` if the table does not
    /// say.
    #[inline]
    pub(crate) fn closest(&self, all: &[P]) -> Option<P> {
        let mut closest = *all.first()?;
        let mut least = P::MAX;
        let mut crowded = false;
        for &at in all {
            let part = self.part(at);
            let &[here, beyond] = self.next.get(part..part + 2)?.first_chunk()?;
            crowded |= self.crowded.get(part)?;
            let [here, beyond] = [here, beyond].map(|point| at.ahead(point));
            let away = select_unpredictable(here < beyond, here, beyond);
            // No branch: one that is foreseen wrong would stop the next ones as well.
            let closer = away < least;
            least = select_unpredictable(closer, away, least);
            closest = select_unpredictable(closer, at, closest);
        }
        (!crowded).then_some(closest)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.next.capacity() * size_of::<P>() + self.crowded.capacity()
    }

    /// The bytes for so many points.
    pub(crate) fn estimate(points: u64) -> u64 {
        let parts = usize::try_from(points).map_or(0, parts);
        match parts {
            0 => 0,
            parts => ((parts + 1) * size_of::<P>() + parts) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyroute_core::buckets::word;

    fn check(points: &[u64], probes: &[u64]) -> bool {
        let table = NextPoints::of(points);
        let away = |at: u64| {
            let all = points.iter().map(|&point| at.ahead(point));
            all.min().unwrap()
        };
        let expected = probes.iter().copied().min_by_key(|&at| away(at));
        let found = table.closest(probes);
        assert!(
            found.is_none() || found == expected,
            "{points:x?} {probes:x?}"
        );
        found.is_some()
    }

    #[test]
    fn the_closest_is_that_of_all_distances() {
        for count in [1, 2, 3, 10, 100, FEW] {
            let mut said = 0;
            for seed in 0..100 {
                let word = |i: usize| word(seed as u64, i as u64);
                let mut points: Vec<u64> = (0..count).map(word).collect();
                // Edges, and a position that several points share.
                points[0] = [0, u64::MAX, points[count / 2]][seed % 3];
                points.sort_unstable();
                for key in 0..20 {
                    let mut probes: Vec<u64> =
                        (0..21).map(|i| word(1_000 + 100 * key + i)).collect();
                    probes[3] = points[key % count];
                    probes[5] = points[count / 3].wrapping_add(1);
                    said += usize::from(check(&points, &probes));
                    check(&points, &[0, u64::MAX]);
                    check(&points, &probes[3..4]);
                    // Behind the only point of a part it is not that point which comes next.
                    let behind = |key: usize| points[key % count].wrapping_add(1);
                    check(&points, &[behind(key), behind(key + 1)]);
                }
            }
            // Two of the 21 probes stand where points are.
            assert!(said > 1_500, "{count} points: {said} of 2,000");
        }
    }

    #[test]
    fn crowded_parts_say_nothing() {
        let points = [1 << 32, 2 << 32, 1 << 63];
        assert!(!check(&points, &[(1 << 32) + 1]));
        assert!(!check(&points, &[1 << 62, 3 << 32]));
        assert!(check(&points, &[1 << 62]));
        assert!(check(&[7, 7, 7], &[3]));
    }

    #[test]
    fn there_are_parts_for_few_points() {
        let table = |count: u64| NextPoints::of(&(0..count).map(|i| i << 55).collect::<Vec<u64>>());
        assert!(table(0).closest(&[1]).is_none());
        assert!(table(FEW as u64).closest(&[1]).is_some());
        assert!(table(FEW as u64 + 1).closest(&[1]).is_none());
        for count in [0, 1, 3, 100, FEW as u64, FEW as u64 + 1] {
            let bytes = table(count).heap_bytes() as u64;
            assert_eq!(bytes, NextPoints::<u64>::estimate(count), "{count}");
        }
    }
}
