//! Building [`SortedPoints`] from points in any order.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use keyroute_core::{Position, Slot};

use crate::SortedPoints;
use crate::change::order;
use crate::index::Index;
use crate::owners::Owners;
use crate::search::WINDOW;

/// Parts of at most so many points are sorted where they lie.
const FEW: usize = 16;

impl<P: Position> SortedPoints<P> {
    /// Counts the points of each part, which makes the index; puts each point in its part; sorts the parts,
    /// of two points each. O(n), and O(n log n) where points crowd in few parts.
    pub(crate) fn build(points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) -> Self {
        let count = points.len();
        let mut built = Self {
            index: Index::of(points.iter().map(|point| point.0.split().0)),
            heads: Vec::with_capacity(count + WINDOW),
            owners: Owners::with_room(count, count + WINDOW),
            rests: alloc::vec![P::Rest::default(); count],
        };
        built.heads.resize(count, 0);
        let mut next = built.index.starts().to_vec();
        for (position, slot) in points {
            let next = &mut next[built.index.part(position.split().0)];
            built.put(*next as usize, (position, slot));
            *next += 1;
        }
        let index = core::mem::take(&mut built.index);
        for part in index.ranges() {
            match part.len() {
                0 | 1 => {}
                2..=FEW => built.sort_few(part, ties),
                _ => built.sort_many(part, ties),
            }
        }
        built.index = index;
        built.seal();
        built
    }

    fn put(&mut self, index: usize, (position, slot): (P, Slot)) {
        (self.heads[index], self.rests[index]) = position.split();
        self.owners.put(index, slot);
    }

    /// Sorts by insertion.
    fn sort_few(&mut self, part: Range<usize>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        for end in part.clone().skip(1) {
            let mut at = end;
            while at > part.start && self.descends(at, ties) {
                self.heads.swap(at - 1, at);
                self.rests.swap(at - 1, at);
                self.owners.swap(at - 1, at);
                at -= 1;
            }
        }
    }

    /// Whether this point belongs before its predecessor.
    fn descends(&self, at: usize, ties: &dyn Fn(Slot, Slot) -> Ordering) -> bool {
        if self.heads[at - 1] != self.heads[at] {
            return self.heads[at - 1] > self.heads[at];
        }
        match (self.point(at - 1), self.point(at)) {
            (Some(before), Some(point)) => order(&before, &point, ties) == Ordering::Greater,
            _ => false,
        }
    }

    fn sort_many(&mut self, part: Range<usize>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        let mut points: Vec<(P, Slot)> = part.clone().filter_map(|at| self.point(at)).collect();
        // Points that compare equal are equal: one node's, at one position.
        points.sort_unstable_by(|a, b| order(a, b, ties));
        for (at, point) in part.zip(points) {
            self.put(at, point);
        }
    }
}
