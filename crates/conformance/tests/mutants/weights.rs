//! Faults of weights.

use std::cmp::Ordering;

use keyroute_core::hash::Xxh3;
use keyroute_core::{
    AtOrAfter, ById, KeyHasher, Members, Node, PointScheme, PointTable, Position, Ring, RouteError,
    Router, Scheme, Slot, Weight,
};
use keyroute_vector_ring::SortedPoints;

use crate::fault::{Fault, Made, Mutant, Wrong};
use crate::tables::{CutRing, TableFault};

/// Point j depends on the weight.
#[derive(Debug)]
pub(crate) struct Weighed;

impl Scheme for Weighed {
    type Position = u64;
    type Hasher = Xxh3;
    type Lookup = AtOrAfter;
    type Ties = ById;

    fn hasher(&self) -> &Xxh3 {
        &Xxh3
    }
    fn name(&self) -> &'static str {
        "ring/weighed/1"
    }
    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }
    fn fleet_points(&self, members: &Members) -> Result<Vec<(u64, Slot)>, RouteError> {
        self.points_of_each(members)
    }
}

impl PointScheme for Weighed {
    fn points(&self, node: &Node) -> Result<Vec<u64>, RouteError> {
        let weight = node.weight().get();
        let label = |index| format!("{}/{weight}/{index}", node.id());
        let labels = (0..16 * weight).map(label);
        Ok(labels.map(|label| Xxh3.hash(label.as_bytes())).collect())
    }
    fn count_of(&self, node: &Node) -> u64 {
        16 * u64::from(node.weight().get())
    }
}

impl Made for Ring<Weighed, SortedPoints<u64>> {
    fn made(nodes: &[Node]) -> Result<Self, RouteError> {
        Self::from_nodes(Weighed, nodes.iter().cloned())
    }
}

pub(crate) struct WeightInTheLabel;

impl Wrong for WeightInTheLabel {
    type Router = Ring<Weighed, SortedPoints<u64>>;
}

/// Takes from another what it gives to one, as a ring of a fixed size does.
pub(crate) struct MakesRoom;

impl Fault for MakesRoom {
    fn reweight(it: &mut Mutant<Self>, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let members = it.ring.members();
        let mut nodes = members.iter().map(|(_, node)| node.clone());
        let other = nodes.find(|node| node.id().as_str() != id);
        drop(nodes);
        if let Some(other) = other {
            it.ring
                .reweight(other.id().as_str(), Weight::new(other.weight().get() + 3)?)?;
        }
        it.ring.reweight(id, weight)
    }
}

/// What is in the table stays there.
pub(crate) struct Frozen;

impl TableFault for Frozen {
    fn insert<P: Position>(
        points: &mut SortedPoints<P>,
        new: Vec<(P, Slot)>,
        ties: &dyn Fn(Slot, Slot) -> Ordering,
    ) {
        if points.is_empty() {
            points.insert(new, ties);
        }
    }
    fn remove<P: Position>(_points: &mut SortedPoints<P>, _slot: Slot, _positions: &[P]) {}
}

pub(crate) struct KeepsItsPoints;

impl Wrong for KeepsItsPoints {
    type Router = CutRing<Frozen>;
}

/// The weight after, not the one before.
pub(crate) struct SaysTheNewWeight;

impl Fault for SaysTheNewWeight {
    fn reweight(it: &mut Mutant<Self>, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        it.ring.reweight(id, weight).map(|_| weight)
    }
}

/// Points are added and never taken.
pub(crate) struct OnlyGrows;

impl Fault for OnlyGrows {
    fn reweight(it: &mut Mutant<Self>, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let old = it.members().node(id)?.weight();
        it.ring.reweight(id, weight.max(old))
    }
}

/// The same weight again is one more.
pub(crate) struct AddsToItself;

impl Fault for AddsToItself {
    fn reweight(it: &mut Mutant<Self>, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let old = it.members().node(id)?.weight();
        let more = u32::from(weight == old);
        it.ring.reweight(id, Weight::new(weight.get() + more)?)
    }
}

/// Setting is adding.
pub(crate) struct AddsStrangers;

impl Fault for AddsStrangers {
    fn reweight(it: &mut Mutant<Self>, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        if it.members().find(id).is_err()
            && let Ok(node) = Node::new(id)
        {
            it.ring.add(node.with_weight(weight))?;
            return Ok(weight);
        }
        it.ring.reweight(id, weight)
    }
}
