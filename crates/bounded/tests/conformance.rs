//! The laws of its strategy, which an idle router keeps, and those of loads.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_bounded::{Bounded, CapacityRule, Exact, Lease, NodeId, Slot, TruncatedAverage};
use keyroute_conformance::{Loads, laws};
use keyroute_vector_ring::VectorRing;

/// How the laws of loads ask it.
#[derive(Clone, Copy)]
struct ByLease;

impl<C: CapacityRule> Loads<Bounded<VectorRing, C>> for ByLease {
    type Lease = Lease;
    type Plain = VectorRing;

    fn plain(router: &Bounded<VectorRing, C>) -> &VectorRing {
        router.get_ref()
    }
    fn acquire(router: &Bounded<VectorRing, C>, key: &[u8]) -> Option<Lease> {
        router.acquire(key)
    }
    fn node(lease: &Lease) -> NodeId {
        lease.node().clone()
    }
    fn total(router: &Bounded<VectorRing, C>) -> u64 {
        router.total()
    }
    fn held(router: &Bounded<VectorRing, C>, slot: Slot) -> u64 {
        router.load(slot).unwrap()
    }
    fn capacity(router: &Bounded<VectorRing, C>, slot: Slot) -> u64 {
        router.capacity(slot).unwrap()
    }
}

laws! {
    idle: |nodes| {
        let ring = VectorRing::from_nodes(nodes.iter().cloned())?;
        Ok(Bounded::new(ring, Exact::new(250)?))
    },
    keeps [
        lookup, order_free, growth, removal, remove_then_add_is_the_identity, rebuilding, weights,
        changes_undone_last_first_leave_no_trace, bounded(ByLease),
        balances_as_a_ring(160), shares_follow_the_weights(160), every_node_owns_something,
    ],

    // The tightest rule, which ignores weights.
    idle_and_tight: |nodes| {
        let ring = VectorRing::from_nodes(nodes.iter().cloned())?;
        Ok(Bounded::new(ring, TruncatedAverage::new(0.0)?))
    },
    keeps [
        lookup, order_free, growth, removal, rebuilding, weights,
        // It rounds down, so that a node may have to take more than its capacity.
        a_load_passes_only_full_nodes(ByLease), every_load_finds_a_node(ByLease),
        idle_it_answers_as_the_plain_router(ByLease), the_loads_are_the_leases_alive(ByLease),
        the_loads_of_a_leaver_leave_with_it(ByLease),
    ],
}
