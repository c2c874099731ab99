//! The article's bounded loads, and ours in the same situations. The bounded crate has its own tests;
//! these are the article's rows.

use std::time::Duration;

use keyroute::adaptive::{Balancer, Steady};
use keyroute::hash::Crc32;
use keyroute::{
    BTreeRing, Batch, Bounded, CapacityRule, Cluster, Demand, Description, Exact, LastListed,
    Lease, RouteError, ToLeastLoaded, TruncatedAverage, Unavailable, VectorRing,
};
use keyroute_tests::{labelled_ring, node, sessions};

const NODES: [&str; 4] = ["node-A", "node-B", "node-C", "node-D"];

fn exact(thousandths: u32) -> Exact {
    Exact::new(thousandths).unwrap_or_else(|error| panic!("{error}"))
}

/// B1: the original divides by zero, since it asks for members too late.
#[test]
fn b1_an_empty_router_gives_no_lease() {
    let mut router = Bounded::new(VectorRing::new(), exact(250));
    assert!(router.acquire(b"k").is_none());
    router.add(node("a", 1)).unwrap();
    assert!(router.acquire(b"k").is_some());
    router.remove("a").unwrap();
    assert!(router.acquire(b"k").is_none());
    assert_eq!(router.total(), 0);
}

/// B2: a ring made field by field, as the article shows it, writes to a map that is not there. Here there is no router
/// without its tables: those of the defaults, and over anything empty, answer that there is nobody, and take nodes.
#[test]
fn b2_what_is_made_without_nodes_answers_none_and_takes_nodes() {
    let ring: VectorRing = VectorRing::default();
    let mut router = Bounded::new(ring, exact(250));
    assert!(router.acquire(b"k").is_none() && router.route(b"k").is_none());
    assert_eq!((router.total(), router.loads().count()), (0, 0));
    assert_eq!(
        router.remove("a").unwrap_err(),
        RouteError::NotMember { id: "a".into() }
    );
    router.add(node("a", 1)).unwrap();
    let lease = router.acquire(b"k").unwrap();
    assert_eq!((lease.node().as_str(), router.total()), ("a", 1));

    let local = Bounded::new(BTreeRing::default(), exact(250)).for_one_thread();
    assert!(local.acquire(b"k").is_none());

    let cluster = Cluster::new(VectorRing::default(), |_| ());
    assert_eq!(cluster.load().pick(b"k").unwrap_err(), Unavailable::NoOwner);
    assert!(cluster.load().pick_n(b"k", 3).is_empty());
    assert!(cluster.load().balance(9).members().is_empty());
    cluster.apply(Batch::new().add(node("a", 1), ())).unwrap();
    assert_eq!(*cluster.load().pick(b"k").unwrap().id(), "a");

    let mut balancer = Balancer::new(Steady::default());
    assert!(balancer.stats().is_empty());
    let round = balancer.tick(Duration::ZERO, &Cluster::new(VectorRing::default(), |_| ()));
    assert!(round.unwrap().is_some_and(|round| round.stats.is_empty()));
}

/// B3: under such an ε the original sends all keys to one node and counts none.
#[test]
fn b3_an_epsilon_that_admits_nobody_is_refused() {
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

/// B3, where a rule admits nobody all the same: there all 1000 keys go to the owner of the least point, uncounted. Here
/// each goes to who holds least, and is counted.
#[test]
fn b3_who_holds_least_takes_what_nobody_admits() {
    struct Nobody;
    impl CapacityRule for Nobody {
        type Overflow = ToLeastLoaded;
        fn capacity(&self, _: &Demand) -> u64 {
            0
        }
        fn describe(&self, to: &mut Description) {
            to.field("capacity", 0);
        }
    }
    let ring = labelled_ring("{node}#{i}", Crc32, 50, LastListed, &NODES);
    let router = Bounded::new(ring, Nobody);
    let keys = sessions(1000);
    let leases: Vec<Lease> = keys
        .iter()
        .filter_map(|key| router.acquire(key.as_bytes()))
        .collect();
    assert!(leases.len() == 1000 && leases.iter().all(Lease::is_overflow));
    assert_eq!((router.total(), router.overflows()), (1000, 1000));
    assert!(router.loads().all(|(_, load)| load == 250));
}

/// B4: with ε = 0.1 and four nodes the original's ε has no effect for 36 requests. Its rule is kept
/// under a name of its own; the exact one is the paper's from the first request on.
#[test]
fn b4_the_exact_capacity_is_the_ceiling_from_the_first_request_on() {
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
fn b5_loads_end_and_leave_with_their_node() {
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
fn b6_a_router_is_shared_by_threads() {
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
