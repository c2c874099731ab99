//! The three parameters: capacity rules, admission tests, forwarding orders; and who takes overflow.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;

use keyroute_bounded::{
    AtOrBelow, Bounded, CapacityRule, Demand, Description, Exact, Forwarding, InWalkOrder, Lease,
    MAX_EPSILON_THOUSANDTHS, NoOverflow, Node, Overflow, RouteError, Router, Slot, ToLeastLoaded,
    ToOwner, TruncatedAverage, Walk, Weight,
};
use keyroute_core::Native;
use keyroute_core::hash::{Xxh3, mix64};
use keyroute_vector_ring::VectorRing;

fn ring(nodes: usize) -> VectorRing {
    VectorRing::from_ids((0..nodes).map(|i| format!("node-{i}"))).unwrap()
}

fn exact(thousandths: u32) -> Exact {
    Exact::new(thousandths).unwrap()
}

fn hold<R: Walk, C: CapacityRule>(
    router: &Bounded<R, C>,
    keys: impl Iterator<Item = u64>,
) -> Vec<Lease> {
    keys.filter_map(|key| router.acquire(&key.to_le_bytes()))
        .collect()
}

#[test]
fn answers_under_load_are_pinned() {
    let router = Bounded::new(ring(5), exact(250));
    let mut order = String::new();
    let mut leases = Vec::new();
    for i in 0..40u64 {
        let lease = router
            .acquire(format!("user:{}", i % 7).as_bytes())
            .unwrap();
        order.push_str(lease.node().as_str().strip_prefix("node-").unwrap());
        leases.push(lease);
    }
    assert_eq!(order, "2310023421032340103232010324231002342103");
    assert_eq!(
        router.fingerprint().to_string(),
        "b7caac3a35442c3f4d4cd27701bbbee9"
    );
    assert_eq!(
        router.describe().to_string(),
        "\
scheme: bounded/1 over ring/native/1
admission: below
capacity: exact
epsilon_thousandths: 250
forwarding: in walk order
hasher: xxh3-64, 64 bits
lookup: at or after
points_per_weight: 160
ties: by id
nodes: 5, in any order
  \"node-0\": weight 1, no zone
  \"node-1\": weight 1, no zone
  \"node-2\": weight 1, no zone
  \"node-3\": weight 1, no zone
  \"node-4\": weight 1, no zone
"
    );
}

#[test]
fn the_exact_rule_is_the_ceiling_of_the_share() {
    for thousandths in [1, 50, 250, 1000, 123_456, MAX_EPSILON_THOUSANDTHS] {
        for (weight, all) in [(1, 1), (1, 7), (3, 7), (7, 7), (1, u64::from(u32::MAX))] {
            for total in [0, 1, 6, 7, 99, 12_345] {
                let capacity = exact(thousandths).capacity(&Demand::new(total, 7, weight, all));
                // capacity × 1000 W ≥ (1000 + ε)(m + 1) w > (capacity − 1) × 1000 W
                let share =
                    u128::from(1000 + thousandths) * u128::from(total + 1) * u128::from(weight);
                let unit = 1000 * u128::from(all);
                assert!(u128::from(capacity) * unit >= share);
                assert!((u128::from(capacity) - 1) * unit < share);
            }
        }
    }
}

#[test]
fn capacities_at_the_ends_of_the_range_do_not_overflow() {
    let huge = Demand::new(u64::MAX, 1, u64::from(u32::MAX), u64::from(u32::MAX));
    assert_eq!(exact(MAX_EPSILON_THOUSANDTHS).capacity(&huge), u64::MAX);
    assert_eq!(
        TruncatedAverage::new(1000.0).unwrap().capacity(&huge),
        u64::MAX
    );
    let nobody = Demand::new(0, 0, 0, 0);
    assert_eq!(exact(1).capacity(&nobody), 0);
    assert_eq!(TruncatedAverage::new(0.0).unwrap().capacity(&nobody), 1);
}

#[test]
fn epsilons_outside_the_range_are_refused() {
    for thousandths in [0, MAX_EPSILON_THOUSANDTHS + 1, u32::MAX] {
        assert!(matches!(
            Exact::new(thousandths),
            Err(RouteError::Parameter { .. })
        ));
    }
    assert_eq!(
        Exact::new(0).unwrap_err().to_string(),
        "epsilon, in thousandths, is 0: give 1 to 1000000 (0.001 to 1000)"
    );
    let odd = [-0.9, -0.5, -f64::MIN_POSITIVE, 1000.1, 1e300];
    for epsilon in odd
        .into_iter()
        .chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN])
    {
        assert!(
            matches!(
                TruncatedAverage::new(epsilon),
                Err(RouteError::Parameter { .. })
            ),
            "{epsilon}"
        );
    }
    assert!(
        TruncatedAverage::new(-0.0)
            .unwrap()
            .epsilon()
            .is_sign_positive()
    );
}

#[test]
fn a_small_epsilon_acts_from_the_first_requests_on() {
    // Where the truncated rule gives ⌊m ÷ n⌋ + 1 at ε = 0.1 until 36 loads are held.
    let truncated = TruncatedAverage::new(0.1).unwrap();
    for total in 0..36 {
        let demand = Demand::new(total, 4, 1, 4);
        assert_eq!(truncated.capacity(&demand), total / 4 + 1);
        assert_eq!(
            exact(100).capacity(&demand),
            (1100 * (total + 1)).div_ceil(4000)
        );
    }
    assert_eq!(exact(100).capacity(&Demand::new(3, 4, 1, 4)), 2);
}

#[test]
fn feasible_rules_leave_room_for_everybody() {
    fn feasible<C: CapacityRule<Overflow = NoOverflow>>(rule: &C, weights: &[u64], total: u64) {
        let all = weights.iter().sum();
        let nodes = weights.len() as u64;
        let room: u64 = weights
            .iter()
            .map(|&weight| rule.capacity(&Demand::new(total, nodes, weight, all)))
            .sum();
        assert!(room > total, "{room} for {total} and one more");
    }
    for weights in [&[1][..], &[1, 1, 1], &[1, 2, 3, 1000], &[7; 23]] {
        for total in (0..500).chain([10_000, 1 << 40]) {
            feasible(&exact(1), weights, total);
            feasible(&exact(250), weights, total);
            feasible(&TruncatedAverage::new(0.0).unwrap(), weights, total);
            feasible(&TruncatedAverage::new(0.1).unwrap(), weights, total);
        }
    }
}

#[test]
fn weighted_nodes_hold_their_share() {
    let nodes = [1, 2, 5].map(|weight| {
        let node = Node::new(format!("node-{weight}")).unwrap();
        node.with_weight(Weight::new(weight).unwrap())
    });
    let router = Bounded::new(VectorRing::from_nodes(nodes).unwrap(), exact(1));
    let leases = hold(&router, 0..8000);
    for (slot, load) in router.loads() {
        let weight = u64::from(router.members().get(slot).unwrap().weight().get());
        assert!(
            load <= (1001 * 8000 * weight).div_ceil(8000),
            "{load} at weight {weight}"
        );
        assert!(load >= 980 * weight, "{load} at weight {weight}");
    }
    drop(leases);
}

/// Placing m loads on n nodes always fits, also with one point a node; and no node is over the capacity
/// for m.
#[test]
fn every_load_finds_a_node() {
    for (loads, nodes, thousandths) in [
        (5, 2, 500),
        (271, 3, 250),
        (271, 7, 250),
        (23, 22, 10),
        (10, 4, 100),
        (1, 5, 250),
    ] {
        for points in [1, 160] {
            let scheme = Native::new(Xxh3).with_points_per_weight(points).unwrap();
            let members = (0..nodes).map(|i| Node::new(format!("{i}")).unwrap());
            let ring = VectorRing::from_nodes_with(scheme, members).unwrap();
            let router = Bounded::new(ring, exact(thousandths));
            let leases = hold(&router, 0..loads);
            assert_eq!(leases.len() as u64, loads);
            assert_eq!(router.overflows(), 0);
            let capacity = exact(thousandths).capacity(&Demand::new(loads - 1, nodes, 1, nodes));
            assert!(router.loads().all(|(_, load)| load <= capacity));
            assert_eq!(router.loads().map(|(_, load)| load).sum::<u64>(), loads);
        }
    }
}

#[test]
fn growing_and_shrinking_under_load_never_fails() {
    let mut router = Bounded::new(VectorRing::new(), exact(250));
    for step in (1..=12).chain((1..12).rev()) {
        let id = format!("node-{step}");
        if router.members().slot_of(&id).is_none() {
            router.add(Node::new(&id).unwrap()).unwrap();
        } else {
            router.remove(&format!("node-{}", step + 1)).unwrap();
        }
        assert_eq!(router.members().len(), step);
        let leases = hold(&router, 0..271);
        assert_eq!((leases.len(), router.overflows()), (271, 0));
        let fresh = Bounded::new(ring_of(step), exact(250));
        let others = hold(&fresh, 0..271);
        let same = leases
            .iter()
            .zip(&others)
            .all(|(a, b)| a.node() == b.node());
        assert!(same, "{step} nodes: the way there decided an answer");
    }
}

fn ring_of(nodes: usize) -> VectorRing {
    VectorRing::from_ids((1..=nodes).map(|i| format!("node-{i}"))).unwrap()
}

#[test]
fn admission_at_the_capacity_lets_one_more_in() {
    let below = Bounded::new(ring(3), exact(250));
    let at = Bounded::new(ring(3), exact(250)).with_admission(AtOrBelow);
    let key = b"hot";
    let first = [below.acquire(key), at.acquire(key)].map(Option::unwrap);
    let (second, other) = (below.acquire(key).unwrap(), at.acquire(key).unwrap());
    assert_eq!((second.load(), second.capacity()), (1, 1)); // on the next node
    assert_eq!((other.load(), other.capacity()), (2, 1)); // on the owner, at its capacity
    assert_eq!(other.slot(), first[1].slot());
    assert!(!other.is_overflow());
}

/// A capacity that all nodes can reach.
struct AtMost<V>(u64, V);

impl<V: Overflow> CapacityRule for AtMost<V> {
    type Overflow = V;

    fn capacity(&self, _demand: &Demand) -> u64 {
        self.0
    }

    fn describe(&self, to: &mut Description) {
        to.field("capacity", self.0);
    }
}

#[test]
fn an_infeasible_rule_names_who_takes_the_overflow() {
    let to_owner = Bounded::new(ring(3), AtMost(2, ToOwner));
    let to_least = Bounded::new(ring(3), AtMost(2, ToLeastLoaded));
    let owner = to_owner.get_ref().route(b"hot").unwrap();
    let fill = |_| b"hot";
    let held = (0..6).map(fill).map(|key| to_owner.acquire(key).unwrap());
    let held: Vec<_> = held.collect();
    let more: Vec<_> = (0..6)
        .map(fill)
        .map(|key| to_least.acquire(key).unwrap())
        .collect();
    assert!(held.iter().chain(&more).all(|lease| !lease.is_overflow()));

    for expected in 1..=4 {
        assert_eq!(to_owner.route(b"hot"), Some(owner));
        let lease = to_owner.acquire(b"hot").unwrap();
        assert!(lease.is_overflow());
        assert_eq!(
            (lease.slot(), lease.load(), lease.capacity()),
            (owner, 3, 2)
        );
        assert_eq!(to_owner.overflows(), expected);
    }
    assert_eq!(to_owner.total(), 6);

    let spread: Vec<_> = (0..3)
        .map(fill)
        .map(|key| to_least.acquire(key).unwrap())
        .collect();
    assert!(to_least.loads().all(|(_, load)| load == 3));
    assert_eq!(to_least.overflows(), 3);
    drop((held, more, spread));
    assert_eq!((to_owner.total(), to_least.total()), (0, 0));
}

#[test]
fn the_least_loaded_is_the_least_for_its_weight() {
    let nodes = [("light", 1), ("heavy", 10)].map(|(id, weight)| {
        Node::new(id)
            .unwrap()
            .with_weight(Weight::new(weight).unwrap())
    });
    let ring = VectorRing::from_nodes(nodes).unwrap();
    let router = Bounded::new(ring, AtMost(0, ToLeastLoaded));
    let leases: Vec<_> = (0..1100u64)
        .map(|i| router.acquire(&i.to_le_bytes()).unwrap())
        .collect();
    let load = |id| router.load(router.members().slot_of(id).unwrap()).unwrap();
    assert_eq!((load("light"), load("heavy")), (100, 1000));
    assert_eq!(router.overflows(), leases.len() as u64);
}

#[test]
fn a_rule_that_is_wrongly_declared_feasible_still_finds_a_node() {
    let router = Bounded::new(ring(3), AtMost(0, NoOverflow));
    let lease = router.acquire(b"hot").unwrap();
    assert!(lease.is_overflow());
    assert_eq!((router.total(), router.overflows()), (1, 1));
}

/// Full for everybody, with a record of the totals it was asked about.
struct Full(RefCell<Vec<u64>>);

impl CapacityRule for Full {
    type Overflow = NoOverflow;

    fn capacity(&self, demand: &Demand) -> u64 {
        self.0.borrow_mut().push(demand.total);
        0
    }

    fn describe(&self, _to: &mut Description) {}
}

#[test]
fn every_lap_counts_the_others_and_not_the_load_itself() {
    let router = Bounded::new(ring(3), Full(RefCell::default()));
    for others in 0..4 {
        router.rule().0.borrow_mut().clear();
        std::mem::forget(router.acquire(b"hot"));
        let asked = router.rule().0.borrow();
        // The first lap, eight more, and one to choose who takes the load.
        assert_eq!(*asked, [others; 3 * (1 + 8 + 1)]);
    }
}

#[test]
fn among_equals_the_overflow_goes_to_the_first_in_forwarding_order() {
    let router = Bounded::new(ring(5), AtMost(0, ToLeastLoaded));
    for key in (0..100u64).map(u64::to_le_bytes) {
        let lease = router.acquire(&key).unwrap();
        assert_eq!(Some(lease.slot()), router.get_ref().route(&key));
    }
}

/// The walk backwards, the owner first all the same.
struct OwnerThenLast;

impl<R: Walk> Forwarding<R> for OwnerThenLast {
    const NAME: &'static str = "the owner, then from the last";

    fn candidates(&self, router: &R, key: &[u8], visit: &mut dyn FnMut(Slot) -> ControlFlow<()>) {
        let mut order = Vec::new();
        router.walk(key, &mut |slot| {
            order.push(slot);
            ControlFlow::Continue(())
        });
        if let Some(rest) = order.get_mut(1..) {
            rest.reverse();
        }
        let _ = order.into_iter().try_for_each(visit);
    }
}

#[test]
fn another_order_forwards_elsewhere() {
    let walk = Bounded::new(ring(5), exact(250));
    let other = Bounded::new(ring(5), exact(250)).with_forwarding(OwnerThenLast);
    let order = {
        let mut order = Vec::new();
        walk.get_ref().walk(b"hot", &mut |slot| {
            order.push(slot);
            ControlFlow::Continue(())
        });
        order
    };
    let leases = [walk.acquire(b"hot"), other.acquire(b"hot")].map(Option::unwrap);
    assert_eq!(leases.each_ref().map(Lease::slot), [order[0]; 2]);
    assert_eq!(walk.route(b"hot"), Some(order[1]));
    assert_eq!(other.route(b"hot"), Some(order[4]));
    assert_ne!(walk.fingerprint(), other.fingerprint());
}

/// Counts the nodes that are offered a load.
#[derive(Default)]
struct Counted(Cell<u64>);

impl<R: Walk> Forwarding<R> for Counted {
    const NAME: &'static str = "counted";

    fn candidates(&self, router: &R, key: &[u8], visit: &mut dyn FnMut(Slot) -> ControlFlow<()>) {
        InWalkOrder.candidates(router, key, &mut |slot| {
            self.0.set(self.0.get() + 1);
            visit(slot)
        });
    }
}

#[test]
fn few_nodes_are_tried() {
    // The figures of the README.
    for (thousandths, most) in [(250, 1.01), (100, 1.08), (50, 1.19)] {
        let scheme = Native::new(Xxh3).with_points_per_weight(100).unwrap();
        let members = (0..1000).map(|i| Node::new(format!("node-{i}")).unwrap());
        let ring = VectorRing::from_nodes_with(scheme, members).unwrap();
        let router = Bounded::new(ring, exact(thousandths)).with_forwarding(Counted::default());
        let mut leases: Vec<_> = (0..100_000u64)
            .filter_map(|key| router.acquire(&key.to_le_bytes()))
            .collect();
        // As many again, each in the place of one that ends.
        let before = router.forwarding().0.get();
        for key in 100_000..400_000u64 {
            let ended = usize::try_from(mix64(key) % 100_000).unwrap();
            drop(leases.swap_remove(ended));
            leases.push(router.acquire(&key.to_le_bytes()).unwrap());
        }
        #[expect(clippy::cast_precision_loss, reason = "an average of small counts")]
        let tried = (router.forwarding().0.get() - before) as f64 / 300_000.0;
        assert!(tried < most, "{tried} nodes on average at {thousandths}");
    }
}

#[test]
fn stored_rules_are_read_back_through_the_same_checks() {
    let stored = serde_json::to_string(&exact(250)).unwrap();
    assert_eq!(stored, r#"{"epsilon_thousandths":250}"#);
    assert_eq!(serde_json::from_str::<Exact>(&stored).unwrap(), exact(250));
    assert!(serde_json::from_str::<Exact>(r#"{"epsilon_thousandths":0}"#).is_err());
    let rule = TruncatedAverage::new(0.1).unwrap();
    let stored = serde_json::to_string(&rule).unwrap();
    assert_eq!(stored, r#"{"epsilon":0.1}"#);
    assert_eq!(
        serde_json::from_str::<TruncatedAverage>(&stored).unwrap(),
        rule
    );
    assert!(serde_json::from_str::<TruncatedAverage>(r#"{"epsilon":-1.0}"#).is_err());
}
