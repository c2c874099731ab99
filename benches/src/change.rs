//! Timing a change of the members without its undoing.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Throughput};
use hashring::HashRing;
use keyroute_core::{AddNode, Node, RemoveLast, RemoveNode};

use crate::expected::{CHECKED, bare_hash, digest_of};
use crate::peers::{Point, points};
use crate::workload::{POINTS, keys, node};

/// A node that joins and leaves.
#[derive(Clone, Debug)]
pub struct Mover {
    number: u32,
    node: Node,
}

/// Changes of a fleet of one size by certain nodes.
pub struct Changes<'g, 'c> {
    group: &'g mut BenchmarkGroup<'c, WallTime>,
    nodes: u32,
    movers: Vec<Mover>,
}

impl<'g, 'c> Changes<'g, 'c> {
    /// Changes of a fleet of this many nodes by the nodes with these numbers. They come in turn, so
    /// that no branch or cache line learns one of them.
    ///
    /// # Panics
    ///
    /// Never: ids are short.
    #[must_use]
    pub fn new(
        group: &'g mut BenchmarkGroup<'c, WallTime>,
        nodes: u32,
        movers: impl IntoIterator<Item = u32>,
    ) -> Self {
        let mover = |number| Mover {
            number,
            node: node(number).expect("a short id"),
        };
        let movers = movers.into_iter().map(mover).collect();
        group.throughput(Throughput::Elements(POINTS.into()));
        Self {
            group,
            nodes,
            movers,
        }
    }

    /// Times `change` alone; `undo` puts the router back between the timed calls. In the end it must
    /// answer as at first.
    ///
    /// Reading the clock takes about 25 ns, which shows where a change takes less than a microsecond.
    /// The router keeps its buffers from one change to the next, as one does that changes often.
    ///
    /// # Panics
    ///
    /// If the router answers otherwise in the end.
    pub fn time<R>(
        &mut self,
        name: &str,
        mut router: R,
        owner: impl Fn(&R, &[u8]) -> u32,
        change: impl Fn(&mut R, &Mover),
        undo: impl Fn(&mut R, &Mover),
    ) {
        let answers = |router: &R| digest_of(&keys()[..CHECKED], |key| owner(router, key));
        let before = answers(&router);
        self.run(name, |mover| {
            let start = Instant::now();
            change(&mut router, mover);
            let spent = start.elapsed();
            undo(&mut router, mover);
            spent
        });
        assert_eq!(
            answers(&router),
            before,
            "{name}, {} nodes: a change was not undone",
            self.nodes
        );
    }

    /// Times the baseline: hashing as many keys as a node has points.
    pub fn time_bare_hash(&mut self) {
        let points = POINTS as usize; // u32 fits
        let mut rounds = keys().chunks_exact(points).cycle();
        self.run("bare-hash", |_| {
            let keys = rounds.next().unwrap_or_default();
            let start = Instant::now();
            black_box(keys.iter().fold(0, |sum, key| bare_hash(key) ^ sum));
            start.elapsed()
        });
    }

    fn run(&mut self, name: &str, mut once: impl FnMut(&Mover) -> Duration) {
        let movers = &self.movers;
        let id = BenchmarkId::new(name, self.nodes);
        self.group.bench_function(id, |bencher| {
            bencher.iter_custom(|iterations| {
                let movers = movers.iter().cycle();
                (0..iterations).zip(movers).map(|(_, m)| once(m)).sum()
            });
        });
    }
}

impl fmt::Debug for Changes<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("nodes", &self.nodes)
            .field("movers", &self.movers)
            .finish_non_exhaustive()
    }
}

/// The node joins.
///
/// # Panics
///
/// If the router refuses it.
pub fn join<R: AddNode>(router: &mut R, mover: &Mover) {
    router.add(mover.node.clone()).expect("a newcomer");
}

/// The node leaves.
///
/// # Panics
///
/// If it is no member.
pub fn leave<R: RemoveNode>(router: &mut R, mover: &Mover) {
    router.remove(mover.node.id().as_str()).expect("a member");
}

/// The last node of the list leaves; it has to be this one.
///
/// # Panics
///
/// If there is none.
pub fn leave_last<R: RemoveLast>(router: &mut R, _mover: &Mover) {
    router.remove_last().expect("a member");
}

/// The node's points join the `hashring` crate's ring.
pub fn join_hashring(ring: &mut HashRing<Point>, mover: &Mover) {
    ring.batch_add(points(mover.number).collect());
}

/// The node's points leave it.
///
/// # Panics
///
/// If one is missing.
pub fn leave_hashring(ring: &mut HashRing<Point>, mover: &Mover) {
    for point in points(mover.number) {
        ring.remove(&point).expect("a point of a member");
    }
}
