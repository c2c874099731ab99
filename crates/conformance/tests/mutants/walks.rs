//! Faults of walks.

use std::ops::ControlFlow;

use keyroute_conformance::Cut;
use keyroute_core::hash::Xxh3;
use keyroute_core::{
    ArcLookup, Edge, Lookup, Native, Nearest, Node, PointTable, Position, Ring, Router, Slot,
    SlotSet, Walk, WalkDigest, WithLookup,
};
use keyroute_vector_ring::SortedPoints;

use crate::fault::{Fault, Mutant, Wrong};
use crate::tables::{CutRing, TableFault};

/// The sound order.
fn order<F>(it: &Mutant<F>, key: &[u8]) -> Vec<Slot> {
    let mut slots = Vec::new();
    it.ring.walk(key, &mut |slot| {
        slots.push(slot);
        ControlFlow::Continue(())
    });
    slots
}

/// Visits these, until told to stop.
fn visit_all(
    slots: impl IntoIterator<Item = Slot>,
    visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
) {
    let _ = slots.into_iter().try_for_each(visit);
}

macro_rules! reordering {
    ($(#[$doc:meta])* $name:ident: $order:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl Fault for $name {
            fn walk_with(
                it: &Mutant<Self>,
                key: &[u8],
                _seen: &mut SlotSet,
                visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
            ) {
                let change: fn(&Mutant<Self>, Vec<Slot>) -> Vec<Slot> = $order;
                visit_all(change(it, order(it, key)), visit);
            }
        }
    };
}

reordering!(
    /// Points, not nodes.
    RepeatsNodes: |_, slots| slots.iter().flat_map(|&slot| [slot, slot]).collect()
);

reordering!(
    /// One short.
    SkipsTheLast: |_, mut slots| {
        slots.pop();
        slots
    }
);

reordering!(
    /// Begins behind the owner.
    OwnerLast: |_, mut slots| {
        if !slots.is_empty() {
            slots.rotate_left(1);
        }
        slots
    }
);

reordering!(
    /// The owner first, then by slot.
    NextBySlot: |it, slots| {
        let first = slots.first().copied();
        let mut all: Vec<Slot> = it.members().slots().collect();
        if let Some(at) = all.iter().position(|&slot| Some(slot) == first) {
            all.rotate_left(at);
        }
        all
    }
);

reordering!(
    /// The owner first, then the others, forwards and backwards in turn.
    TakesTurns: |it, mut slots| {
        if it.turn().is_multiple_of(2) && !slots.is_empty() {
            slots[1..].reverse();
        }
        slots
    }
);

reordering!(
    /// The nodes of the owner's zone, no others.
    StaysInItsZone: |it, mut slots| {
        let zone = |slot| it.members().get(slot).and_then(Node::zone).cloned();
        if let Some(&first) = slots.first() {
            slots.retain(|&slot| zone(slot) == zone(first));
        }
        slots
    }
);

reordering!(
    /// Zones as they come.
    IgnoresZones: |_, slots| slots
);

/// A digest's walk, the other way round.
pub(crate) struct WalksDigestsBackwards;

impl Fault for WalksDigestsBackwards {
    fn walk_value_with(
        it: &Mutant<Self>,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        let mut slots = Vec::new();
        it.ring.walk_value_with(value, seen, &mut |slot| {
            slots.push(slot);
            ControlFlow::Continue(())
        });
        slots.reverse();
        visit_all(slots, visit);
    }
}

/// Goes on regardless.
pub(crate) struct DoesNotStop;

impl Fault for DoesNotStop {
    fn walk_with(
        it: &Mutant<Self>,
        key: &[u8],
        _seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        for slot in order(it, key) {
            let _ = visit(slot);
        }
    }
}

/// Does not clear the set.
pub(crate) struct TrustsTheLentSet;

impl Fault for TrustsTheLentSet {
    fn walk_with(
        it: &Mutant<Self>,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        visit_all(
            order(it, key).into_iter().filter(|&slot| seen.insert(slot)),
            visit,
        );
    }
}

/// From the key to the end of the table.
pub(crate) struct ToTheEnd;

impl TableFault for ToTheEnd {
    fn forward<P: Position>(points: &SortedPoints<P>, at: P, edge: Edge) -> Vec<(P, Slot)> {
        points
            .forward(at, edge)
            .filter(|point| point.0 >= at)
            .collect()
    }
}

pub(crate) struct DoesNotWrap;

impl Wrong for DoesNotWrap {
    type Router = CutRing<ToTheEnd>;
}

/// `>` in the walk, `>=` in the lookup.
pub(crate) struct Exclusive;

impl TableFault for Exclusive {
    fn forward<P: Position>(points: &SortedPoints<P>, at: P, _edge: Edge) -> Vec<(P, Slot)> {
        points.forward(at, Edge::Exclusive).collect()
    }
}

pub(crate) struct OverlooksExactHits;

impl Wrong for OverlooksExactHits {
    type Router = CutRing<Exclusive>;
}

/// The nearest point first, and from there on clockwise.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearestFirst;

impl Lookup for NearestFirst {
    const NAME: &'static str = "nearest first";

    fn order<P: Position, T: PointTable<P>>(table: &T, at: P) -> impl Iterator<Item = Slot> {
        let owner = Nearest::owner(table, at);
        owner
            .into_iter()
            .chain(table.forward(at, Edge::Inclusive).map(|(_, slot)| slot))
    }
}

impl ArcLookup for NearestFirst {
    fn boundary<P: Position>(point: P, next: P) -> P {
        Nearest::boundary(point, next)
    }
}

pub(crate) struct NearestThenClockwise;

impl Wrong for NearestThenClockwise {
    type Router = Ring<WithLookup<Native<Cut<Xxh3>>, NearestFirst>, SortedPoints<u64>>;
}
