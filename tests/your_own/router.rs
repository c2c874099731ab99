//! Highest random weight (Thaler and Ravishankar, 1996), as somebody else might write it: it knows the
//! crate `keyroute` and nothing inside it.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use keyroute::hash::Xxh3;
use keyroute::{
    AddNode, Description, KeyHasher, MemberOrder, Members, Node, NodeId, OrderFree, Rebuild,
    RemoveNode, RouteError, Router, Slot, SlotSet, Walk, Weight,
};

/// Every node scores every key; the highest score owns it.
pub(crate) struct Rendezvous {
    members: Members,
    cut: fn(u64) -> u64,
}

impl Rendezvous {
    pub(crate) fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::scored_by(|score| score, nodes)
    }

    /// With scores changed by this function.
    pub(crate) fn scored_by(
        cut: fn(u64) -> u64,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut router = Self {
            members: Members::new(),
            cut,
        };
        for node in nodes {
            router.add(node)?;
        }
        Ok(router)
    }

    /// The higher the better; equal scores are settled by id.
    fn score(&self, key: &[u8], id: &NodeId) -> (u64, Reverse<NodeId>) {
        // The id's length keeps (id, key) apart from another pair whose bytes together are the same.
        let length = (id.as_bytes().len() as u64).to_le_bytes();
        let score = Xxh3.hash(&[&length, id.as_bytes(), key].concat());
        ((self.cut)(score), Reverse(id.clone()))
    }

    fn best(&self, key: &[u8], seen: &SlotSet) -> Option<Slot> {
        let left = self
            .members
            .iter()
            .filter(|&(slot, _)| !seen.contains(slot));
        let best = left.max_by_key(|(_, node)| self.score(key, node.id()));
        best.map(|(slot, _)| slot)
    }
}

impl Router for Rendezvous {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.best(key, &SlotSet::new())
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("somebody/rendezvous/1", MemberOrder::ById);
        description.hasher("hasher", &Xxh3);
        description.field("cut of u64::MAX", (self.cut)(u64::MAX));
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes()
    }
}

impl AddNode for Rendezvous {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        if node.weight() != Weight::ONE {
            return Err(RouteError::WeightUnsupported {
                id: node.id().clone(),
                weight: node.weight().get(),
                strategy: "somebody's rendezvous",
            });
        }
        self.members.add(node)
    }
}

impl RemoveNode for Rendezvous {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.members.remove(id).map(|(_, node)| node)
    }
}

impl Rebuild for Rendezvous {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        *self = Self::scored_by(self.cut, nodes.iter().cloned())?;
        Ok(())
    }
}

impl Walk for Rendezvous {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        while let Some(slot) = self.best(key, seen) {
            seen.insert(slot);
            if visit(slot).is_break() {
                return;
            }
        }
    }
}

impl OrderFree for Rendezvous {}
