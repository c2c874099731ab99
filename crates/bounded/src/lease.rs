//! [`Lease`]: a load, for as long as it lasts.

use core::fmt;

use keyroute_core::{NodeId, Slot};

use crate::counters::Load;
use crate::{Candidate, Count, SharedCount};

/// A load on a node: it counts until the lease is dropped.
///
/// Dropping it gives the load back, once: on every way out, unwinding included. It borrows nothing
/// from the router, so it can move to another thread (unless the router is
/// [for one](crate::Bounded::for_one_thread)) and outlive a change of members; the load of a
/// node that was removed meanwhile counted no more since then, and giving it back changes nothing.
///
/// ```
/// use keyroute_bounded::{Bounded, Exact};
/// use keyroute_vector_ring::VectorRing;
///
/// let router = Bounded::new(VectorRing::from_ids(["a", "b"])?, Exact::new(250)?);
/// let lease = router.acquire(b"user:1").unwrap();
/// assert_eq!(router.total(), 1);
/// println!("asking {}", lease.node());
/// drop(lease);
/// assert_eq!(router.total(), 0);
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
///
/// It cannot be given back twice:
///
/// ```compile_fail,E0382
/// # use keyroute_bounded::{Bounded, Exact};
/// # use keyroute_vector_ring::VectorRing;
/// # let router = Bounded::new(VectorRing::from_ids(["a"]).unwrap(), Exact::new(250).unwrap());
/// let lease = router.acquire(b"user:1").unwrap();
/// drop(lease);
/// drop(lease);
/// ```
#[must_use = "the load ends where its lease is dropped"]
pub struct Lease<K: Count = SharedCount> {
    node: Load<K, NodeId>,
    slot: Slot,
    load: u64,
    capacity: u64,
    overflow: bool,
}

impl<K: Count> Lease<K> {
    /// A lease of this load, the candidate's `load`-th.
    #[inline]
    pub(crate) fn new(
        (node, load): (Load<K, NodeId>, u64),
        candidate: &Candidate,
        overflow: bool,
    ) -> Self {
        Self {
            node,
            slot: candidate.slot,
            load,
            capacity: candidate.capacity,
            overflow,
        }
    }

    /// The node.
    #[must_use]
    pub fn node(&self) -> &NodeId {
        self.node.beside()
    }

    /// The node's slot when the lease was given. A node that leaves frees its slot for another, and a
    /// rebuilt router numbers its nodes anew: [`node`](Self::node) is what lasts.
    #[inline]
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// How many loads the node held when it took this one, this one included.
    #[must_use]
    pub fn load(&self) -> u64 {
        self.load
    }

    /// The capacity under which the node took it.
    #[must_use]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Whether no node admitted the load, so that [`Overflow`](crate::Overflow) chose this one.
    #[must_use]
    pub fn is_overflow(&self) -> bool {
        self.overflow
    }
}

impl<K: Count> fmt::Debug for Lease<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("node", self.node())
            .field("load", &self.load)
            .field("capacity", &self.capacity)
            .field("overflow", &self.overflow)
            .finish_non_exhaustive()
    }
}
