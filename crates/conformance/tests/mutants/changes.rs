//! Faults of joining, leaving and rebuilding.

use std::cmp::Ordering;

use keyroute_core::hash::Xxh3;
use keyroute_core::{
    Labelled, MemberOrder, Members, Node, PointTable, Position, Ring, RouteDigest, RouteError,
    Router, Slot, TieOrder,
};
use keyroute_vector_ring::SortedPoints;

use crate::fault::{Fault, Mutant, Wrong};
use crate::tables::{CutRing, Table, TableFault, all};

/// The last that joined wins ties, under a promise that order decides nothing.
pub(crate) struct LastListedWins;

impl Fault for LastListedWins {
    const BITS: u32 = 8;
}

/// A map from position to node: the later claimant overwrites the earlier one, whose point is lost.
pub(crate) struct Overwrites;

impl TableFault for Overwrites {
    fn insert<P: Position>(
        points: &mut SortedPoints<P>,
        new: Vec<(P, Slot)>,
        ties: &dyn Fn(Slot, Slot) -> Ordering,
    ) {
        let mut kept = all(points);
        for point in new {
            kept.retain(|held| held.0 != point.0);
            kept.push(point);
        }
        *points = SortedPoints::default();
        points.insert(kept, ties);
    }
}

pub(crate) struct OneClaimant;

impl Wrong for OneClaimant {
    type Router = CutRing<Overwrites>;
}

/// The same map; and node 1's point 10 has the label of node 11's point 0. No cut hash is needed.
pub(crate) struct GluedLabels;

impl Wrong for GluedLabels {
    type Router = Ring<Labelled<Xxh3>, Table<u64, Overwrites>>;
}

/// The remainder of the hash.
pub(crate) struct Remainder;

impl Fault for Remainder {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        let listed = it.members().listed();
        let place = it
            .ring
            .digest(key)
            .value()
            .checked_rem(listed.len() as u64)?;
        listed.get(usize::try_from(place).ok()?).copied()
    }
}

/// A merge that is one short.
pub(crate) struct ShortMerge;

impl TableFault for ShortMerge {
    fn insert<P: Position>(
        points: &mut SortedPoints<P>,
        mut new: Vec<(P, Slot)>,
        ties: &dyn Fn(Slot, Slot) -> Ordering,
    ) {
        if !points.is_empty() {
            new.pop();
        }
        points.insert(new, ties);
    }
}

pub(crate) struct LosesAPointWhenGrowing;

impl Wrong for LosesAPointWhenGrowing {
    type Router = CutRing<ShortMerge>;
}

/// The number of the next, not of this one.
pub(crate) struct GivesAnotherSlot;

impl Fault for GivesAnotherSlot {
    fn add(it: &mut Mutant<Self>, node: Node) -> Result<Slot, RouteError> {
        let slot = it.ring.add(node)?;
        Ok(Slot::new(slot.index() + 1).unwrap())
    }
}

/// Adding is setting.
pub(crate) struct ReplacesMembers;

impl Fault for ReplacesMembers {
    fn add(it: &mut Mutant<Self>, node: Node) -> Result<Slot, RouteError> {
        let _ = it.ring.remove(node.id().as_str());
        it.ring.add(node)
    }
}

/// Finds out too late.
pub(crate) struct AddsAndRefuses;

impl Fault for AddsAndRefuses {
    fn add(it: &mut Mutant<Self>, node: Node) -> Result<Slot, RouteError> {
        let refusal = it.ring.members().check_new(&node);
        if refusal.is_err() {
            let _ = it.ring.add(Node::new("a trace")?);
        }
        refusal?;
        it.ring.add(node)
    }
}

/// Forgets to remove the first point.
pub(crate) struct OneShort;

impl TableFault for OneShort {
    fn remove<P: Position>(points: &mut SortedPoints<P>, slot: Slot, positions: &[P]) {
        points.remove(slot, positions);
        let left = positions.first().map(|&position| (position, slot));
        points.insert(left.into_iter().collect(), &|a, b| a.cmp(&b));
    }
}

pub(crate) struct LeavesPoints;

impl Wrong for LeavesPoints {
    type Router = CutRing<OneShort>;
}

/// Removes a position, and with it every claimant.
pub(crate) struct ByPosition;

impl TableFault for ByPosition {
    fn remove<P: Position>(points: &mut SortedPoints<P>, _slot: Slot, positions: &[P]) {
        let mut kept = all(points);
        kept.retain(|held| !positions.contains(&held.0));
        *points = SortedPoints::default();
        points.insert(kept, &|a, b| a.cmp(&b));
    }
}

pub(crate) struct TakesNeighboursAlong;

impl Wrong for TakesNeighboursAlong {
    type Router = CutRing<ByPosition>;
}

/// Nothing to do is success.
pub(crate) struct RemovesStrangers;

impl Fault for RemovesStrangers {
    fn remove(it: &mut Mutant<Self>, id: &str) -> Result<Node, RouteError> {
        let stranger = it.ring.members().find(id).is_err();
        if stranger && let Ok(node) = Node::new(id) {
            return Ok(node);
        }
        it.ring.remove(id)
    }
}

/// Takes the slot that an unknown id seems to have.
pub(crate) struct RemovesAndRefuses;

impl Fault for RemovesAndRefuses {
    fn remove(it: &mut Mutant<Self>, id: &str) -> Result<Node, RouteError> {
        let removed = it.ring.remove(id);
        if removed.is_err() {
            let _ = it.remove_first();
        }
        removed
    }
}

impl<F> Mutant<F> {
    fn remove_first(&mut self) -> Result<Node, RouteError> {
        let members = self.ring.members();
        let first = members.listed().first().and_then(|&slot| members.get(slot));
        let id = first.ok_or(RouteError::NoMembers)?.id().clone();
        self.ring.remove(id.as_str())
    }
}

/// Never empty once it was not.
pub(crate) struct KeepsTheLast;

impl Fault for KeepsTheLast {
    fn remove(it: &mut Mutant<Self>, id: &str) -> Result<Node, RouteError> {
        if it.members().len() == 1 {
            return it.members().node(id).cloned();
        }
        it.ring.remove(id)
    }
}

/// Slots settle ties; a slot is given again to another node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BySlot;

impl TieOrder for BySlot {
    const NAME: &'static str = "by slot";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn cmp(_members: &Members, a: Slot, b: Slot) -> Ordering {
        a.cmp(&b)
    }
}

/// No fault in the container.
pub(crate) struct SoundTable;

impl TableFault for SoundTable {}

pub(crate) struct LowestSlotWins;

impl Wrong for LowestSlotWins {
    type Router = CutRing<SoundTable, BySlot>;
}

/// The wrong end of the list.
pub(crate) struct RemovesTheFirst;

impl Fault for RemovesTheFirst {
    fn remove_last(it: &mut Mutant<Self>) -> Result<Node, RouteError> {
        it.remove_first()
    }
}

/// The list is left in another order.
pub(crate) struct RotatesItsList;

impl Fault for RotatesItsList {
    fn remove_last(it: &mut Mutant<Self>) -> Result<Node, RouteError> {
        let members = it.ring.members();
        let last = members.listed().pop().and_then(|slot| members.get(slot));
        let id = last.ok_or(RouteError::NoMembers)?.id().clone();
        let node = it.ring.remove(id.as_str())?;
        if let Ok(first) = it.remove_first() {
            it.ring.add(first)?;
        }
        Ok(node)
    }
}

/// Takes it for granted that somebody is there.
pub(crate) struct RemovesFromNothing;

impl Fault for RemovesFromNothing {
    fn remove_last(it: &mut Mutant<Self>) -> Result<Node, RouteError> {
        let members = it.ring.members();
        let last = members.listed().pop().expect("nobody is left");
        let id = members.get(last).expect("a member").id().clone();
        it.ring.remove(id.as_str())
    }
}

/// Keeps who was there.
pub(crate) struct RebuildsOnTop;

impl Fault for RebuildsOnTop {
    fn rebuild(it: &mut Mutant<Self>, nodes: &[Node]) -> Result<(), RouteError> {
        for node in nodes {
            let _ = it.ring.add(node.clone());
        }
        Ok(())
    }
}

/// Empties itself and then reads the list.
pub(crate) struct ClearsBeforeItRefuses;

impl Fault for ClearsBeforeItRefuses {
    fn rebuild(it: &mut Mutant<Self>, nodes: &[Node]) -> Result<(), RouteError> {
        it.ring.rebuild(&[])?;
        for node in nodes {
            it.ring.add(node.clone())?;
        }
        Ok(())
    }
}

/// Takes a node that is named twice once.
pub(crate) struct RebuildsWithTwins;

impl Fault for RebuildsWithTwins {
    fn rebuild(it: &mut Mutant<Self>, nodes: &[Node]) -> Result<(), RouteError> {
        it.ring.rebuild(&[])?;
        for node in nodes {
            let _ = it.ring.add(node.clone());
        }
        Ok(())
    }
}

/// Sound until the second node leaves.
pub(crate) struct WearsOut;

impl Fault for WearsOut {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        if it.count.get() < 2 {
            return it.ring.route(key);
        }
        let slots: Vec<Slot> = it.members().slots().collect();
        let place = it
            .ring
            .digest(key)
            .value()
            .checked_rem(slots.len() as u64)?;
        slots.get(usize::try_from(place).ok()?).copied()
    }
    fn remove(it: &mut Mutant<Self>, id: &str) -> Result<Node, RouteError> {
        it.turn();
        it.ring.remove(id)
    }
}

/// Who left last decides where keys go.
pub(crate) struct RemembersTheLastLeaver;

impl Fault for RemembersTheLastLeaver {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        let mark = it.count.get().to_le_bytes();
        it.ring.route(&[key, &mark].concat())
    }
    fn remove(it: &mut Mutant<Self>, id: &str) -> Result<Node, RouteError> {
        let slot = it.members().find(id)?;
        it.count.set(slot.index().into());
        it.ring.remove(id)
    }
}

/// The order of listing decides ties and is not in the state.
pub(crate) struct ForgetsItsOrder;

impl Fault for ForgetsItsOrder {
    const BITS: u32 = 8;

    fn state(it: &Mutant<Self>) -> Vec<Node> {
        let members = it.members();
        members
            .by_id()
            .filter_map(|slot| members.get(slot).cloned())
            .collect()
    }
}
