//! Bounded loads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use keyroute_bounded::{Below, Bounded, Count, Exact, InWalkOrder, Lease};
use keyroute_cluster::Cluster;
use keyroute_vector_ring::VectorRing;

use crate::answers::{CHECKED, check_recorded};
use crate::contestant::contestant;
use crate::questions::lookup::{bare_hash_alone, keys};
use crate::questions::{Entrant, NANOSECONDS, Question};
use crate::rounds::{Timed, time};
use crate::workload::{self, Turns, fleet};

pub(super) const ACQUIRE: Question = Question {
    name: "acquire",
    asks: "What does a request cost under bounded loads, its lease taken and given back?",
    unit: NANOSECONDS,
    against: "the lookup in the ring alone",
    sizes: &[10, 100, 1_000],
    entrants: |nodes| {
        vec![
            Entrant::new("bare hash", GROUP, false, bare_hash_alone),
            Entrant::new("four atomic steps", GROUP, false, four_steps),
            Entrant::new("vector-ring, lookup alone", GROUP, true, move || {
                let router = contestant("vector-ring").checked(nodes);
                keys(move |keys| router.independent(keys))
            }),
            Entrant::new("idle", GROUP, false, move || idle(bounded(nodes))),
            Entrant::new("idle, for one thread", GROUP, false, move || {
                idle(bounded(nodes).for_one_thread())
            }),
            Entrant::new("idle, two threads", GROUP, false, move || {
                idle_two_threads(bounded(nodes))
            }),
            Entrant::new("idle, by a cluster's reader", GROUP, false, move || {
                by_reader(nodes)
            }),
            Entrant::new("loaded", GROUP, false, move || {
                Loaded::new(bounded(nodes), nodes)
            }),
        ]
    },
};

const GROUP: &str = "bounded";

/// Requests in flight for each node.
const IN_FLIGHT: u32 = 10;

/// A quarter over the fair share, in thousandths.
const EPSILON: u32 = 250;

fn bounded(nodes: u32) -> Bounded<VectorRing> {
    let ring = VectorRing::from_nodes(fleet(nodes)).expect("the fleets are within every limit");
    let rule = Exact::new(EPSILON).expect("an epsilon within the limits");
    let router = Bounded::new(ring, rule);
    // Idle, it is the ring.
    check_recorded("ring/native", nodes, CHECKED, &|key| {
        router.route(key).map_or(u32::MAX, |slot| slot.index())
    });
    router
}

/// The router, by how it counts.
type Counted<K> = Bounded<VectorRing, Exact, Below, InWalkOrder, K>;

fn take<K: Count>(router: &Counted<K>, key: &[u8]) -> Lease<K> {
    let lease = router.acquire(key);
    lease.expect("the exact rule admits somewhere")
}

/// Each lease is given back before the next is taken.
fn take_each<K: Count>(router: &Counted<K>, keys: &[&[u8]]) -> u32 {
    let slots = keys.iter().map(|key| take(router, key).slot().index());
    slots.fold(0, u32::wrapping_add)
}

fn idle<K: Count + 'static>(router: Counted<K>) -> impl Timed {
    keys(move |keys| take_each(&router, keys))
}

/// A cluster that has the same ring and the same bound.
fn by_reader(nodes: u32) -> impl Timed {
    let rule = Exact::new(EPSILON).expect("an epsilon within the limits");
    let members = fleet(nodes).into_iter().zip(0..);
    let cluster = Cluster::from_members(VectorRing::new(), members)
        .expect("the fleets are within every limit")
        .with_bound(rule);
    check_recorded("ring/native", nodes, CHECKED, &|key| {
        let lease = cluster.acquire(key);
        lease.map_or(u32::MAX, |lease| *lease.payload())
    });
    let mut reader = cluster.reader();
    keys(move |keys| {
        let payloads = keys.iter().map(|key| {
            let lease = reader
                .acquire(key)
                .expect("the exact rule admits somewhere");
            *lease.payload()
        });
        payloads.fold(0, u32::wrapping_add)
    })
}

/// The least that a request may do to counters that other threads see: its node's and the total, up and down.
fn four_steps() -> impl Timed {
    #[repr(align(64))]
    struct Line(AtomicUsize);
    let [total, node] = [(); 2].map(|()| Line(AtomicUsize::new(0)));
    keys(move |keys| {
        for _ in keys {
            total.0.fetch_add(1, Ordering::AcqRel);
            node.0.fetch_add(1, Ordering::AcqRel);
            node.0.fetch_sub(1, Ordering::AcqRel);
            total.0.fetch_sub(1, Ordering::AcqRel);
        }
        0
    })
}

/// What one request costs on each of two threads that share the router.
fn idle_two_threads(router: Bounded<VectorRing>) -> impl Timed {
    let router = Arc::new(router);
    let mut turns = Turns::default();
    move |times: u32| {
        let start = Barrier::new(2);
        let router = &*router;
        thread::scope(|scope| {
            let threads = [(); 2].map(|()| {
                let (keys, start) = (turns.take(times as usize), &start); // u32 fits
                scope.spawn(move || {
                    start.wait();
                    time(|| take_each(router, keys))
                })
            });
            let spent = threads.map(|thread| thread.join().expect("it does not panic"));
            spent.into_iter().max().unwrap_or(Duration::ZERO)
        })
    }
}

/// The oldest request ends when a new one comes.
struct Loaded {
    router: Bounded<VectorRing>,
    leases: VecDeque<Lease>,
    turns: Turns,
}

impl Loaded {
    fn new(router: Bounded<VectorRing>, nodes: u32) -> Self {
        let first = &workload::keys()[..(IN_FLIGHT * nodes) as usize]; // u32 fits
        let leases = first.iter().map(|key| take(&router, key)).collect();
        let turns = Turns::default();
        Self {
            router,
            leases,
            turns,
        }
    }
}

impl Timed for Loaded {
    fn run(&mut self, times: u32) -> Duration {
        let keys = self.turns.take(times as usize); // u32 fits
        time(|| {
            for key in keys {
                self.leases.pop_front();
                self.leases.push_back(take(&self.router, key));
            }
        })
    }

    /// At most ⌈1.25 × 10⌉ are anywhere, and nothing is left in the end.
    fn finish(&mut self) {
        assert_eq!(self.router.total(), self.leases.len() as u64);
        assert!(
            self.router.loads().all(|(_, load)| load <= 13),
            "{:?}",
            self.router
        );
        self.leases.clear();
        assert_eq!(self.router.total(), 0);
    }
}
