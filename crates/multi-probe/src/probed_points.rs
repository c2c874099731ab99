//! [`ProbedPoints`]: the container of the multi-probe router.

use alloc::vec::Vec;
use core::cmp::Ordering;

use keyroute_core::{Edge, PointTable, Position, Slot};
use keyroute_vector_ring::SortedPoints;

use crate::next_points::NextPoints;

/// [`SortedPoints`], and while they are few, up to 256, for many parts of the ring the point that comes next.
///
/// What a probe finds is then read from there, without a search; only that of the closest probe is searched, for whose
/// point it is. A key that meets a part with two points in it is searched as among many points.
///
/// Besides what the sorted points hold that is 9 bytes for each of 16 to 32 parts a point, over 64-bit positions.
#[derive(Clone, Debug, Default)]
pub struct ProbedPoints<P: Position> {
    sorted: SortedPoints<P>,
    next: NextPoints<P>,
}

impl<P: Position> ProbedPoints<P> {
    fn renew(&mut self) {
        let points: Vec<P> = match self.sorted.len() {
            count if NextPoints::<P>::covers(count) => {
                let from_the_lowest = self.sorted.forward(P::default(), Edge::Inclusive);
                from_the_lowest.map(|(point, _)| point).collect()
            }
            _ => Vec::new(),
        };
        self.next = NextPoints::of(&points);
    }
}

impl<P: Position> PointTable<P> for ProbedPoints<P> {
    fn insert(&mut self, points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        self.sorted.insert(points, ties);
        self.renew();
    }

    fn remove(&mut self, slot: Slot, positions: &[P]) {
        self.sorted.remove(slot, positions);
        self.renew();
    }

    fn len(&self) -> usize {
        self.sorted.len()
    }

    fn forward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        self.sorted.forward(at, edge)
    }

    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        self.sorted.backward(at, edge)
    }

    fn at_or_after(&self, at: P) -> Option<Slot> {
        self.sorted.at_or_after(at)
    }

    fn at_or_after_each(&self, at: &[P], owners: &mut [Option<Slot>]) {
        self.sorted.at_or_after_each(at, owners);
    }

    fn around(&self, at: P) -> Option<[(P, Slot); 2]> {
        self.sorted.around(at)
    }

    #[inline]
    fn closest_ahead(&self, probes: &[P]) -> Option<Slot> {
        match self.next.closest(probes) {
            Some(probe) => self.sorted.at_or_after(probe),
            None => self.sorted.closest_ahead(probes),
        }
    }

    fn heap_bytes(&self) -> usize {
        self.sorted.heap_bytes() + self.next.heap_bytes()
    }

    fn estimate(points: u64, nodes: u64) -> u64 {
        SortedPoints::<P>::estimate(points, nodes).saturating_add(NextPoints::<P>::estimate(points))
    }
}
