//! Many threads at once: counts end at zero, nobody is admitted over its capacity.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::hint::spin_loop;
use std::sync::mpsc::channel;
use std::sync::{Barrier, Mutex};
use std::thread;

use keyroute_bounded::{
    Bounded, CapacityRule, Demand, Description, Exact, Lease, NoOverflow, Node,
};
use keyroute_core::hash::mix64;
use keyroute_vector_ring::VectorRing;

const NODES: usize = 8;
const THREADS: u64 = 4;
const LOADS: u64 = 200_000;

thread_local! {
    /// The totals that capacities were computed from on this thread, since it was cleared.
    static TOTALS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The exact rule, with a record of what it was asked.
struct Watched(Exact);

impl CapacityRule for Watched {
    type Overflow = NoOverflow;

    fn capacity(&self, demand: &Demand) -> u64 {
        TOTALS.with_borrow_mut(|totals| totals.push(demand.total));
        self.0.capacity(demand)
    }

    fn describe(&self, to: &mut Description) {
        self.0.describe(to);
    }
}

fn ring() -> VectorRing {
    VectorRing::from_ids((0..NODES).map(|i| format!("node-{i}"))).unwrap()
}

#[test]
fn no_node_is_admitted_over_a_capacity_and_counts_end_at_zero() {
    // At most this many leases a thread: few, so that capacities are 1 to 5 and nodes often full.
    for most in [1, 7] {
        let rule = Exact::new(100).unwrap();
        let router = Bounded::new(ring(), Watched(rule));
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let router = &router;
                scope.spawn(move || {
                    let mut held: VecDeque<Lease> = VecDeque::new();
                    for i in 0..LOADS {
                        // A hot key half of the time.
                        let draw = mix64(thread << 32 | i);
                        let key = if draw.is_multiple_of(2) { 0 } else { draw };
                        TOTALS.with_borrow_mut(Vec::clear);
                        let lease = router.acquire(&key.to_le_bytes()).unwrap();
                        assert!(lease.load() <= lease.capacity() || lease.is_overflow());
                        TOTALS.with_borrow(|totals| {
                            let all = (THREADS * (most as u64 + 1)).max(1);
                            assert!(totals.iter().all(|&total| total < all));
                            let from = |&total: &u64| {
                                let nodes = NODES as u64;
                                rule.capacity(&Demand::new(total, nodes, 1, nodes))
                            };
                            assert!(totals.iter().map(from).any(|it| it == lease.capacity()));
                        });
                        held.push_back(lease);
                        if held.len() > most || draw & 6 == 0 {
                            held.pop_front();
                        }
                    }
                });
            }
        });
        assert_eq!(router.total(), 0);
        assert!(router.loads().all(|(_, load)| load == 0));
        println!("overflows: {}", router.overflows());
    }
}

#[test]
fn leases_that_end_while_their_node_leaves_are_given_back_once() {
    // An ε so large that one node takes all loads of one key: they end while it leaves.
    let ring = VectorRing::from_ids(["stays", "leaves"]).unwrap();
    let mut router = Bounded::new(ring, Exact::new(1_000_000).unwrap());
    let key = (0..100u64)
        .map(u64::to_le_bytes)
        .find(|key| router.route_id(key).unwrap() == "leaves")
        .unwrap();
    for _ in 0..100 {
        let mut leases: Vec<_> = (0..20_000).map(|_| router.acquire(&key).unwrap()).collect();
        let late = leases.split_off(19_000);
        thread::scope(|scope| {
            scope.spawn(move || drop(leases));
            // Right into the middle of it.
            while router.total() > 18_000 {
                spin_loop();
            }
            router.remove("leaves").unwrap();
        });
        assert_eq!(router.total(), 0);
        router.add(Node::new("leaves").unwrap()).unwrap();
        drop(late);
        assert_eq!(router.total(), 0);
        assert!(router.loads().all(|(_, load)| load == 0));
    }
}

/// Whoever is the last to hold a counter frees it: here it is not known who that is.
#[test]
fn a_router_ends_while_its_leases_end_on_other_threads() {
    let start = Barrier::new(3);
    thread::scope(|scope| {
        let (to, from): (Vec<_>, Vec<_>) = (0..2).map(|_| channel::<Vec<Lease>>()).unzip();
        for leases in from {
            let start = &start;
            scope.spawn(move || {
                for leases in leases {
                    start.wait();
                    drop(leases);
                }
            });
        }
        for round in 0..5_000u64 {
            let router = Bounded::new(ring(), Exact::new(250).unwrap());
            for to in &to {
                // Few, so that all end at about the same time.
                let keys = (0..round % 4).map(u64::to_le_bytes);
                to.send(keys.filter_map(|key| router.acquire(&key)).collect())
                    .unwrap();
            }
            start.wait();
            drop(router);
        }
    });
}

#[test]
fn a_lease_may_end_on_another_thread() {
    let router = Bounded::new(ring(), Exact::new(250).unwrap());
    let passed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            for i in 0..1000u64 {
                let lease = router.acquire(&i.to_le_bytes()).unwrap();
                passed.lock().unwrap().push(lease);
            }
        });
    });
    assert_eq!(router.total(), 1000);
    thread::scope(|scope| {
        scope.spawn(|| passed.lock().unwrap().clear());
    });
    assert_eq!(router.total(), 0);
}
