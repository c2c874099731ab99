//! Leases of a cluster that changes, under every order of the steps of two or three threads: as
//! `crates/bounded/tests/models.rs`, which says more.
//!
//! The checker sees the counters of the leases. The lists and snapshots have the processor's atomics; one thread alone
//! changes the cluster, since the lock would stop the checker; and since it does not see who is the last to know an old
//! snapshot, that one keeps it until the others have ended.

#![cfg(loom)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc as Plain;

use keyroute_cluster::{Batch, Cluster, Exact, Lease, Native, Node, Snapshot};
use keyroute_core::hash::Xxh3;
use keyroute_vector_ring::VectorRing;
use loom::sync::Arc;
use loom::thread;

const PREEMPTIONS: usize = 3;

type Held = Cluster<VectorRing, ()>;

fn model(preemptions: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(run);
}

/// Two nodes, of a capacity of 1 each while there is at most one load, and of 2 beyond.
fn cluster() -> Arc<Held> {
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    let nodes = ["a", "b"].map(|id| Node::new(id).unwrap());
    let ring = VectorRing::from_nodes_with(scheme, nodes).unwrap();
    let cluster = Cluster::new(ring, |_| ()).with_samples(0);
    Arc::new(cluster.with_bound(Exact::new(1).unwrap()))
}

/// The node that `hot` is at home with.
fn home(cluster: &Held) -> String {
    cluster.load().pick(b"hot").unwrap().id().to_string()
}

fn acquire(snapshot: &Snapshot<VectorRing, ()>) -> Lease<()> {
    let lease = snapshot.acquire(b"hot").unwrap();
    assert!(Some(lease.load()) <= lease.capacity() || lease.is_overflow());
    lease
}

fn is_idle(cluster: &Held) {
    let stats = cluster.stats();
    assert_eq!(stats.total(), 0);
    assert!(stats.members().iter().all(|member| member.held() == 0));
}

#[test]
fn two_that_want_the_last_place_of_a_node_get_one_each() {
    model(PREEMPTIONS, || {
        let cluster = cluster();
        let first = acquire(&cluster.load());
        let other = {
            let cluster = Arc::clone(&cluster);
            thread::spawn(move || acquire(&cluster.load()))
        };
        let mine = acquire(&cluster.load());
        let other = other.join().unwrap();
        let homes = [&first, &mine, &other].map(|lease| lease.is_home());
        // Three loads, and a capacity of 2 for the second and third.
        assert!([1, 2].contains(&homes.into_iter().filter(|&home| home).count()));
        assert!(!mine.is_overflow() && !other.is_overflow());
        assert_eq!(cluster.stats().total(), 3);
        drop((first, mine, other));
        is_idle(&cluster);
    });
}

#[test]
fn a_member_leaves_while_one_lease_is_taken_and_another_is_given_back() {
    model(PREEMPTIONS, || {
        let cluster = cluster();
        let home = home(&cluster);
        let old: Plain<_> = cluster.snapshot();
        let early = acquire(&old);
        assert_eq!(*early.id(), *home);
        let ending = thread::spawn(move || drop(early));
        let taking = {
            let old = Plain::clone(&old);
            thread::spawn(move || acquire(&old))
        };
        cluster.apply(Batch::new().remove(home.as_str())).unwrap();
        ending.join().unwrap();
        let lease = taking.join().unwrap();
        drop(old);
        let stays = *lease.id() != *home;
        assert_eq!(cluster.stats().total(), u64::from(stays));
        // It comes back, and the lease of its former life is none of it.
        cluster
            .apply(Batch::new().add(Node::new(home.as_str()).unwrap(), ()))
            .unwrap();
        assert_eq!(cluster.load().member(&home).unwrap().held(), 0);
        drop(lease);
        is_idle(&cluster);
    });
}

#[test]
fn a_cluster_ends_while_its_leases_end() {
    model(PREEMPTIONS, || {
        let cluster = cluster();
        let ending = [(); 2].map(|()| {
            let lease = acquire(&cluster.load());
            thread::spawn(move || drop(lease))
        });
        drop(cluster);
        for thread in ending {
            thread.join().unwrap();
        }
    });
}
