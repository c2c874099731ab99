//! Leases and members: every load is given back once, whatever happened meanwhile.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use keyroute_bounded::{
    Bounded, CapacityRule, Demand, Description, Exact, Lease, NoOverflow, Node, RouteError, Weight,
};
use keyroute_core::{Native, hash_fn};
use keyroute_vector_ring::VectorRing;

fn bounded(ids: &[&str], thousandths: u32) -> Bounded<VectorRing> {
    let ring = VectorRing::from_ids(ids).unwrap();
    Bounded::new(ring, Exact::new(thousandths).unwrap())
}

/// A key that this node owns when idle.
fn key_of(router: &Bounded<VectorRing>, id: &str) -> String {
    let keys = (0..).map(|i| format!("key-{i}"));
    let mut owned = keys.filter(|key| router.get_ref().route_id(key.as_bytes()).unwrap() == id);
    owned.next().unwrap()
}

fn load_of(router: &Bounded<VectorRing>, id: &str) -> u64 {
    let slot = router.members().slot_of(id).unwrap();
    router.load(slot).unwrap()
}

fn capacity_of(router: &Bounded<VectorRing>, id: &str) -> u64 {
    let slot = router.members().slot_of(id).unwrap();
    router.capacity(slot).unwrap()
}

#[test]
fn a_router_without_members_gives_no_lease_and_counts_nothing() {
    let mut router = bounded(&[], 250);
    assert!(router.acquire(b"user:1").is_none());
    assert_eq!((router.total(), router.overflows()), (0, 0));
    assert_eq!(router.effective_epsilon(), None);
    router.add(Node::new("a").unwrap()).unwrap();
    assert!(router.acquire(b"user:1").is_some());
    router.remove("a").unwrap();
    assert!(router.acquire(b"user:1").is_none());
    assert_eq!(router.total(), 0);
}

#[test]
fn a_lease_given_up_by_unwinding_is_given_back() {
    let router = bounded(&["a", "b"], 250);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _lease = router.acquire(b"user:1").unwrap();
        assert_eq!(router.total(), 1);
        panic!("the request failed");
    }));
    assert!(unwound.is_err());
    assert_eq!(router.total(), 0);
    assert!(router.loads().all(|(_, load)| load == 0));
}

#[test]
fn a_rule_that_panics_leaves_no_load_behind() {
    struct Broken;
    impl CapacityRule for Broken {
        type Overflow = NoOverflow;
        fn capacity(&self, _demand: &Demand) -> u64 {
            panic!("the rule is broken")
        }
        fn describe(&self, _to: &mut Description) {}
    }
    let router = Bounded::new(VectorRing::from_ids(["a"]).unwrap(), Broken);
    let unwound = catch_unwind(AssertUnwindSafe(|| router.acquire(b"user:1")));
    assert!(unwound.is_err());
    assert_eq!(router.total(), 0);
}

#[test]
fn a_lease_outlives_the_router() {
    let router = bounded(&["a"], 250);
    let lease = router.acquire(b"user:1").unwrap();
    let ring = router.into_inner();
    assert_eq!(lease.node(), ring.route_id(b"user:1").unwrap());
    drop(lease);
}

#[test]
fn the_load_of_a_removed_node_leaves_the_total_and_its_leases_change_nothing() {
    // Ten loads on each of three nodes.
    let mut router = bounded(&["A", "B", "C"], 250);
    let keys = ["A", "B", "C"].map(|id| (id, key_of(&router, id)));
    let mut leases: Vec<Lease> = Vec::new();
    for _ in 0..10 {
        for (id, key) in &keys {
            let lease = router.acquire(key.as_bytes()).unwrap();
            assert_eq!(lease.node(), id);
            leases.push(lease);
        }
    }
    assert_eq!(router.total(), 30);
    assert_eq!(["A", "B", "C"].map(|id| capacity_of(&router, id)), [13; 3]);

    router.remove("C").unwrap();
    assert_eq!(router.total(), 20);
    // With C's load still in the total it would be 20.
    assert_eq!(["A", "B"].map(|id| capacity_of(&router, id)), [14; 2]);

    // C comes back, in its old slot, while its old leases live.
    router.add(Node::new("C").unwrap()).unwrap();
    assert_eq!((load_of(&router, "C"), router.total()), (0, 20));
    let (old, rest): (Vec<_>, Vec<_>) = leases.into_iter().partition(|it| it.node() == "C");
    assert_eq!(old.len(), 10);
    drop(old);
    assert_eq!((load_of(&router, "C"), router.total()), (0, 20));
    assert_eq!((load_of(&router, "A"), load_of(&router, "B")), (10, 10));

    drop(rest);
    assert_eq!(router.total(), 0);
    assert!(router.loads().all(|(_, load)| load == 0));
}

#[test]
fn removing_a_loaded_node_leaves_the_others_as_if_it_had_never_been() {
    let mut router = bounded(&["a", "b"], 1_000_000);
    let idle = {
        let alone = bounded(&["b"], 1_000_000);
        capacity_of(&alone, "b")
    };
    let key = key_of(&router, "a");
    let leases: Vec<_> = (0..100)
        .filter_map(|_| router.acquire(key.as_bytes()))
        .collect();
    assert_eq!((leases.len(), load_of(&router, "a")), (100, 100));
    router.remove("a").unwrap();
    assert_eq!(router.total(), 0);
    assert_eq!(capacity_of(&router, "b"), idle);
    drop(leases);
    assert_eq!((router.total(), load_of(&router, "b")), (0, 0));
    assert_eq!(capacity_of(&router, "b"), idle);
}

#[test]
fn another_node_in_the_slot_of_one_that_left_is_not_charged() {
    let mut router = bounded(&["a", "b"], 250);
    let lease = router.acquire(b"user:1").unwrap();
    let gone = lease.node().to_string();
    router.remove(&gone).unwrap();
    let slot = router.add(Node::new("c").unwrap()).unwrap();
    assert_eq!(slot, lease.slot());
    assert_eq!((router.load(slot), router.total()), (Some(0), 0));
    drop(lease);
    assert_eq!((router.load(slot), router.total()), (Some(0), 0));
}

#[test]
fn a_rebuild_keeps_the_counts_of_the_nodes_that_stay() {
    let mut router = bounded(&["a", "b", "c"], 250);
    let keys = ["a", "b", "c"].map(|id| key_of(&router, id));
    let leases: Vec<_> = keys
        .iter()
        .filter_map(|key| router.acquire(key.as_bytes()))
        .collect();
    assert_eq!(router.total(), 3);
    let nodes = ["d", "c", "a"].map(|id| Node::new(id).unwrap());
    router.rebuild(&nodes).unwrap();
    assert_eq!(["d", "c", "a"].map(|id| load_of(&router, id)), [0, 1, 1]);
    assert_eq!(router.total(), 2);
    drop(leases);
    assert_eq!(router.total(), 0);
    assert!(router.loads().all(|(_, load)| load == 0));
}

#[test]
fn a_weight_moves_capacity_and_keeps_the_count() {
    let mut router = bounded(&["a", "b"], 1_000);
    let lease = router.acquire(b"user:1").unwrap();
    let owner = lease.node().to_string();
    let leases: Vec<_> = (0..9).filter_map(|_| router.acquire(b"user:1")).collect();
    let before = load_of(&router, &owner);
    assert_eq!(capacity_of(&router, &owner), 11); // 2 × 11 ÷ 2
    router.reweight(&owner, Weight::new(10).unwrap()).unwrap();
    assert_eq!(load_of(&router, &owner), before);
    assert_eq!(capacity_of(&router, &owner), 20); // 2 × 11 × 10 ÷ 11
    drop((lease, leases));
    assert_eq!(router.total(), 0);
}

#[test]
fn a_change_that_the_strategy_refuses_changes_nothing() {
    let mut router = bounded(&["a", "b"], 250);
    let leases: Vec<_> = (0..4).filter_map(|_| router.acquire(b"user:1")).collect();
    let state = |router: &Bounded<VectorRing>| {
        let capacities: Vec<_> = router
            .members()
            .slots()
            .map(|it| router.capacity(it))
            .collect();
        let loads: Vec<_> = router.loads().collect();
        (loads, capacities, router.total(), router.members().len())
    };
    let before = state(&router);
    let huge = Weight::new(u32::MAX).unwrap();
    assert!(matches!(
        router.add(Node::new("a").unwrap()),
        Err(RouteError::AlreadyMember { .. })
    ));
    assert!(
        router
            .add(Node::new("c").unwrap().with_weight(huge))
            .is_err()
    );
    assert!(matches!(
        router.remove("c"),
        Err(RouteError::NotMember { .. })
    ));
    assert!(router.reweight("a", huge).is_err());
    assert!(router.reweight("c", huge).is_err());
    let twice = [Node::new("x").unwrap(), Node::new("x").unwrap()];
    assert!(router.rebuild(&twice).is_err());
    assert_eq!(state(&router), before);
    drop(leases);
    assert_eq!(router.total(), 0);
}

#[test]
fn idle_it_answers_as_the_plain_strategy() {
    let ids: Vec<String> = (0..20).map(|i| format!("node-{i}")).collect();
    let router = Bounded::new(VectorRing::from_ids(&ids).unwrap(), Exact::new(1).unwrap());
    for key in (0..2000).map(|i| format!("key-{i}")) {
        let owner = router.get_ref().route(key.as_bytes());
        assert_eq!(router.route(key.as_bytes()), owner);
        let lease = router.acquire(key.as_bytes()).unwrap();
        assert_eq!(Some(lease.slot()), owner);
    }
    assert_eq!((router.total(), router.overflows()), (0, 0));
}

#[test]
fn it_can_be_shared_between_threads_and_a_lease_sent_to_another() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Bounded<VectorRing>>();
    shared::<Lease>();
    // What makes it shared is the inner router: a hasher that cannot be, for one.
    let hasher = hash_fn(|key: &[u8]| key.len() as u64);
    let router = Bounded::new(
        VectorRing::with_scheme(Native::new(hasher)),
        Exact::new(250).unwrap(),
    );
    assert!(router.acquire(b"user:1").is_none());
}
