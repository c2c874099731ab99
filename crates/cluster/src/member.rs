//! [`Member`]: a node as the cluster lists it; [`Listing`]: one to be listed.

use std::fmt;
use std::sync::Arc;

use keyroute_core::{Node, NodeId, Weight, Zone};

use crate::Status;
use crate::tally::{Counter, Fleet};

/// A node as a cluster lists it: id, weight, zone, payload and status.
///
/// The weight may be 0 here: such a member is listed and has its payload, but the router does not know it and
/// it owns nothing.
///
/// ```
/// use keyroute_cluster::{Cluster, Listing, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let drained = Listing::new(Node::new("b")?, "10.0.0.2:80").drained();
/// let listings = [Listing::new(Node::new("a")?, "10.0.0.1:80"), drained];
/// let cluster = Cluster::from_members(VectorRing::new(), listings)?;
///
/// let snapshot = cluster.load();
/// assert_eq!(*snapshot.member("b").unwrap().payload(), "10.0.0.2:80");
/// assert_eq!(snapshot.member("b").unwrap().weight(), 0);
/// assert_eq!(*snapshot.member("a").unwrap().shared_payload(), "10.0.0.1:80"); // an Arc of it
/// assert!(snapshot.router().members().slot_of("b").is_none());
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
pub struct Member<T> {
    pub(crate) id: NodeId,
    pub(crate) weight: u32,
    pub(crate) zone: Option<Zone>,
    pub(crate) payload: Arc<T>,
    pub(crate) status: Status,
    pub(crate) counter: Arc<Counter>,
}

impl<T> Member<T> {
    pub(crate) fn new(listing: &Listing<Arc<T>>, fleet: &Arc<Fleet>) -> Self {
        Self {
            id: listing.id.clone(),
            weight: listing.weight,
            zone: listing.zone.clone(),
            payload: Arc::clone(&listing.payload),
            status: Status::default(),
            counter: Arc::new(Counter::new(fleet)),
        }
    }

    /// Its identity.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// Its weight; 0 if it shall own nothing.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Its zone, if it has one.
    #[must_use]
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// What the caller attached to it: an address, a pool of connections.
    #[must_use]
    pub fn payload(&self) -> &T {
        &self.payload
    }

    /// The payload, to keep beyond the snapshot.
    #[must_use]
    pub fn shared_payload(&self) -> Arc<T> {
        Arc::clone(&self.payload)
    }

    /// Whether it may be given keys now.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// How many [leases](crate::Lease) it holds.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.counter.load.held()
    }

    /// The node that the router is given; `None` at weight 0.
    pub(crate) fn node(&self) -> Option<Node> {
        let node = Node::from(self.id.clone()).with_weight(Weight::new(self.weight).ok()?);
        Some(match &self.zone {
            Some(zone) => node.with_zone(zone.clone()),
            None => node,
        })
    }

    /// Of its keys how many it may take: its weight, and of these the share, in 2^32 parts.
    pub(crate) fn strength(&self) -> (u32, u64) {
        (self.weight, self.status.share())
    }
}

// Not derived: that would ask it of the payload.
impl<T> Clone for Member<T> {
    fn clone(&self) -> Self {
        Self {
            id: self.id.clone(),
            weight: self.weight,
            zone: self.zone.clone(),
            payload: Arc::clone(&self.payload),
            status: self.status,
            counter: Arc::clone(&self.counter),
        }
    }
}

/// Shows all but the payload.
impl<T> fmt::Debug for Member<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("id", &self.id)
            .field("weight", &self.weight)
            .field("zone", &self.zone)
            .field("status", &format_args!("{}", self.status))
            .finish_non_exhaustive()
    }
}

/// A node to be listed, and its payload. A pair of both is one too.
///
/// [`Member`] shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing<T> {
    pub(crate) id: NodeId,
    pub(crate) weight: u32,
    pub(crate) zone: Option<Zone>,
    pub(crate) payload: T,
}

impl<T> Listing<T> {
    /// This node with this payload.
    #[must_use]
    pub fn new(node: Node, payload: T) -> Self {
        Self {
            weight: node.weight().get(),
            zone: node.zone().cloned(),
            id: node.id().clone(),
            payload,
        }
    }

    /// The same with weight 0: listed, but it owns nothing, as in a fleet file. That is a matter of its weight: its
    /// [`Status`] is not drained, and [`Batch::reweight`](crate::Batch::reweight) puts it in service, not `undrain`.
    #[must_use]
    pub fn drained(self) -> Self {
        Self { weight: 0, ..self }
    }

    pub(crate) fn shared(self) -> Listing<Arc<T>> {
        Listing {
            id: self.id,
            weight: self.weight,
            zone: self.zone,
            payload: Arc::new(self.payload),
        }
    }
}

impl<T> From<(Node, T)> for Listing<T> {
    fn from((node, payload): (Node, T)) -> Self {
        Self::new(node, payload)
    }
}
