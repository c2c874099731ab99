//! What threads can do to the counters at once, all of it: loom runs each of these with every order of steps in which
//! at most [`PREEMPTIONS`] of them interrupt another thread, and with every value that the memory orderings let a
//! thread read.
//!
//! `.ci/run models` runs them. Without `--cfg loom` the counters have the processor's atomics, and there is nothing
//! here to run.

#![cfg(loom)]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc as Plain;

use keyroute_bounded::counters::{FleetLoad, Load, NodeLoad};
use keyroute_bounded::{Bounded, Exact, Lease, SharedCount};
use keyroute_core::Native;
use keyroute_core::hash::Xxh3;
use keyroute_vector_ring::VectorRing;
use loom::sync::Arc;
use loom::thread;

const PREEMPTIONS: usize = 3;

fn model(preemptions: usize, run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(run);
}

type Fleet = FleetLoad<SharedCount>;
type Node = NodeLoad<SharedCount, ()>;

fn take(fleet: &Fleet, node: &Node, capacity: u64) -> Option<Load<SharedCount, ()>> {
    let mut announced = fleet.announce();
    let (load, held) = node.take_if(&mut announced, |held| held < capacity)?;
    assert!(held <= capacity);
    Some(load)
}

/// Two nodes, of a capacity of 1 each while there is at most one load, and of 2 beyond.
fn router() -> Bounded<VectorRing> {
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    let nodes = ["a", "b"].map(|id| keyroute_core::Node::new(id).unwrap());
    let ring = VectorRing::from_nodes_with(scheme, nodes).unwrap();
    Bounded::new(ring, Exact::new(1).unwrap())
}

fn acquire(router: &Bounded<VectorRing>) -> Lease {
    let lease = router.acquire(b"hot").unwrap();
    assert!(lease.load() <= lease.capacity() && !lease.is_overflow());
    lease
}

/// A lease of each of the two nodes, at home.
fn of_each_node(router: &Bounded<VectorRing>) -> [Lease; 2] {
    let hot = router.get_ref().route(b"hot");
    let other = (0..=u8::MAX).find(|&key| router.get_ref().route(&[key]) != hot);
    let leases = [acquire(router), router.acquire(&[other.unwrap()]).unwrap()];
    assert_eq!(leases.each_ref().map(Lease::load), [1, 1]);
    leases
}

fn is_idle(router: &Bounded<VectorRing>) {
    assert_eq!(router.total(), 0);
    assert!(router.loads().all(|(_, load)| load == 0));
}

#[test]
fn of_two_that_want_the_last_place_one_gets_it() {
    model(PREEMPTIONS, || {
        let fleet = Plain::<Fleet>::default();
        let node = Arc::new((Node::new((), &fleet), fleet));
        let other = {
            let node = Arc::clone(&node);
            thread::spawn(move || take(&node.1, &node.0, 1))
        };
        let mine = take(&node.1, &node.0, 1);
        let other = other.join().unwrap();
        assert_eq!(u8::from(mine.is_some()) + u8::from(other.is_some()), 1);
        assert_eq!((node.0.held(), node.1.total()), (1, 1));
        drop((mine, other));
        assert_eq!((node.0.held(), node.1.total()), (0, 0));
    });
}

#[test]
fn two_that_come_and_go_are_admitted_under_their_capacities() {
    model(PREEMPTIONS, || {
        let router = Arc::new(router());
        let other = {
            let router = Arc::clone(&router);
            thread::spawn(move || {
                drop(acquire(&router));
                acquire(&router)
            })
        };
        let mine = acquire(&router);
        let other = other.join().unwrap();
        assert_eq!(router.total(), 2);
        drop((mine, other));
        is_idle(&router);
    });
}

/// The total is raised before a node's count and lowered after it: otherwise two loads that end make the capacities
/// too small for what the nodes still hold, and the third finds no room.
#[test]
fn who_comes_while_others_go_finds_room() {
    model(2, || {
        let router = Arc::new(router());
        let ending = of_each_node(&router).map(|lease| thread::spawn(move || drop(lease)));
        let mine = acquire(&router);
        for thread in ending {
            thread.join().unwrap();
        }
        assert_eq!(router.total(), 1);
        drop(mine);
        is_idle(&router);
    });
}

#[test]
fn a_node_leaves_while_one_load_is_taken_and_another_is_given_back() {
    model(PREEMPTIONS, || {
        let fleet = Plain::<Fleet>::default();
        let nodes = Arc::new(([(), ()].map(|()| Node::new((), &fleet)), fleet));
        let (leaver, fleet) = (&nodes.0[0], &nodes.1);
        let stays = take(fleet, &nodes.0[1], 1);
        let early = take(fleet, leaver, 2);
        let ending = thread::spawn(move || drop(early));
        let taking = {
            let nodes = Arc::clone(&nodes);
            thread::spawn(move || take(&nodes.1, &nodes.0[0], 2))
        };
        leaver.leave();
        ending.join().unwrap();
        let late = taking.join().unwrap();
        assert_eq!(leaver.held(), u64::from(late.is_some()));
        assert_eq!(fleet.total(), 1);
        drop(late);
        assert_eq!((leaver.held(), fleet.total()), (0, 1));
        drop(stays);
        assert_eq!(fleet.total(), 0);
    });
}

/// Whoever is the last frees the counter: it is found if somebody looks at it then, or if nobody does.
#[test]
fn a_router_ends_while_its_loads_end() {
    model(PREEMPTIONS, || {
        let router = router();
        let ending =
            [acquire(&router), acquire(&router)].map(|lease| thread::spawn(move || drop(lease)));
        drop(router);
        for thread in ending {
            thread.join().unwrap();
        }
    });
}

#[test]
fn a_node_leaves_and_its_owner_ends_while_its_loads_end() {
    model(PREEMPTIONS, || {
        let fleet = Plain::<Fleet>::default();
        let node = Node::new((), &fleet);
        let ending = [(); 2].map(|()| {
            let load = take(&fleet, &node, 2);
            thread::spawn(move || drop(load))
        });
        node.leave();
        drop(node);
        for thread in ending {
            thread.join().unwrap();
        }
        assert_eq!(fleet.total(), 0);
    });
}
