//! Changes of a cluster, beside the same change of its router alone.

use std::time::Duration;

use keyroute_cluster::{Batch, Cluster};
use keyroute_core::Node;
use keyroute_vector_ring::VectorRing;

use crate::answers::{CHECKED, check_recorded};
use crate::questions::{Entrant, MICROSECONDS, Question};
use crate::rounds::{Timed, time};
use crate::workload::{fleet, node};

pub(super) const CLUSTER_CHANGE: Question = Question {
    name: "cluster-change",
    asks: "How long does a change of a cluster take: a node that joins, one that goes down? (A cluster counts \
           which of 4,096 sample keys move, unless told to ask none.)",
    unit: MICROSECONDS,
    against: "the router alone, copied and changed; of going down, to the change that asks no sample",
    sizes: &[1_000, 10_000],
    entrants: |nodes| {
        vec![
            Entrant::new(
                "vector-ring, copied and rebuilt",
                REBUILT,
                true,
                move || {
                    let (ring, next) = (ring(nodes), fleet(nodes + 1));
                    copied(ring, move |ring| ring.rebuild(&next).is_ok())
                },
            ),
            Entrant::new("cluster, by rebuild", REBUILT, false, move || {
                join(Cluster::new(ring(nodes), |_| ()), nodes)
            }),
            Entrant::new(
                "cluster, by rebuild, no sample",
                REBUILT,
                false,
                move || join(Cluster::new(ring(nodes), |_| ()).with_samples(0), nodes),
            ),
            Entrant::new("vector-ring, copied and added to", STEPS, true, move || {
                let newcomer = node(nodes);
                copied(ring(nodes), move |ring| ring.add(newcomer.clone()).is_ok())
            }),
            Entrant::new("cluster, in steps", STEPS, false, move || {
                join(Cluster::in_steps(ring(nodes), |_| ()), nodes)
            }),
            Entrant::new("cluster, in steps, no sample", STEPS, false, move || {
                join(
                    Cluster::in_steps(ring(nodes), |_| ()).with_samples(0),
                    nodes,
                )
            }),
            Entrant::new("cluster, down, no sample", DOWN, true, move || {
                go_down(Cluster::new(ring(nodes), |_| ()).with_samples(0), nodes)
            }),
            Entrant::new("cluster, down", DOWN, false, move || {
                go_down(Cluster::new(ring(nodes), |_| ()), nodes)
            }),
        ]
    },
};

const REBUILT: &str = "rebuilt";
const STEPS: &str = "in steps";
const DOWN: &str = "down";

fn ring(nodes: u32) -> VectorRing {
    VectorRing::from_nodes(fleet(nodes)).expect("the fleets are within every limit")
}

/// What a program does that swaps whole routers itself. The old one's end is in the time, as it is in a cluster's.
fn copied(ring: VectorRing, change: impl Fn(&mut VectorRing) -> bool) -> impl Timed {
    move |times: u32| {
        (0..times).fold(Duration::ZERO, |sum, _| {
            let old = ring.clone();
            let spent = time(|| {
                let mut next = ring.clone();
                assert!(change(&mut next), "a node can join");
                drop(old);
                next
            });
            sum + spent
        })
    }
}

fn join(cluster: Cluster<VectorRing, ()>, nodes: u32) -> impl Timed {
    let newcomer: Node = node(nodes);
    Changing {
        cluster,
        nodes,
        forth: Box::new(move || Batch::new().add(newcomer.clone(), ())),
        back: Box::new(move || Batch::new().remove(format!("cache-{nodes}"))),
    }
}

fn go_down(cluster: Cluster<VectorRing, ()>, nodes: u32) -> impl Timed {
    Changing {
        cluster,
        nodes,
        forth: Box::new(|| Batch::new().down("cache-7")),
        back: Box::new(|| Batch::new().up("cache-7")),
    }
}

type MakeBatch = Box<dyn Fn() -> Batch<()>>;

/// Times a change without its undoing.
struct Changing {
    cluster: Cluster<VectorRing, ()>,
    nodes: u32,
    forth: MakeBatch,
    back: MakeBatch,
}

impl Changing {
    fn apply(&self, batch: Batch<()>) {
        let changed = self.cluster.apply(batch);
        assert!(matches!(changed, Ok(Some(_))), "{changed:?}");
    }
}

impl Timed for Changing {
    fn run(&mut self, times: u32) -> Duration {
        (0..times).fold(Duration::ZERO, |sum, _| {
            let batch = (self.forth)();
            let spent = time(|| self.apply(batch));
            self.apply((self.back)());
            sum + spent
        })
    }

    /// All was undone.
    fn finish(&mut self) {
        let now = self.cluster.load();
        check_recorded("ring/native", self.nodes, CHECKED, &|key| {
            now.pick(key).map_or(u32::MAX, |pick| pick.slot().index())
        });
    }
}
