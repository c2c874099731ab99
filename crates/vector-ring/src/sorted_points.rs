//! [`SortedPoints`]: the container of the vector ring.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::size_of;

use keyroute_core::{Edge, PointTable, Position, Slot};

/// Points in two arrays, positions and owners, sorted by position and then in tie order.
///
/// Positions stand alone so that the binary search touches nothing else.
#[derive(Clone, Debug, Default)]
pub struct SortedPoints<P> {
    positions: Vec<P>,
    owners: Vec<Slot>,
}

impl<P: Position> SortedPoints<P> {
    /// The index of the first point at or after `at` (after it, if exclusive); the length if none.
    fn first(&self, at: P, edge: Edge) -> usize {
        match edge {
            Edge::Inclusive => self.positions.partition_point(|&position| position < at),
            Edge::Exclusive => self.positions.partition_point(|&position| position <= at),
        }
    }

    fn point(&self, index: usize) -> (P, Slot) {
        (self.positions[index], self.owners[index])
    }
}

impl<P: Position> PointTable<P> for SortedPoints<P> {
    fn insert(&mut self, mut points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        let order = |a: &(P, Slot), b: &(P, Slot)| a.0.cmp(&b.0).then_with(|| ties(a.1, b.1));
        // Points that compare equal are equal: one node's, at one position.
        points.sort_unstable_by(order);
        if self.positions.is_empty() {
            (self.positions, self.owners) = points.into_iter().unzip();
            return;
        }
        // Merge from the back, in place.
        let (mut old, mut new) = (self.positions.len(), points.len());
        let Some(&filler) = points.first() else {
            return;
        };
        self.positions.resize(old + new, filler.0);
        self.owners.resize(old + new, filler.1);
        while new > 0 {
            let point = points[new - 1];
            let to = old + new - 1;
            let from_old = old > 0 && order(&self.point(old - 1), &point) == Ordering::Greater;
            let (position, owner) = if from_old { self.point(old - 1) } else { point };
            (self.positions[to], self.owners[to]) = (position, owner);
            if from_old { old -= 1 } else { new -= 1 }
        }
    }

    fn remove(&mut self, slot: Slot, _positions: &[P]) {
        let mut kept = 0;
        for index in 0..self.owners.len() {
            if self.owners[index] != slot {
                (self.positions[kept], self.owners[kept]) = self.point(index);
                kept += 1;
            }
        }
        self.positions.truncate(kept);
        self.owners.truncate(kept);
    }

    fn len(&self) -> usize {
        self.positions.len()
    }

    fn forward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        let first = self.first(at, edge);
        (first..self.len())
            .chain(0..first)
            .map(|index| self.point(index))
    }

    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        // Inclusive backward ends where exclusive forward begins.
        let end = self.first(
            at,
            match edge {
                Edge::Inclusive => Edge::Exclusive,
                Edge::Exclusive => Edge::Inclusive,
            },
        );
        Backward {
            points: self,
            end,
            group: 0..0,
            left: self.len(),
        }
    }

    fn at_or_after(&self, at: P) -> Option<Slot> {
        let first = self.first(at, Edge::Inclusive);
        self.owners
            .get(first)
            .or_else(|| self.owners.first())
            .copied()
    }

    fn heap_bytes(&self) -> usize {
        self.positions.capacity() * size_of::<P>() + self.owners.capacity() * size_of::<Slot>()
    }

    fn estimate(points: u64) -> u64 {
        points.saturating_mul((size_of::<P>() + size_of::<Slot>()) as u64)
    }
}

/// Groups of equal positions from high to low, each group in tie order.
struct Backward<'a, P> {
    points: &'a SortedPoints<P>,
    /// Where the next group ends.
    end: usize,
    group: core::ops::Range<usize>,
    left: usize,
}

impl<P: Position> Iterator for Backward<'_, P> {
    type Item = (P, Slot);

    fn next(&mut self) -> Option<(P, Slot)> {
        self.left = self.left.checked_sub(1)?;
        if self.group.is_empty() {
            if self.end == 0 {
                self.end = self.points.len();
            }
            let position = self.points.positions[self.end - 1];
            let mut start = self.end - 1;
            while start > 0 && self.points.positions[start - 1] == position {
                start -= 1;
            }
            self.group = start..self.end;
            self.end = start;
        }
        self.group.next().map(|index| self.points.point(index))
    }
}
