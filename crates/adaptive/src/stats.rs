//! [`Stats`]: who had which share of the requests.

use alloc::vec::Vec;

use keyroute_core::NodeId;

/// Each node's share of the requests, nodes without one included; empty before the first request.
///
/// [`LoadCounters`](crate::LoadCounters) shows one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    nodes: Vec<NodeStat>,
    total: u64,
}

/// The requests of one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeStat {
    /// The node.
    pub id: NodeId,
    /// How many requests it had.
    pub requests: u64,
}

impl Stats {
    /// `nodes` by id.
    pub(crate) fn new(nodes: impl Iterator<Item = NodeStat>) -> Self {
        let nodes: Vec<NodeStat> = nodes.collect();
        let total = nodes
            .iter()
            .fold(0, |sum: u64, node| sum.saturating_add(node.requests));
        if total == 0 {
            return Self::default();
        }
        Self { nodes, total }
    }

    /// Whether there was no request.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The requests of all nodes together.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The requests of each node, by id.
    #[must_use]
    pub fn nodes(&self) -> &[NodeStat] {
        &self.nodes
    }

    /// The node's share, 0 to 1; `None` of a stranger, and of all before the first request. O(log n).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn share(&self, id: &str) -> Option<f64> {
        let at = self
            .nodes
            .binary_search_by(|node| node.id.as_str().cmp(id))
            .ok()?;
        Some(self.nodes[at].requests as f64 / self.total as f64)
    }
}
