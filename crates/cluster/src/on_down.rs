//! [`OnDown`]: whether a key goes on when its node is down.

use std::ops::ControlFlow;

/// What a pick does when it meets a node that is down. A node that is drained, or in a ramp, is passed over
/// under both: that was planned.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, OnDown, Unavailable};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ()).with_policy(OnDown::FailFast);
/// let home = cluster.load().pick(b"user:1")?.id().clone();
/// cluster.apply(Batch::new().down(home.as_str()))?;
/// assert_eq!(cluster.load().pick(b"user:1").unwrap_err(), Unavailable::Down { id: home });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnDown {
    /// Go on to the next node of the key's order: for caches, and where any node can serve.
    #[default]
    Move,
    /// Say so: for stores, where another node does not have the data.
    FailFast,
}

impl OnDown {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::FailFast => "fail fast",
        }
    }

    /// Whether a walk goes on past a node that is down.
    pub(crate) fn pass(self) -> ControlFlow<()> {
        match self {
            Self::Move => ControlFlow::Continue(()),
            Self::FailFast => ControlFlow::Break(()),
        }
    }
}
