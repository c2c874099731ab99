//! [`Lease`]: a load on a member, for as long as it lasts.

use std::fmt;
use std::sync::Arc;

use keyroute_bounded::SharedCount;
use keyroute_bounded::counters::Load;
use keyroute_core::NodeId;

use crate::Member;
use crate::tally::Tally;

/// A load on a member of a cluster: it counts until the lease is dropped.
///
/// Dropping it gives the load back, once: on every way out, unwinding included. It borrows nothing, so it can move to
/// another thread or task, outlive the snapshot it was taken from, its member and the cluster. The load of a member that
/// left meanwhile counted no more since then, and giving it back changes nothing.
///
/// The member is the one of the snapshot that gave the lease, with the payload that it had then.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Exact};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |node| format!("{}:80", node.id()))
///     .with_bound(Exact::new(250)?);
/// let lease = cluster.acquire(b"user:1")?;
/// assert!(lease.is_home() && !lease.is_overflow());
/// assert_eq!((lease.load(), lease.capacity(), lease.tried()), (1, Some(1), 1));
/// println!("asking {} at {}", lease.id(), lease.payload());
///
/// cluster.apply(Batch::new().remove(lease.id().as_str()))?; // its load leaves the total
/// assert_eq!(cluster.stats().total(), 0);
/// let id = lease.id().clone();
/// std::thread::spawn(move || drop(lease)).join().unwrap(); // and ending it changes nothing
/// assert_eq!(cluster.stats().total(), 0);
/// assert!(cluster.load().member(id.as_str()).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the load ends where its lease is dropped"]
pub struct Lease<T> {
    // First, so that the load ends before what it is a load of.
    _load: Load<SharedCount, Tally>,
    pub(crate) member: Arc<Member<T>>,
    pub(crate) held: u64,
    pub(crate) capacity: Option<u64>,
    pub(crate) tried: u32,
    pub(crate) home: bool,
    pub(crate) overflow: bool,
}

impl<T> Lease<T> {
    /// A lease of this load, the member's `held`-th, given by the `tried`-th node that was asked.
    #[inline]
    pub(crate) fn new(
        (load, held): (Load<SharedCount, Tally>, u64),
        member: &Arc<Member<T>>,
        capacity: Option<u64>,
        tried: u32,
        home: bool,
    ) -> Self {
        load.beside().count(home, tried);
        Self {
            _load: load,
            member: Arc::clone(member),
            held,
            capacity,
            tried,
            home,
            overflow: false,
        }
    }

    /// The member's id.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        &self.member.id
    }

    /// The member's payload.
    #[inline]
    #[must_use]
    pub fn payload(&self) -> &T {
        &self.member.payload
    }

    /// The whole member.
    #[must_use]
    pub fn member(&self) -> &Member<T> {
        &self.member
    }

    /// Whether it is the key's owner, as if all nodes were up and idle.
    #[must_use]
    pub fn is_home(&self) -> bool {
        self.home
    }

    /// How many leases the member held when it took this one, this one included.
    #[must_use]
    pub fn load(&self) -> u64 {
        self.held
    }

    /// The capacity under which the member took it; `None` in a cluster without a bound.
    #[must_use]
    pub fn capacity(&self) -> Option<u64> {
        self.capacity
    }

    /// How many times a node was asked for its count until this one took the load: 1 while the first that admits the
    /// key is below its capacity. Nodes that are down, and others that admit the key not, are not asked.
    #[must_use]
    pub fn tried(&self) -> u32 {
        self.tried
    }

    /// Whether each node was found full, again and again while others took and gave back, so that this one had to take
    /// it: the one that held least for its weight.
    #[must_use]
    pub fn is_overflow(&self) -> bool {
        self.overflow
    }
}

/// Shows all but the payload.
impl<T> fmt::Debug for Lease<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("id", self.id())
            .field("home", &self.home)
            .field("load", &self.held)
            .field("capacity", &self.capacity)
            .field("tried", &self.tried)
            .field("overflow", &self.overflow)
            .finish_non_exhaustive()
    }
}
