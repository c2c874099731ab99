//! [`Loads`]: how the laws of bounded loads ask a router.

use keyroute_core::{NodeId, Router, Slot, Walk};

/// How the laws of bounded loads ask a router of type `R`: implemented by a type of yours, beside the
/// claim.
///
/// ```
/// use keyroute_bounded::{Bounded, Exact, Lease, NodeId, Slot};
/// use keyroute_conformance::{Loads, hold, laws};
/// use keyroute_vector_ring::VectorRing;
///
/// #[derive(Clone, Copy)]
/// struct ByLease;
///
/// impl Loads<Bounded<VectorRing>> for ByLease {
///     type Lease = Lease;
///     type Plain = VectorRing;
///
///     fn plain(router: &Bounded<VectorRing>) -> &VectorRing { router.get_ref() }
///     fn acquire(router: &Bounded<VectorRing>, key: &[u8]) -> Option<Lease> { router.acquire(key) }
///     fn node(lease: &Lease) -> NodeId { lease.node().clone() }
///     fn total(router: &Bounded<VectorRing>) -> u64 { router.total() }
///     fn held(router: &Bounded<VectorRing>, slot: Slot) -> u64 { router.load(slot).unwrap_or(0) }
///     fn capacity(router: &Bounded<VectorRing>, slot: Slot) -> u64 { router.capacity(slot).unwrap_or(0) }
/// }
///
/// hold(
///     |nodes| Ok(Bounded::new(VectorRing::from_nodes(nodes.iter().cloned())?, Exact::new(250)?)),
///     |subject| laws::every_load_finds_a_node(subject, ByLease),
/// );
/// ```
pub trait Loads<R: Router>: Copy {
    /// A load, for as long as it lives.
    type Lease;
    /// The router without bounds.
    type Plain: Walk;

    /// The router without bounds.
    fn plain(router: &R) -> &Self::Plain;

    /// Places a load of this key.
    fn acquire(router: &R, key: &[u8]) -> Option<Self::Lease>;

    /// The node that holds this load.
    fn node(lease: &Self::Lease) -> NodeId;

    /// How many loads there are.
    fn total(router: &R) -> u64;

    /// How many loads the node in this slot holds.
    fn held(router: &R, slot: Slot) -> u64;

    /// How many the node in this slot may hold, if one more load is placed now.
    fn capacity(router: &R, slot: Slot) -> u64;
}
