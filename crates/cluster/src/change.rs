//! [`Change`]: what a cluster's change changed.

use std::fmt;
use std::time::Duration;

use keyroute_core::NodeId;

use crate::differences::Differences;
use crate::{Movement, Status};

/// What one change of a cluster changed: from which epoch to which, of which members what, and how many keys
/// moved.
///
/// Lists are in the order of ids. `Display` tells it in one line.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
/// let change = cluster.apply(Batch::new().add(Node::new("c")?, ()).reweight("a", 2).down("b"))?.unwrap();
///
/// assert_eq!(change.added(), ["c"]);
/// assert_eq!(change.reweighted()[0].after, 2);
/// assert!(change.statuses()[0].after.is_down());
/// assert!(change.rebuilt() && change.movement().needless() == 0);
/// assert!(change.removed().is_empty() && change.rezoned().is_empty() && change.payloads().is_empty());
/// println!("{change}"); // epoch 1: 1 added, 1 reweighted, 1 status; 68.3 % of 4096 sample keys moved, …
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Change {
    pub(crate) before: u64,
    pub(crate) rebuilt: bool,
    pub(crate) differences: Differences,
    pub(crate) movement: Movement,
    pub(crate) rebuild_time: Duration,
    pub(crate) time: Duration,
}

impl Change {
    /// The epoch before.
    #[must_use]
    pub fn before(&self) -> u64 {
        self.before
    }

    /// The epoch after: one more. A subscriber whose next change does not begin where the last one ended was
    /// too slow, and has missed what lies between.
    #[must_use]
    pub fn after(&self) -> u64 {
        self.before + 1
    }

    /// Whether the router was made anew. Health, ramps and payloads do not ask for it.
    #[must_use]
    pub fn rebuilt(&self) -> bool {
        self.rebuilt
    }

    /// Who joined.
    #[must_use]
    pub fn added(&self) -> &[NodeId] {
        &self.differences.added
    }

    /// Who left.
    #[must_use]
    pub fn removed(&self) -> &[NodeId] {
        &self.differences.removed
    }

    /// Whose weight changed.
    #[must_use]
    pub fn reweighted(&self) -> &[Reweighted] {
        &self.differences.reweighted
    }

    /// Whose zone changed.
    #[must_use]
    pub fn rezoned(&self) -> &[NodeId] {
        &self.differences.rezoned
    }

    /// Whose payload changed, among those who stayed.
    #[must_use]
    pub fn payloads(&self) -> &[NodeId] {
        &self.differences.payloads
    }

    /// Whose status changed, among those who stayed: health, drain, ramp, leaving.
    #[must_use]
    pub fn statuses(&self) -> &[StatusChange] {
        &self.differences.statuses
    }

    /// How many keys moved.
    #[must_use]
    pub fn movement(&self) -> Movement {
        self.movement
    }

    /// How long the router took to be made; zero if it was [not made anew](Self::rebuilt).
    ///
    /// This and [`time`](Self::time) are read off the system's clock to be told: no answer depends on them. On
    /// `wasm32-unknown-unknown`, which has no clock, both are zero.
    #[must_use]
    pub fn rebuild_time(&self) -> Duration {
        self.rebuild_time
    }

    /// How long the whole change took, from the list's lock to the swap: finding what differs, making the router, asking
    /// the sample. Not the wait for the lock, nor what subscribers take.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let change = cluster.apply(Batch::new().reweight("a", 2))?.unwrap();
    /// println!("{:?}, {:?} of it for the ring", change.time(), change.rebuild_time());
    /// assert!(change.rebuild_time() <= change.time());
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn time(&self) -> Duration {
        self.time
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "epoch {}: ", self.after())?;
        let all = &self.differences;
        let counts = [
            (all.added.len(), "added"),
            (all.removed.len(), "removed"),
            (all.reweighted.len(), "reweighted"),
            (all.rezoned.len(), "rezoned"),
            (all.payloads.len(), "payload"),
            (all.statuses.len(), "status"),
            (usize::from(all.are_none()), "relisted"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        write!(f, "{}; {}", told.join(", "), self.movement)
    }
}

/// A weight that changed.
///
/// [`Change`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reweighted {
    /// The node.
    pub id: NodeId,
    /// Its weight before; 0 if it owned nothing.
    pub before: u32,
    /// Its weight now.
    pub after: u32,
}

/// A status that changed.
///
/// [`Change`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StatusChange {
    /// The node.
    pub id: NodeId,
    /// Its status before.
    pub before: Status,
    /// Its status now.
    pub after: Status,
}
