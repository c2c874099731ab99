//! [`Unavailable`]: why no node was picked.

use std::error::Error;
use std::fmt;

use keyroute_core::NodeId;

/// Why no node was picked.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Unavailable};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
/// cluster.apply(Batch::new().down("a").drain("b"))?;
/// let none = cluster.load().pick(b"user:1").unwrap_err();
/// assert_eq!(none, Unavailable::NoneAdmits { nodes: 2 });
/// assert_eq!(none.to_string(), "each of 2 nodes was tried, all are down or drained: bring one back, or add one");
///
/// cluster.apply(Batch::new().remove("a").remove("b"))?;
/// assert_eq!(cluster.load().pick(b"user:1").unwrap_err(), Unavailable::NoOwner);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unavailable {
    /// The key has no owner: there are no members, or a preset refuses it.
    NoOwner,
    /// The key's node is down, and the policy is [`OnDown::FailFast`](crate::OnDown::FailFast).
    Down {
        /// The node.
        id: NodeId,
    },
    /// Every node was tried once.
    NoneAdmits {
        /// How many there are.
        nodes: usize,
    },
    /// As many leases were forgotten, or are held, as can be counted: no [lease](crate::Snapshot::acquire) is given.
    TooManyLeases {
        /// The most there may be.
        limit: u64,
    },
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoOwner => write!(
                f,
                "the key has no owner: add a node, or give a key that the router does not refuse"
            ),
            Self::Down { id } => write!(
                f,
                "node {id:?} is down, and the policy is to fail: wait for it, or set OnDown::Move"
            ),
            Self::NoneAdmits { nodes } => write!(
                f,
                "each of {nodes} nodes was tried, all are down or drained: bring one back, or add one"
            ),
            Self::TooManyLeases { limit } => {
                write!(f, "{limit} leases are held: drop those that are forgotten")
            }
        }
    }
}

impl Error for Unavailable {}
