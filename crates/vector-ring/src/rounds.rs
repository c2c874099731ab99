//! [`Forward`] and [`Backward`]: once round all points, with the clock and against it.

use core::ops::Range;

use keyroute_core::{Position, Slot};

use crate::SortedPoints;

/// Points from low to high.
pub(crate) struct Forward<'a, P: Position> {
    points: &'a SortedPoints<P>,
    next: usize,
    left: usize,
}

impl<'a, P: Position> Forward<'a, P> {
    /// All points once, beginning with this index.
    #[inline]
    pub(crate) fn new(points: &'a SortedPoints<P>, next: usize) -> Self {
        Self {
            points,
            next,
            left: points.rests.len(),
        }
    }
}

impl<P: Position> Iterator for Forward<'_, P> {
    type Item = (P, Slot);

    #[inline]
    fn next(&mut self) -> Option<(P, Slot)> {
        self.left = self.left.checked_sub(1)?;
        if self.next == self.points.rests.len() {
            self.next = 0;
        }
        self.next += 1;
        self.points.point(self.next - 1)
    }
}

/// Groups of equal positions from high to low, each group in tie order.
pub(crate) struct Backward<'a, P: Position> {
    points: &'a SortedPoints<P>,
    /// Where the next group ends.
    end: usize,
    group: Range<usize>,
    left: usize,
}

impl<'a, P: Position> Backward<'a, P> {
    /// All points once, beginning with the group that ends before this index.
    pub(crate) fn new(points: &'a SortedPoints<P>, end: usize) -> Self {
        Self {
            points,
            end,
            group: 0..0,
            left: points.rests.len(),
        }
    }
}

impl<P: Position> Iterator for Backward<'_, P> {
    type Item = (P, Slot);

    fn next(&mut self) -> Option<(P, Slot)> {
        self.left = self.left.checked_sub(1)?;
        if self.group.is_empty() {
            if self.end == 0 {
                self.end = self.points.rests.len();
            }
            let start = self.points.first_equal(self.end - 1);
            self.group = start..self.end;
            self.end = start;
        }
        self.group.next().and_then(|index| self.points.point(index))
    }
}
