//! `seed001-bounded`: the Go article's bounded loads.

use alloc::collections::BTreeMap;
use core::ops::ControlFlow;

use keyroute_bounded::{CapacityRule, Demand, TruncatedAverage};
use keyroute_core::{KeyHasher, Node, NodeId, RouteError, Slot, Walk};
use keyroute_vector_ring::VectorRing;

use super::ArticleRing;

/// The Go article's `RouteBounded`, over its [`ArticleRing`]: a key goes to the first node, from its point on, that
/// holds less than [`TruncatedAverage`] allows of the loads so far.
///
/// Loads only grow: nothing is released. **A node that leaves keeps its load**, which stays in the total and so
/// raises the others' capacity, and resumes it when it comes back. That is what
/// [`Bounded`](keyroute_bounded::Bounded) does not do.
///
/// Cost: a placement walks past the nodes that are full. Memory: a number for each node that ever took a
/// load.
///
/// Source: the article's code.
///
/// ```
/// use keyroute_interop::{hash::Crc32, seeds::RouteBounded};
///
/// let mut ring = RouteBounded::new(Crc32, 150, ["node-A", "node-B", "node-C", "node-D"], 0.25)?;
/// let mut taken = String::new();
/// for i in 0..12 {
///     let key = format!("user:{i}:session");
///     taken += &ring.route_bounded(key.as_bytes())?.as_str()["node-".len()..];
/// }
/// assert_eq!(taken, "BACDCADBCDAB");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RouteBounded<H: KeyHasher> {
    ring: VectorRing<ArticleRing<H>>,
    rule: TruncatedAverage,
    loads: BTreeMap<NodeId, u64>,
    total: u64,
}

impl<H: KeyHasher> RouteBounded<H> {
    /// Nodes with these names, of so many points each, without loads.
    ///
    /// # Errors
    ///
    /// As [`Labels::ring`](crate::Labels::ring) and [`TruncatedAverage::new`].
    pub fn new(
        hasher: H,
        points: u32,
        names: impl IntoIterator<Item = impl AsRef<str>>,
        epsilon: f64,
    ) -> Result<Self, RouteError> {
        Ok(Self {
            ring: ArticleRing::ring(hasher, points, names)?,
            rule: TruncatedAverage::new(epsilon)?,
            loads: BTreeMap::new(),
            total: 0,
        })
    }

    /// Places a load of this key and counts it.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`] without nodes: the original divides by zero.
    pub fn route_bounded(&mut self, key: &[u8]) -> Result<&NodeId, RouteError> {
        let members = self.ring.members();
        let nodes = members.len() as u64;
        let demand = Demand::new(self.total, nodes, 1, nodes);
        let capacity = self.rule.capacity(&demand);
        let mut taker: Option<Slot> = None;
        self.ring.walk(key, &mut |slot| {
            let id = members.get(slot).map(Node::id);
            if id.is_some_and(|id| self.load(id.as_str()) < capacity) {
                taker = Some(slot);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        // Some node always holds less than the rule gives: loads of nodes that left only raise it.
        let taker = taker.and_then(|slot| members.get(slot));
        let id = taker.ok_or(RouteError::NoMembers)?.id();
        *self.loads.entry(id.clone()).or_default() += 1;
        self.total += 1;
        Ok(id)
    }

    /// The load of a node, present or not.
    #[must_use]
    pub fn load(&self, node: &str) -> u64 {
        self.loads.get(node).copied().unwrap_or(0)
    }

    /// The loads of all nodes that ever took one.
    pub fn loads(&self) -> impl Iterator<Item = (&NodeId, u64)> {
        self.loads.iter().map(|(id, &load)| (id, load))
    }

    /// All loads together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The ring, which says where a key begins.
    #[must_use]
    pub fn ring(&self) -> &VectorRing<ArticleRing<H>> {
        &self.ring
    }

    /// The ring, to add nodes to and to remove them from: loads stay.
    pub fn ring_mut(&mut self) -> &mut VectorRing<ArticleRing<H>> {
        &mut self.ring
    }
}
