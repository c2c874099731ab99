//! [`PointTable`]: how a ring's points are stored and searched.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::{Position, ProbeDistance, Slot, closest};

/// Whether a walk from a position meets the points that stand exactly there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Yes: the position belongs to the walk.
    Inclusive,
    /// No: it begins with the next position.
    Exclusive,
}

/// The container of a ring: points in the order of their positions, equal ones in tie order.
///
/// The vector ring's sorted array and the tree ring's ordered map are two; they differ in cost, never
/// in an answer. A third container implements this trait, is named with
/// [`named_ring!`](crate::named_ring), and has every lookup, walk and change of the engine.
///
/// Implementors: every point is kept, equal positions and even equal points included. Walks go once
/// round, every point once, and where points share a position they come in tie order, **in both
/// directions**.
pub trait PointTable<P: Position>: Default {
    /// Adds points, in any order. `ties` ranks slots that share a position; the points already held
    /// are in its order.
    fn insert(&mut self, points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering);

    /// Removes all points of this slot, which stand at `positions`.
    fn remove(&mut self, slot: Slot, positions: &[P]);

    /// How many points there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The points clockwise from `at`, once round.
    fn forward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)>;

    /// The points counter-clockwise from `at`, once round.
    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)>;

    /// The owner of the first point at or after `at`: the hot path of the default lookup.
    fn at_or_after(&self, at: P) -> Option<Slot> {
        self.forward(at, Edge::Inclusive)
            .next()
            .map(|(_, slot)| slot)
    }

    /// The same for many positions: `owners[i]` is `at_or_after(at[i])`, as far as both go.
    ///
    /// A container may interleave the searches, so that their waits for memory overlap.
    fn at_or_after_each(&self, at: &[P], owners: &mut [Option<Slot>]) {
        for (&at, owner) in at.iter().zip(owners) {
            *owner = self.at_or_after(at);
        }
    }

    /// The nearest point behind (strictly) and the nearest ahead (`at` included).
    fn around(&self, at: P) -> Option<[(P, Slot); 2]> {
        let behind = self.backward(at, Edge::Exclusive).next()?;
        Some([behind, self.forward(at, Edge::Inclusive).next()?])
    }

    /// The owner of the point that is closest ahead of any of these positions, each included: of equal distances that of
    /// the earlier position, of points at one position the first in tie order. [`Probes`](crate::Probes) asks for it.
    fn closest_ahead(&self, probes: &[P]) -> Option<Slot> {
        let probes = probes.iter().copied();
        let found = closest(self, probes, Edge::Inclusive, ProbeDistance::Clockwise);
        found.map(|(_, slot)| slot)
    }

    /// The bytes held on the heap.
    fn heap_bytes(&self) -> usize;

    /// The bytes that this many points of so many nodes will hold.
    fn estimate(points: u64, nodes: u64) -> u64;
}
