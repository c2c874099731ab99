//! [`Strengths`]: which moves a change needed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use keyroute_core::{Node, NodeId};

/// How each node's weight now compares with its weight before; who was not there had none.
pub(crate) struct Strengths(BTreeMap<NodeId, (u32, u32)>);

impl Strengths {
    pub(crate) fn between<'a>(
        before: impl IntoIterator<Item = &'a Node>,
        after: impl IntoIterator<Item = &'a Node>,
    ) -> Self {
        let mut weights: BTreeMap<NodeId, (u32, u32)> = BTreeMap::new();
        for node in before {
            weights.entry(node.id().clone()).or_default().0 = node.weight().get();
        }
        for node in after {
            weights.entry(node.id().clone()).or_default().1 = node.weight().get();
        }
        Self(weights)
    }

    /// Whether the node joined or gained weight: what goes to it had to.
    pub(crate) fn gained(&self, id: &NodeId) -> bool {
        self.compare(id) == Some(Ordering::Greater)
    }

    /// Whether the node left or lost weight: what leaves it had to.
    pub(crate) fn lost(&self, id: &NodeId) -> bool {
        self.compare(id) == Some(Ordering::Less)
    }

    /// Whether the node is there after the change.
    pub(crate) fn stays(&self, id: &NodeId) -> bool {
        self.0.get(id).is_some_and(|&(_, now)| now > 0)
    }

    fn compare(&self, id: &NodeId) -> Option<Ordering> {
        self.0.get(id).map(|(before, now)| now.cmp(before))
    }
}
