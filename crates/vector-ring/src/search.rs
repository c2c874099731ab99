//! The search of [`SortedPoints`]: from a position to the point that serves it.

use keyroute_core::{Edge, Position, Slot};

use crate::SortedPoints;
use crate::below::below;

/// How many points a search compares at once, without a branch: on every usual machine a few vectors.
pub(crate) const WINDOW: usize = 8;

impl<P: Position> SortedPoints<P> {
    /// The index of the first point at or after `at` (after it, if exclusive); the length if none.
    #[inline]
    pub(crate) fn first(&self, at: P, edge: Edge) -> usize {
        let (head, _) = at.split();
        let Some(start) = self.index.start(head) else {
            return 0;
        };
        let start = start as usize;
        if let Some(heads) = window(&self.heads, start) {
            let found = not_below(heads, head);
            if heads[found] > head {
                return start + found;
            }
        }
        self.first_from(start, at, edge)
    }

    /// The owner of the first point at or after `at`, given where its part begins.
    #[inline]
    pub(crate) fn owner_from(&self, start: u32, at: P) -> Option<Slot> {
        let (head, _) = at.split();
        let start = start as usize;
        // The owners are read beside the heads, not when these have said which: the two waits overlap.
        if let Some(heads) = window(&self.heads, start)
            && let Some(owners) = self.owners.window(start)
        {
            let found = not_below(heads, head);
            if heads[found] > head {
                return Slot::new(owners[found].into());
            }
        }
        self.owner_of(at)
    }

    /// The same, where one look at a window does not tell: where heads are equal, points crowd, or slots need four
    /// bytes. Apart, so that what is asked nearly always stays short.
    #[cold]
    #[inline(never)]
    fn owner_of(&self, at: P) -> Option<Slot> {
        self.owners.get(self.first(at, Edge::Inclusive))
    }

    /// The index of the first point at or after `at`, given that no point before `from` is: a binary search
    /// of what is left of the part, however many points crowd there.
    #[cold]
    #[inline(never)]
    fn first_from(&self, from: usize, at: P, edge: Edge) -> usize {
        let (head, rest) = at.split();
        let end = self.index.end(head);
        let passed = |index: usize| match (self.heads.get(index), self.rests.get(index)) {
            (Some(&h), Some(&r)) => match edge {
                Edge::Inclusive => (h, r) < (head, rest),
                Edge::Exclusive => (h, r) <= (head, rest),
            },
            _ => false,
        };
        partition(from, end, passed)
    }

    /// The index of the first of the points that share the position of this one.
    #[inline]
    pub(crate) fn first_equal(&self, index: usize) -> usize {
        let at = |index: usize| self.heads.get(index);
        match index.checked_sub(1).and_then(at) {
            Some(before) if Some(before) == at(index) => self.first_of_equal(index),
            _ => index,
        }
    }

    /// The same where heads are equal.
    #[cold]
    fn first_of_equal(&self, index: usize) -> usize {
        let first = |(at, _)| self.first(at, Edge::Inclusive);
        self.point(index).map_or(index, first)
    }
}

/// The first of these ascending heads that is not below this one; where all are, any that is.
#[inline]
fn not_below(heads: &[u32; WINDOW], head: u32) -> usize {
    below(heads, head) % WINDOW
}

/// What begins here, a window long.
#[inline]
pub(crate) fn window<T>(column: &[T], start: usize) -> Option<&[T; WINDOW]> {
    column.get(start..start + WINDOW)?.first_chunk()
}

/// The first index of the range for which this is false; its end if for none. It is true up to there.
pub(crate) fn partition(from: usize, end: usize, passed: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (from, end.max(from));
    while low < high {
        let middle = low + (high - low) / 2;
        if passed(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
