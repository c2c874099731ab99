//! The collection's ring.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use keyroute_core::{
    AddNode, Description, Explanation, MAX_POINTS, Members, Node, NodeId, RemoveNode, RouteError,
    Router, Slot, SlotSet, Tokens, Walk, Weight,
};
use keyroute_vector_ring::VectorRing;

use super::Hash;

/// How often a taken point is hashed again. The collection tries for ever; so many failures mean that
/// the hashes go in a circle.
const ATTEMPTS: u32 = 1000;

/// `RingEngine`: virtual nodes that give way to those already there.
///
/// Point i of a node is the hash of its name with seed i; a taken point is hashed again until it is free. So
/// no point is shared, but **where a node stands depends on the nodes before it**, and stays so after
/// they leave: the history decides. The first point at or after the key's hash owns it.
///
/// Cost: a change sorts all points anew.
///
/// Source: `consistenthash/ring/RingEngine.java`.
///
/// ```
/// use keyroute_interop::Router;
/// use keyroute_interop::java::{Hash, RingEngine};
///
/// let engine = RingEngine::from_names(Hash::Xx, 1000, ["node-A", "node-B", "node-C"])?;
/// assert_eq!(engine.route_id(b"node-B").unwrap(), "node-B"); // point 0 of a node is its name's hash
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RingEngine {
    hash: Hash,
    virtual_nodes: u32,
    /// The node at each point that is taken.
    taken: BTreeMap<u64, NodeId>,
    ring: VectorRing<Tokens<Hash>>,
}

impl RingEngine {
    /// Nodes with these names, added in this order, of so many points each (1000 by default there).
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for no points, [`RouteError::TooManyPoints`],
    /// [`RouteError::AlreadyMember`], [`RouteError::Unplaceable`] if no free point is found, and as
    /// [`Node::new`].
    pub fn from_names(
        hash: Hash,
        virtual_nodes: u32,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        if virtual_nodes == 0 {
            return Err(RouteError::Parameter {
                name: "virtual nodes",
                given: virtual_nodes.to_string(),
                accepted: "at least 1",
            });
        }
        let mut engine = Self {
            hash,
            virtual_nodes,
            taken: BTreeMap::new(),
            ring: VectorRing::with_scheme(Tokens::new(hash)),
        };
        let nodes: Result<Vec<_>, _> = names.into_iter().map(Node::new).collect();
        let members = Members::from_nodes(nodes?)?;
        let listed = members.listed();
        let nodes: Vec<Node> = listed
            .into_iter()
            .filter_map(|slot| members.get(slot).cloned())
            .collect();
        for node in &nodes {
            engine.take(node.id())?;
        }
        engine.ring = engine.ring_of(nodes)?;
        Ok(engine)
    }

    /// Takes the points of a node that joins.
    fn take(&mut self, id: &NodeId) -> Result<(), RouteError> {
        let points = (self.taken.len() as u64).saturating_add(self.virtual_nodes.into());
        if points > MAX_POINTS {
            return Err(RouteError::TooManyPoints {
                points,
                points_per_weight: Some(self.virtual_nodes),
            });
        }
        for index in 0..self.virtual_nodes {
            let mut point = self.hash.seeded(id.as_bytes(), index);
            let mut attempts = 0;
            while self.taken.contains_key(&point) {
                point = self.hash.number(point, index);
                attempts += 1;
                if attempts == ATTEMPTS {
                    self.taken.retain(|_, owner| owner != id);
                    return Err(RouteError::Unplaceable {
                        id: id.clone(),
                        reason: "finds no free point: give fewer virtual nodes",
                    });
                }
            }
            self.taken.insert(point, id.clone());
        }
        Ok(())
    }

    /// The ring of these nodes at the points taken.
    fn ring_of(&self, nodes: Vec<Node>) -> Result<VectorRing<Tokens<Hash>>, RouteError> {
        let mut points: BTreeMap<&NodeId, Vec<u64>> = BTreeMap::new();
        for (&point, id) in &self.taken {
            points.entry(id).or_default().push(point);
        }
        let mut tokens = Tokens::new(self.hash);
        for (id, points) in points {
            tokens = tokens.with(id.as_str(), points)?;
        }
        VectorRing::from_nodes_with(tokens, nodes)
    }

    fn listed(&self) -> Vec<Node> {
        let members = self.ring.members();
        let listed = members.listed().into_iter();
        listed
            .filter_map(|slot| members.get(slot).cloned())
            .collect()
    }
}

impl Router for RingEngine {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.ring.route(key)
    }

    fn members(&self) -> &Members {
        self.ring.members()
    }

    /// All points are said: the history that gave them is not known otherwise.
    fn describe(&self) -> Description {
        self.ring.describe()
    }

    fn heap_bytes(&self) -> usize {
        // A key, a pointer to an id that it shares with the ring's, and the map's own.
        self.ring.heap_bytes() + self.taken.len() * 32
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.ring.explain_with(key, next)
    }
}

impl Walk for RingEngine {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.ring.walk_with(key, seen, visit);
    }
}

impl AddNode for RingEngine {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.members().check_new(&node)?;
        if node.weight() != Weight::ONE {
            return Err(RouteError::WeightUnsupported {
                id: node.id().clone(),
                weight: node.weight().get(),
                strategy: "the Java collection's ring",
            });
        }
        let id = node.id().clone();
        self.take(&id)?;
        let mut nodes = self.listed();
        nodes.push(node);
        match self.ring_of(nodes) {
            Ok(ring) => self.ring = ring,
            Err(error) => {
                self.taken.retain(|_, owner| *owner != id);
                return Err(error);
            }
        }
        self.members().find(id.as_str())
    }
}

impl RemoveNode for RingEngine {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let node = self.members().node(id)?.clone();
        self.taken.retain(|_, owner| owner != node.id());
        let nodes = self.listed();
        let left = nodes.into_iter().filter(|kept| kept.id() != node.id());
        self.ring = self.ring_of(left.collect())?;
        Ok(node)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::{Hash, RingEngine};

    #[test]
    fn a_taken_point_is_hashed_again_with_its_index() {
        let names: Vec<String> = (0..200).map(|number| format!("node-{number}")).collect();
        let engine = RingEngine::from_names(Hash::Murmur3, 1000, &names).unwrap();
        let mut first: BTreeMap<u64, &String> = BTreeMap::new();
        let mut moved = 0;
        for name in &names {
            for index in 0..1000 {
                let point = Hash::Murmur3.seeded(name.as_bytes(), index);
                if let Some(holder) = first.get(&point) {
                    let again = Hash::Murmur3.number(point, index);
                    assert_eq!(engine.taken[&point].as_str(), holder.as_str());
                    assert_eq!(engine.taken[&again].as_str(), name.as_str());
                    moved += 1;
                } else {
                    first.insert(point, name);
                }
            }
        }
        assert!(moved > 2, "{moved}");
        assert_eq!(engine.taken.len(), 200_000);
    }
}
