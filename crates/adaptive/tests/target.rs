//! Setting points: nobody else's keys move, and what is refused leaves all as it was.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_adaptive::{
    Balancer, Change, Description, Members, Node, NodeId, Reweight, RouteError, Router, Slot,
    Steady, Target, Weight,
};
use keyroute_vector_ring::{Native, VectorRing, hash::Xxh3};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

type Ring = VectorRing<Native<Xxh3>>;

fn weight(points: u32) -> Weight {
    Weight::new(points).unwrap()
}

fn ring() -> Ring {
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    let nodes = ["a", "b", "c"].map(|id| Node::new(id).unwrap().with_weight(weight(100)));
    VectorRing::from_nodes_with(scheme, nodes).unwrap()
}

fn change(id: &str, from: u32, to: u32) -> Change {
    Change {
        id: NodeId::new(id).unwrap(),
        from: weight(from),
        to: weight(to),
    }
}

fn points(target: &mut impl Target) -> Vec<u32> {
    target
        .nodes()
        .iter()
        .map(|node| node.weight().get())
        .collect()
}

#[test]
fn fewer_points_move_keys_only_away_and_more_only_there() {
    let mut now = ring();
    let before = ring();
    (&mut now).set_points(&[change("b", 100, 40)]).unwrap();
    let mut moved = 0;
    for key in (0..10_000u32).map(u32::to_le_bytes) {
        let (was, is) = (before.route_id(&key).unwrap(), now.route_id(&key).unwrap());
        assert!(was == is || was.as_str() == "b", "{was} to {is}");
        moved += u32::from(was != is);
    }
    assert!(moved > 1000, "{moved}");
    // And there and back is the identity: the points that come are those that went.
    (&mut now).set_points(&[change("b", 40, 100)]).unwrap();
    assert_eq!(now.fingerprint(), before.fingerprint());
    for key in (0..10_000u32).map(u32::to_le_bytes) {
        assert_eq!(now.route_id(&key), before.route_id(&key));
    }
}

#[test]
fn stale_changes_are_passed_over() {
    let mut ring = ring();
    let stale = [
        change("a", 99, 10),
        change("stranger", 100, 10),
        change("c", 100, 90),
    ];
    (&mut ring).set_points(&stale).unwrap();
    assert_eq!(points(&mut &mut ring), [100, 100, 90]);
}

/// Refuses one weight.
struct Picky(Ring);

impl Router for Picky {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.0.route(key)
    }
    fn members(&self) -> &Members {
        self.0.members()
    }
    fn describe(&self) -> Description {
        self.0.describe()
    }
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}

impl Reweight for Picky {
    fn reweight(&mut self, id: &str, to: Weight) -> Result<Weight, RouteError> {
        if to.get() == 66 {
            return Err(RouteError::NoMembers);
        }
        self.0.reweight(id, to)
    }
}

#[test]
fn what_is_refused_leaves_all_points_as_they_were() {
    let mut picky = Picky(ring());
    let refused = (&mut picky).set_points(&[change("a", 100, 50), change("b", 100, 66)]);
    assert_eq!(refused, Err(RouteError::NoMembers));
    assert_eq!(points(&mut &mut picky), [100, 100, 100]);
}

#[test]
fn a_refusal_is_not_taken_for_somebody_elses_change() {
    let mut picky = Picky(ring());
    let mut balancer = Balancer::new(Steady::default());
    let counters = balancer.by_slot(picky.members());
    balancer.tick(Duration::ZERO, &mut picky).unwrap();
    let mut outcomes = Vec::new();
    for second in 1..=2 {
        counters[0].as_ref().unwrap().add(3000);
        counters[1].as_ref().unwrap().add(1000);
        counters[2].as_ref().unwrap().add(1000);
        let plan = balancer.decide(Duration::from_secs(second), &(&mut picky).nodes());
        outcomes.push(plan.unwrap().judgement.verdict);
        // Nobody sets them: the next window is whole all the same, and judged.
    }
    assert!(
        outcomes
            .iter()
            .all(|it| matches!(it, keyroute_adaptive::Verdict::Move(_))),
        "{outcomes:?}"
    );
}

#[test]
fn points_that_the_balancer_set_are_not_taken_for_somebody_elses() {
    let mut ring = ring();
    let mut balancer = Balancer::new(Steady::default());
    let counters = balancer.by_slot(ring.members());
    balancer.tick(Duration::ZERO, &mut ring).unwrap();
    for second in 1..=2 {
        counters[0].as_ref().unwrap().add(3000);
        counters[1].as_ref().unwrap().add(1000);
        counters[2].as_ref().unwrap().add(1000);
        let before = points(&mut &mut ring);
        balancer
            .tick(Duration::from_secs(second), &mut ring)
            .unwrap();
        assert!(
            points(&mut &mut ring)[0] < before[0],
            "{second}: {before:?}"
        );
    }
}

#[test]
fn points_that_somebody_else_set_are_the_ones_that_were_given() {
    let mut ring = ring();
    let mut balancer = Balancer::new(Steady::default());
    let counters = balancer.by_slot(ring.members());
    balancer.tick(Duration::ZERO, &mut ring).unwrap();
    ring.reweight("a", weight(200)).unwrap();
    for second in 1..=3 {
        // As the new points ask for; by the old ones "a" would be overloaded.
        counters[0].as_ref().unwrap().add(20_000);
        counters[1].as_ref().unwrap().add(10_000);
        counters[2].as_ref().unwrap().add(10_000);
        balancer
            .tick(Duration::from_secs(second), &mut ring)
            .unwrap();
        assert_eq!(points(&mut &mut ring), [200, 100, 100]);
    }
}

#[test]
fn a_node_that_nobody_counts_for_is_not_idle() {
    let mut ring = ring();
    let mut balancer = Balancer::new(Steady::default());
    let (a, b) = (
        balancer.counter(&NodeId::new("a").unwrap()),
        balancer.counter(&NodeId::new("b").unwrap()),
    );
    for second in 0..=3 {
        balancer
            .tick(Duration::from_secs(second), &mut ring)
            .unwrap();
        a.add(10_000);
        b.add(10_000);
    }
    assert_eq!(points(&mut &mut ring), [100, 100, 100]);
}

#[test]
fn time_that_goes_back_is_no_time() {
    let mut ring = ring();
    let mut balancer = Balancer::new(Steady::default());
    let at = Duration::from_secs;
    assert!(balancer.tick(at(10), &mut ring).unwrap().is_some());
    assert!(balancer.tick(at(3), &mut ring).unwrap().is_none());
    assert!(balancer.tick(at(10), &mut ring).unwrap().is_none());
    assert!(balancer.tick(at(11), &mut ring).unwrap().is_some());
}

#[test]
fn locked_routers_are_targets_also_after_a_panic_under_the_lock() {
    let shared = Arc::new(Mutex::new(ring()));
    let poisoner = Arc::clone(&shared);
    let panicked = std::thread::spawn(move || {
        let _held = poisoner.lock().unwrap();
        panic!("on purpose");
    });
    assert!(panicked.join().is_err() && shared.is_poisoned());
    let mut target = Arc::clone(&shared);
    target.set_points(&[change("a", 100, 90)]).unwrap();
    assert_eq!(points(&mut target), [90, 100, 100]);

    let lock = RwLock::new(ring());
    (&lock).set_points(&[change("a", 100, 90)]).unwrap();
    assert_eq!(points(&mut &lock), [90, 100, 100]);
}
