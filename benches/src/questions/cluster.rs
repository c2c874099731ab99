//! Lookups through a cluster, on one thread and on several.

use std::cell::RefCell;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use keyroute_cluster::{Batch, Cluster, Pick, Reader, Router, Snapshot, Unavailable};
use keyroute_vector_ring::VectorRing;

use crate::answers::{CHECKED, check_recorded};
use crate::questions::lookup::keys;
use crate::questions::{Entrant, NANOSECONDS, Question};
use crate::rounds::{Timed, time};
use crate::workload::{Turns, fleet};

pub(super) const CLUSTER: Question = Question {
    name: "cluster",
    asks: "How long does one lookup take through a cluster of a vector ring, keys independent?",
    unit: NANOSECONDS,
    against: "the ring alone; where the payload is read, to the ring and a list of payloads",
    sizes: &[10, 100, 1_000],
    entrants: |nodes| {
        vec![
            Entrant::new("vector-ring", SLOT, true, move || alone(ring(nodes), nodes)),
            Entrant::new("snapshot held", SLOT, false, move || {
                alone(cluster(nodes).snapshot(), nodes)
            }),
            Entrant::new("reader", SLOT, false, move || {
                alone(cluster(nodes).reader(), nodes)
            }),
            Entrant::new("load", SLOT, false, move || alone(cluster(nodes), nodes)),
            Entrant::new("reader, one node down", SLOT, false, move || {
                with_one_down(nodes)
            }),
            Entrant::new("vector-ring and list", PAYLOAD, true, move || {
                alone(Listed(ring(nodes), (0..nodes).collect()), nodes)
            }),
            Entrant::new("reader and payload", PAYLOAD, false, move || {
                alone(Paid(cluster(nodes).reader()), nodes)
            }),
        ]
    },
};

const SLOT: &str = "slot";
const PAYLOAD: &str = "payload";

pub(super) const THREADS: Question = Question {
    name: "cluster-threads",
    asks: "How long does one lookup take on each of several threads that share a cluster? (More threads than \
           cores take turns: four on two cores take twice as long at best.)",
    unit: NANOSECONDS,
    against: "the same on one thread",
    sizes: &[100],
    entrants: |nodes| {
        let mut all = Vec::new();
        for threads in [1, 2, 4] {
            all.push(on_threads("vector-ring", threads, move || ring(nodes)));
            all.push(on_threads("reader", threads, move || {
                cluster(nodes).reader()
            }));
            all.push(on_threads("load", threads, move || cluster(nodes)));
        }
        all
    },
};

/// A cluster of a ring whose payloads are the numbers of its nodes.
pub(crate) type Held = Arc<Cluster<VectorRing, u32>>;

pub(crate) fn cluster(nodes: u32) -> Held {
    let members = fleet(nodes).into_iter().zip(0..);
    Held::new(Cluster::from_members(VectorRing::new(), members).expect(WITHIN))
}

fn ring(nodes: u32) -> Arc<VectorRing> {
    Arc::new(VectorRing::from_nodes(fleet(nodes)).expect(WITHIN))
}

const WITHIN: &str = "the fleets are within every limit";

/// A way to ask who owns a key: one for each thread. Always inlined, so that each loop over keys is compiled around its
/// lookup.
trait Ask: Clone + Send + 'static {
    fn owner(&mut self, key: &[u8]) -> u32;
}

impl Ask for Arc<VectorRing> {
    #[inline(always)]
    fn owner(&mut self, key: &[u8]) -> u32 {
        self.route(key).map_or(u32::MAX, |slot| slot.index())
    }
}

fn slot<T>(pick: Result<Pick<'_, T>, Unavailable>) -> u32 {
    pick.map_or(u32::MAX, |pick| pick.slot().index())
}

impl Ask for Arc<Snapshot<VectorRing, u32>> {
    #[inline(always)]
    fn owner(&mut self, key: &[u8]) -> u32 {
        slot(self.pick(key))
    }
}

impl Ask for Reader<VectorRing, u32> {
    #[inline(always)]
    fn owner(&mut self, key: &[u8]) -> u32 {
        slot(self.pick(key))
    }
}

impl Ask for Held {
    #[inline(always)]
    fn owner(&mut self, key: &[u8]) -> u32 {
        slot(self.load().pick(key))
    }
}

/// What a program has without a cluster: a ring, and what belongs to its nodes in the order of slots.
#[derive(Clone)]
struct Listed(Arc<VectorRing>, Arc<[u32]>);

impl Ask for Listed {
    #[inline(always)]
    fn owner(&mut self, key: &[u8]) -> u32 {
        let payload = |index: u32| self.1.get(index as usize).copied(); // u32 fits
        let slot = self.0.route(key);
        slot.and_then(|slot| payload(slot.index()))
            .unwrap_or(u32::MAX)
    }
}

#[derive(Clone)]
struct Paid(Reader<VectorRing, u32>);

impl Ask for Paid {
    #[inline(always)]
    fn owner(&mut self, key: &[u8]) -> u32 {
        self.0.pick(key).map_or(u32::MAX, |pick| *pick.payload())
    }
}

fn each(ask: &mut impl Ask, keys: &[&[u8]]) -> u32 {
    let owners = keys.iter().map(|key| ask.owner(key));
    owners.fold(0, u32::wrapping_add)
}

/// The same, when it has given the recorded answers.
fn checked<A: Ask>(ask: A, nodes: u32) -> A {
    let ask = RefCell::new(ask);
    let owner = |key: &[u8]| ask.borrow_mut().owner(key);
    check_recorded("ring/native", nodes, CHECKED, &owner);
    ask.into_inner()
}

fn alone<A: Ask>(ask: A, nodes: u32) -> impl Timed + use<A> {
    let mut ask = checked(ask, nodes);
    keys(move |keys| each(&mut ask, keys))
}

/// One key in as many as there are nodes is passed on; all are asked whether their node admits them.
fn with_one_down(nodes: u32) -> impl Timed {
    let cluster = cluster(nodes);
    let mut ask = checked(cluster.reader(), nodes);
    let down = cluster.apply(Batch::new().down("cache-1"));
    assert!(matches!(down, Ok(Some(_))), "{down:?}");
    assert!(
        !crate::workload::keys()[..CHECKED]
            .iter()
            .any(|key| ask.owner(key) == 1),
        "a node that is down was picked"
    );
    keys(move |keys| each(&mut ask, keys))
}

fn on_threads<A: Ask>(
    name: &'static str,
    threads: usize,
    make: impl FnOnce() -> A + 'static,
) -> Entrant {
    let title = match threads {
        1 => format!("{name}, 1 thread"),
        _ => format!("{name}, {threads} threads"),
    };
    Entrant::new(title, name, threads == 1, move || {
        let ask = checked(make(), 100);
        let mut turns = Turns::default();
        move |times: u32| {
            let asks: Vec<(A, _)> = (0..threads)
                .map(|_| (ask.clone(), turns.take(times as usize))) // u32 fits
                .collect();
            together(asks, |(mut ask, keys)| each(&mut ask, keys))
        }
    })
}

/// How long it takes from when the first of them begins until the last one has ended, each on a thread of its own.
///
/// Each reads its own clock, for the thread that starts them may be the one that has to wait for a core.
fn together<A: Send>(all: Vec<A>, work: impl Fn(A) -> u32 + Sync) -> Duration {
    let start = Barrier::new(all.len());
    let (start, work) = (&start, &work);
    let times: Vec<(Instant, Duration)> = thread::scope(|scope| {
        let one = |it| {
            scope.spawn(move || {
                start.wait();
                let began = Instant::now();
                (began, time(|| work(it)))
            })
        };
        let threads: Vec<_> = all.into_iter().map(one).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("it does not panic"));
        joined.collect()
    });
    let first = times.iter().map(|(began, _)| *began).min();
    let last = times.iter().map(|(began, spent)| *began + *spent).max();
    first
        .zip(last)
        .map_or(Duration::ZERO, |(first, last)| last - first)
}
