//! [`Terms`]: how nodes come and go when a whole list is set.

use std::time::Duration;

use crate::Ramp;

/// How nodes come and go when [`set_members`](crate::Cluster::set_members) finds a difference: at once unless
/// said.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_cluster::{Cluster, Node, Ramp, Terms};
/// use keyroute_vector_ring::VectorRing;
///
/// let minute = Duration::from_secs(60);
/// let terms = Terms::at_once().with_grace(minute).with_ramp(Ramp::new(minute, 10)?);
/// let cluster = Cluster::from_members(VectorRing::new(), [(Node::new("a")?, 1), (Node::new("b")?, 2)])?;
///
/// // Discovery lost sight of `b`, which stays for a minute, and found `c`, which starts slowly.
/// cluster.set_members([(Node::new("a")?, 1), (Node::new("c")?, 3)], terms)?;
/// let snapshot = cluster.load();
/// assert!(snapshot.member("b").unwrap().status().is_leaving());
/// assert!(snapshot.member("c").unwrap().status().ramp().is_some());
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    pub(crate) grace: Duration,
    pub(crate) ramp: Option<Ramp>,
}

impl Terms {
    /// Nodes that are missing leave at once, newcomers take all their keys at once.
    #[must_use]
    pub fn at_once() -> Self {
        Self::default()
    }

    /// Nodes that are missing stay for this long, as by [`Batch::leave`](crate::Batch::leave); one that is
    /// listed again within it never left.
    #[must_use]
    pub fn with_grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Newcomers start slowly, unless the cluster has no members yet.
    #[must_use]
    pub fn with_ramp(self, ramp: Ramp) -> Self {
        Self {
            ramp: Some(ramp),
            ..self
        }
    }
}
