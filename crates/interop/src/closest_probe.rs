//! [`ClosestProbe`]: the router of systems that ask from several positions and take the closest point.

use alloc::vec::Vec;
use core::fmt;

use keyroute_core::{
    AddNode, Description, Edge, Explanation, HashValue, LastListed, MemberOrder, Members, Node,
    Place, PointPlace, PointTable, ProbeDistance, ProbePlace, Rebuild, RemoveNode, RouteError,
    Router, Slot, TieOrder, Weight, closest, closest_probe,
};
use keyroute_vector_ring::SortedPoints;

/// How a system places nodes and asks for keys.
pub trait Probing {
    /// The preset's name and revision.
    const NAME: &'static str;
    /// How it measures how close a point is.
    const DISTANCE: ProbeDistance;

    /// The one point of a node.
    fn point(&self, id: &[u8]) -> u64;

    /// The positions to ask from, in order.
    fn probes(&self, key: &[u8]) -> impl Iterator<Item = u64>;

    /// Says what decides an answer.
    fn describe(&self, to: &mut Description);
}

/// Multi-probe hashing as other systems do it: one point a node, several probes a key, each finds the first
/// point strictly ahead, and the closest wins; of equally close ones that of the earlier probe. Their
/// probes are not ours, so neither are their answers; natively take
/// [`MultiProbe`](https://docs.rs/keyroute-multi-probe).
///
/// Nodes have no weights; of two on one point the one listed later serves it. Cost: a lookup is a search a
/// probe; adding and removing are O(n) moves.
#[derive(Clone)]
pub struct ClosestProbe<P> {
    probing: P,
    members: Members,
    points: SortedPoints<u64>,
}

impl<P: Probing> ClosestProbe<P> {
    /// These nodes, under this way of asking.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::WeightUnsupported`], [`RouteError::TooManyNodes`].
    pub fn new(probing: P, nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        let nodes: Vec<Node> = nodes.into_iter().collect();
        for node in &nodes {
            unweighted::<P>(node)?;
        }
        let members = Members::from_nodes(nodes)?;
        let points = members
            .iter()
            .map(|(slot, node)| (probing.point(node.id().as_bytes()), slot))
            .collect();
        let mut table = SortedPoints::default();
        table.insert(points, &|a, b| LastListed::cmp(&members, a, b));
        Ok(Self {
            probing,
            members,
            points: table,
        })
    }
}

fn unweighted<P: Probing>(node: &Node) -> Result<(), RouteError> {
    if node.weight() == Weight::ONE {
        return Ok(());
    }
    Err(RouteError::WeightUnsupported {
        id: node.id().clone(),
        weight: node.weight().get(),
        strategy: P::NAME,
    })
}

impl<P: Probing> Router for ClosestProbe<P> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        let probes = self.probing.probes(key);
        closest(&self.points, probes, Edge::Exclusive, P::DISTANCE).map(|(_, slot)| slot)
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new(P::NAME, MemberOrder::Listed);
        self.probing.describe(&mut description);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.points.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let why = Explanation::of(self, key);
        let probes = self.probing.probes(key);
        let place =
            closest_probe(&self.points, probes, Edge::Exclusive, P::DISTANCE).and_then(|probed| {
                let ties = LastListed::NAME;
                let point = PointPlace::on_ring(&self.points, &self.members, ties, probed.point)?;
                Some(Place::Probe(ProbePlace {
                    number: probed.number,
                    of: probed.of,
                    position: HashValue::of(probed.at),
                    distance: HashValue::of(probed.distance),
                    point,
                }))
            });
        why.placed(place.unwrap_or_default())
    }
}

impl<P: Probing> AddNode for ClosestProbe<P> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        unweighted::<P>(&node)?;
        let point = self.probing.point(node.id().as_bytes());
        let slot = self.members.add(node)?;
        let members = &self.members;
        self.points.insert(alloc::vec![(point, slot)], &|a, b| {
            LastListed::cmp(members, a, b)
        });
        Ok(slot)
    }
}

impl<P: Probing> RemoveNode for ClosestProbe<P> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let (slot, node) = self.members.remove(id)?;
        let point = self.probing.point(node.id().as_bytes());
        self.points.remove(slot, &[point]);
        Ok(node)
    }
}

impl<P: Probing + Clone> Rebuild for ClosestProbe<P> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        *self = Self::new(self.probing.clone(), nodes.iter().cloned())?;
        Ok(())
    }
}

impl<P: Probing> fmt::Debug for ClosestProbe<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClosestProbe")
            .field("probing", &P::NAME)
            .field("members", &self.members)
            .finish()
    }
}
