//! [`SortedPoints`]: the container of the vector ring, and how it lies in memory.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::size_of;

use keyroute_core::{Edge, PointTable, Position, Slot};

use crate::index::Index;
use crate::owners::Owners;
use crate::rounds::{Backward, Forward};
use crate::search::WINDOW;

/// Points sorted by position and then in tie order, and an index into them by the top of a position.
///
/// ```text
///   at  ─split─►  head: its upper 32 bits        rest: the others (none of 32, 32 of 64, 96 of 128)
///                   │
///                   │ × parts ÷ 2³²
///                   ▼
///   index   │ 0 │ 2 │ 2 │ 5 │ 8 │ …    for each of `parts` equal parts of the ring: how many points
///                         │            stand before it (4 bytes for three points)
///                         ▼ start
///   heads   │ . │ . │ . │ . │ . │ h │ h │ h │ h │ h │ h │ h │ h │ …   4 bytes a point
///                         └───────── one window of 8 ─────────┘
///   owners  │ . │ . │ . │ . │ . │ s │ s │ s │ s │ s │ s │ s │ s │ …   2 bytes a point
///   rests   │ . │ . │ . │ . │ . │ . │ …        0, 4 or 12 bytes a point; read where heads are equal
/// ```
///
/// A lookup reads one entry of the index and one window: two loads that wait for each other, whatever the
/// number of points. A part holds three points on average, so the answer is nearly always in the window that
/// begins there; where it is not, or where heads are equal, a binary search of the part finds it.
///
/// Behind the last point follow as many copies of the first as a window is long, with the highest head:
/// windows never end early, and a search that runs off the end has found the first point.
///
/// Up to 2^32 − 16 points; rings stop at [`MAX_POINTS`](keyroute_core::MAX_POINTS).
#[derive(Clone, Debug, Default)]
pub struct SortedPoints<P: Position> {
    pub(crate) index: Index,
    pub(crate) heads: Vec<u32>,
    pub(crate) owners: Owners,
    pub(crate) rests: Vec<P::Rest>,
}

impl<P: Position> SortedPoints<P> {
    /// The point with this index; `None` past the last.
    #[inline]
    pub(crate) fn point(&self, index: usize) -> Option<(P, Slot)> {
        let rest = *self.rests.get(index)?;
        let head = *self.heads.get(index)?;
        Some((P::join(head, rest), self.owners.get(index)?))
    }

    /// Puts the copies of the first point behind the last.
    pub(crate) fn seal(&mut self) {
        if let Some(first) = self.owners.get(0) {
            let end = self.rests.len() + WINDOW;
            self.heads.resize(end, u32::MAX);
            self.owners.resize(end, first);
        }
    }

    /// Takes them away: before points move.
    pub(crate) fn unseal(&mut self) {
        self.heads.truncate(self.rests.len());
        self.owners.truncate(self.rests.len());
    }
}

impl<P: Position> PointTable<P> for SortedPoints<P> {
    fn insert(&mut self, points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        if self.rests.is_empty() {
            *self = Self::build(points, ties);
        } else {
            self.merge(points, ties);
        }
    }

    fn remove(&mut self, slot: Slot, _positions: &[P]) {
        self.take_out(slot);
    }

    fn len(&self) -> usize {
        self.rests.len()
    }

    #[inline]
    fn forward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        Forward::new(self, self.first(at, edge))
    }

    #[inline]
    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        // Inclusive backward ends where exclusive forward begins.
        let opposite = match edge {
            Edge::Inclusive => Edge::Exclusive,
            Edge::Exclusive => Edge::Inclusive,
        };
        Backward::new(self, self.first(at, opposite))
    }

    #[inline]
    fn at_or_after(&self, at: P) -> Option<Slot> {
        self.owner_from(self.index.start(at.split().0)?, at)
    }

    fn at_or_after_each(&self, at: &[P], owners: &mut [Option<Slot>]) {
        self.owner_each(at, owners);
    }

    #[inline]
    fn around(&self, at: P) -> Option<[(P, Slot); 2]> {
        let ahead = self.first(at, Edge::Inclusive);
        let last = self.rests.len().checked_sub(1)?;
        let behind = self.first_equal(ahead.checked_sub(1).unwrap_or(last));
        let ahead = if ahead > last { 0 } else { ahead };
        Some([self.point(behind)?, self.point(ahead)?])
    }

    fn heap_bytes(&self) -> usize {
        self.index.heap_bytes()
            + self.heads.capacity() * size_of::<u32>()
            + self.owners.heap_bytes()
            + self.rests.capacity() * size_of::<P::Rest>()
    }

    fn estimate(points: u64, nodes: u64) -> u64 {
        let in_windows = size_of::<u32>() + Owners::width(nodes);
        let a_point = in_windows + size_of::<P::Rest>();
        let window = in_windows * WINDOW;
        points
            .saturating_mul(a_point as u64)
            .saturating_add(window as u64)
            .saturating_add(Index::estimate(points))
    }
}
