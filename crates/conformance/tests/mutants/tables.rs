//! Containers with one fault, and the rings over them.

use std::cmp::Ordering;
use std::marker::PhantomData;

use keyroute_conformance::Cut;
use keyroute_core::hash::Xxh3;
use keyroute_core::{
    ById, Edge, Labelled, Lookup, Native, Node, PointTable, Position, Ring, RouteError, Scheme,
    Slot, TieOrder, WithLookup, WithTies,
};
use keyroute_vector_ring::SortedPoints;

use crate::fault::Made;

/// A fault of a container: whatever it does not override is as it should be.
pub(crate) trait TableFault {
    fn insert<P: Position>(
        points: &mut SortedPoints<P>,
        new: Vec<(P, Slot)>,
        ties: &dyn Fn(Slot, Slot) -> Ordering,
    ) {
        points.insert(new, ties);
    }
    fn remove<P: Position>(points: &mut SortedPoints<P>, slot: Slot, positions: &[P]) {
        points.remove(slot, positions);
    }
    fn forward<P: Position>(points: &SortedPoints<P>, at: P, edge: Edge) -> Vec<(P, Slot)> {
        points.forward(at, edge).collect()
    }
}

/// A sorted array with one fault.
pub(crate) struct Table<P: Position, B> {
    points: SortedPoints<P>,
    fault: PhantomData<B>,
}

impl<P: Position, B> Default for Table<P, B> {
    fn default() -> Self {
        Self {
            points: SortedPoints::default(),
            fault: PhantomData,
        }
    }
}

impl<P: Position, B: TableFault> PointTable<P> for Table<P, B> {
    fn insert(&mut self, points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        B::insert(&mut self.points, points, ties);
    }
    fn remove(&mut self, slot: Slot, positions: &[P]) {
        B::remove(&mut self.points, slot, positions);
    }
    fn len(&self) -> usize {
        self.points.len()
    }
    fn forward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        B::forward(&self.points, at, edge).into_iter()
    }
    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        self.points.backward(at, edge)
    }
    fn at_or_after(&self, at: P) -> Option<Slot> {
        self.points.at_or_after(at)
    }
    fn heap_bytes(&self) -> usize {
        self.points.heap_bytes()
    }
    fn estimate(points: u64, nodes: u64) -> u64 {
        SortedPoints::<P>::estimate(points, nodes)
    }
}

/// All points of a container.
pub(crate) fn all<P: Position>(points: &SortedPoints<P>) -> Vec<(P, Slot)> {
    points.forward(P::default(), Edge::Inclusive).collect()
}

type Cuts<O> = WithTies<Native<Cut<Xxh3>>, O>;

/// A ring of 256 positions in a faulty container, or under a faulty tie order.
pub(crate) type CutRing<B, O = ById> = Ring<Cuts<O>, Table<u64, B>>;

fn cut() -> Result<Native<Cut<Xxh3>>, RouteError> {
    Native::new(Cut::top(Xxh3, 8)).with_points_per_weight(12)
}

fn ring<S: Scheme, T: PointTable<S::Position>>(
    scheme: S,
    nodes: &[Node],
) -> Result<Ring<S, T>, RouteError> {
    Ring::from_nodes(scheme, nodes.iter().cloned())
}

impl<O: TieOrder, T: PointTable<u64>> Made for Ring<Cuts<O>, T> {
    fn made(nodes: &[Node]) -> Result<Self, RouteError> {
        ring(WithTies::new(cut()?, O::default()), nodes)
    }
}

impl<L: Lookup, T: PointTable<u64>> Made for Ring<WithLookup<Native<Cut<Xxh3>>, L>, T> {
    fn made(nodes: &[Node]) -> Result<Self, RouteError> {
        ring(WithLookup::new(cut()?, L::default()), nodes)
    }
}

/// A whole hash, but labels without a separator.
impl<T: PointTable<u64>> Made for Ring<Labelled<Xxh3>, T> {
    fn made(nodes: &[Node]) -> Result<Self, RouteError> {
        ring(
            Labelled::new("{node}{i}", Xxh3)?.with_points_per_weight(40)?,
            nodes,
        )
    }
}
