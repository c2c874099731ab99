//! The article's bounded loads, and ours in the same situations. The bounded crate has its own tests;
//! these are the article's rows.

use keyroute::hash::Crc32;
use keyroute::{
    Bounded, CapacityRule, Demand, Exact, LastListed, Lease, RouteError, TruncatedAverage,
    VectorRing,
};
use keyroute_tests::{labelled_ring, node, sessions};

const NODES: [&str; 4] = ["node-A", "node-B", "node-C", "node-D"];

fn exact(thousandths: u32) -> Exact {
    Exact::new(thousandths).unwrap_or_else(|error| panic!("{error}"))
}

/// B1: the original divides by zero, since it asks for members too late.
#[test]
fn an_empty_router_gives_no_lease() {
    let mut router = Bounded::new(VectorRing::new(), exact(250));
    assert!(router.acquire(b"k").is_none());
    router.add(node("a", 1)).unwrap();
    assert!(router.acquire(b"k").is_some());
    router.remove("a").unwrap();
    assert!(router.acquire(b"k").is_none());
    assert_eq!(router.total(), 0);
}

/// B3: under such an ε the original sends all keys to one node and counts none.
#[test]
fn an_epsilon_that_admits_nobody_is_refused() {
    let refused = |error: RouteError| matches!(error, RouteError::Parameter { .. });
    for epsilon in [-0.9, -0.5, f64::INFINITY, f64::NAN, 1e300] {
        assert!(
            TruncatedAverage::new(epsilon).is_err_and(refused),
            "{epsilon}"
        );
    }
    assert!(Exact::new(0).is_err_and(refused));
    assert!(Exact::new(u32::MAX).is_err_and(refused));
}

/// B4: with ε = 0.1 and four nodes the original's ε has no effect for 36 requests. Its rule is kept
/// under a name of its own; the exact one is the paper's from the first request on.
#[test]
fn the_exact_capacity_is_the_ceiling_from_the_first_request_on() {
    let truncated = TruncatedAverage::new(0.1).unwrap();
    for total in 0..36 {
        let demand = Demand::new(total, 4, 1, 4);
        assert_eq!(truncated.capacity(&demand), total / 4 + 1);
        assert_eq!(
            exact(100).capacity(&demand),
            (1100 * (total + 1)).div_ceil(4000)
        );
    }
    let keys = sessions(1000);
    let ring = labelled_ring("{node}#{i}", Crc32, 150, LastListed, &NODES);
    let router = Bounded::new(ring, exact(100));
    let mut leases = Vec::new();
    for (placed, key) in (0..).zip(&keys) {
        let lease = router.acquire(key.as_bytes()).unwrap();
        assert!(lease.load() <= (1100 * (placed + 1u64)).div_ceil(4000));
        leases.push(lease);
    }
    assert_eq!(leases.len(), 1000);
}

/// B5: the original's loads never fall, and a node that left stays in the total.
#[test]
fn loads_end_and_leave_with_their_node() {
    let ring = labelled_ring("{node}#{i}", Crc32, 150, LastListed, &NODES);
    let mut router = Bounded::new(ring, exact(250));
    let keys = sessions(100);
    let leases: Vec<Lease> = keys
        .iter()
        .filter_map(|key| router.acquire(key.as_bytes()))
        .collect();
    let on_b = leases
        .iter()
        .filter(|lease| *lease.node() == "node-B")
        .count() as u64;
    assert!(on_b > 0);
    router.remove("node-B").unwrap();
    assert_eq!(router.total(), 100 - on_b);
    let slot = router.add(node("node-B", 1)).unwrap();
    assert_eq!(router.load(slot), Some(0));
    drop(leases);
    assert_eq!(router.total(), 0);
    assert!(router.loads().all(|(_, load)| load == 0));
}

/// B6: the original's maps die of concurrent use. Ours is shared by `&self` from any thread.
#[test]
fn a_router_is_shared_by_threads() {
    let ring = labelled_ring("{node}#{i}", Crc32, 150, LastListed, &NODES);
    let router = Bounded::new(ring, exact(250));
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let router = &router;
            scope.spawn(move || {
                for i in 0..5000 {
                    let key = (thread * 5000 + i).to_le_bytes();
                    assert!(router.route(&key).is_some());
                    assert!(router.acquire(&key).is_some());
                }
            });
        }
    });
    assert_eq!(router.total(), 0);
}
