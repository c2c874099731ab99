//! [`Index`]: where in the sorted points a search begins.

use alloc::vec::Vec;
use core::mem::size_of;

/// For each of so many equal parts of the ring the number of points before it; at last the number of all.
///
/// There is a part for [`A_PART`] points, or up to an eighth more: the number of parts has four significant
/// bits, so that a change of a few points seldom alters it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    parts: u64,
    starts: Vec<u32>,
}

/// With two, the index of a ring beyond the caches takes room that its points could have; with four, one lookup
/// in a hundred must go on behind its window, and with three one in four hundred.
const A_PART: u64 = 3;

/// How many parts so many points have: at least one.
fn parts(points: u64) -> u64 {
    let wanted = (points / A_PART).max(1);
    let dropped = wanted.ilog2().saturating_sub(3);
    wanted >> dropped << dropped
}

/// The part of a head. As long as `parts` is at most 2^32 the result is below it.
fn part(head: u32, parts: u64) -> usize {
    ((u64::from(head) * parts) >> 32) as usize
}

/// A number of points, of which there are fewer than 2^32.
#[expect(clippy::cast_possible_truncation, reason = "below 2^32")]
fn count(points: usize) -> u32 {
    points as u32
}

impl Index {
    /// The index of points with these heads, in ascending order.
    pub(crate) fn of(heads: &[u32]) -> Self {
        let mut index = Self::default();
        index.renew(heads);
        index
    }

    fn renew(&mut self, heads: &[u32]) {
        self.parts = parts(heads.len() as u64);
        self.starts.clear();
        self.starts.resize(part(u32::MAX, self.parts) + 2, 0);
        for (through, &head) in (1..).zip(heads) {
            // The last of a part has the last word. Adding up would wait for the sum each time.
            self.starts[part(head, self.parts) + 1] = through;
        }
        // A part without points ends where it begins.
        let mut before = 0;
        for start in &mut self.starts {
            before = before.max(*start);
            *start = before;
        }
    }

    /// Points with these heads, in ascending order, have come; all are now `heads`.
    pub(crate) fn added(&mut self, new: impl ExactSizeIterator<Item = u32>, heads: &[u32]) {
        let more = new.len();
        self.changed(new, heads, |start, before| start + before, more);
    }

    /// Points with these heads, in ascending order, have gone; those left are now `heads`.
    pub(crate) fn removed(&mut self, gone: impl ExactSizeIterator<Item = u32>, heads: &[u32]) {
        let fewer = gone.len();
        self.changed(gone, heads, |start, before| start - before, fewer);
    }

    /// Each start shifts by the number of changed points before it.
    fn changed(
        &mut self,
        changed: impl Iterator<Item = u32>,
        heads: &[u32],
        shift: impl Fn(u32, u32) -> u32,
        all: usize,
    ) {
        if parts(heads.len() as u64) != self.parts {
            self.renew(heads);
            return;
        }
        let (mut from, mut before) = (0, 0);
        for head in changed {
            let to = part(head, self.parts) + 1;
            for start in &mut self.starts[from..to] {
                *start = shift(*start, before);
            }
            (from, before) = (to, before + 1);
        }
        for start in &mut self.starts[from..] {
            *start = shift(*start, count(all));
        }
    }

    /// Where the part of this head begins; `None` without points.
    #[inline]
    pub(crate) fn start(&self, head: u32) -> Option<u32> {
        self.starts.get(part(head, self.parts)).copied()
    }

    /// Where it ends.
    pub(crate) fn end(&self, head: u32) -> usize {
        let end = self.starts.get(part(head, self.parts) + 1);
        end.map_or(0, |&end| end as usize)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
    }

    /// The bytes of the index of so many points.
    pub(crate) fn estimate(points: u64) -> u64 {
        (parts(points) + 1).saturating_mul(size_of::<u32>() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_part_for_three_points_or_a_little_more() {
        for points in (0..1_000).chain([160_000, 1 << 24, (1 << 24) - 1, u64::from(u32::MAX)]) {
            let parts = parts(points);
            assert!(parts >= 1 && parts <= (points / A_PART).max(1), "{points}");
            assert!(8 * (points / A_PART) < 9 * parts + 8, "{points}: {parts}");
            // The last head has a part as well, and it is the last.
            assert_eq!(part(u32::MAX, parts) as u64, parts - 1, "{points}");
        }
    }

    #[test]
    fn a_change_leaves_the_index_that_all_points_have() {
        let mut heads: Vec<u32> = (0..1_000)
            .map(|i: u32| i.wrapping_mul(0x9e37_79b9))
            .collect();
        heads.sort_unstable();
        let mut index = Index::of(&heads);
        let new = [0, 0, 5, 1 << 31, u32::MAX, u32::MAX];
        heads.extend(new);
        heads.sort_unstable();
        index.added(new.into_iter(), &heads);
        assert_eq!(index.starts, Index::of(&heads).starts);

        let gone: Vec<u32> = heads.iter().copied().step_by(90).collect();
        let left: Vec<u32> = heads
            .iter()
            .enumerate()
            .filter(|(i, _)| i % 90 != 0)
            .map(|(_, &head)| head)
            .collect();
        index.removed(gone.into_iter(), &left);
        assert_eq!(index.starts, Index::of(&left).starts);
    }
}
