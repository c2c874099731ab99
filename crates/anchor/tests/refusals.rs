//! What is refused, and that the router is then as it was.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_anchor::{
    Anchor, Buckets, Dx, GrowableAnchor, Memento, Node, Numbered, Ranking, RouteError, Router,
    Weight,
};

fn node(id: &str) -> Node {
    Node::new(id).unwrap()
}

/// Each refusal, on a router of "a" and "b" that "c" has left.
fn refusals_change_nothing<B: Buckets>(mut router: Numbered<B>) {
    for id in ["a", "c", "b"] {
        router.add(node(id)).unwrap();
    }
    router.remove("c").unwrap();
    let before = (router.state(), router.fingerprint());

    let heavy = node("d").with_weight(Weight::new(2).unwrap());
    assert_eq!(
        router.add(heavy).unwrap_err(),
        RouteError::WeightUnsupported {
            id: node("d").id().clone(),
            weight: 2,
            strategy: B::NAME
        }
    );
    assert_eq!(
        router.add(node("a")).unwrap_err(),
        RouteError::AlreadyMember {
            id: node("a").id().clone()
        }
    );
    assert_eq!(
        router.remove("c").unwrap_err(),
        RouteError::NotMember { id: "c".into() }
    );
    assert_eq!(
        (router.state(), router.fingerprint()),
        before,
        "{}",
        B::NAME
    );

    // Emptied it answers nothing, and begins anew.
    for id in ["b", "a"] {
        assert!(router.route(b"user:1").is_some());
        router.remove(id).unwrap();
    }
    assert_eq!(
        (router.route(b"user:1"), router.route_id(b"")),
        (None, None)
    );
    assert_eq!(router.add(node("e")).unwrap().index(), 0);
    assert_eq!(router.route_id(b"user:1").unwrap(), "e");
}

#[test]
fn refusals_change_nothing_in_any_strategy() {
    refusals_change_nothing(Anchor::with_capacity(5).unwrap());
    refusals_change_nothing(Dx::with_capacity(5).unwrap());
    refusals_change_nothing(GrowableAnchor::new());
    refusals_change_nothing(Memento::new());
    refusals_change_nothing(Ranking::new());
}

fn a_full_router_is_full<B: Buckets>(mut router: Numbered<B>) {
    for id in ["a", "b", "c"] {
        router.add(node(id)).unwrap();
    }
    let before = router.state();
    let full = RouteError::CapacityExhausted { capacity: 3 };
    assert_eq!(router.add(node("d")).unwrap_err(), full);
    // A member is a member, full or not.
    assert_eq!(
        router.add(node("a")).unwrap_err(),
        RouteError::AlreadyMember {
            id: node("a").id().clone()
        }
    );
    assert_eq!(router.state(), before);
    router.remove("a").unwrap();
    assert_eq!(router.add(node("d")).unwrap().index(), 0);
}

#[test]
fn a_full_anchor_and_a_full_dx_say_so() {
    a_full_router_is_full(Anchor::with_capacity(3).unwrap());
    a_full_router_is_full(Dx::with_capacity(3).unwrap());
}

#[test]
fn a_capacity_is_from_1_to_the_most_nodes() {
    for capacity in [0, (1 << 24) + 1, u32::MAX] {
        let refusal = RouteError::Parameter {
            name: "capacity",
            given: capacity.to_string(),
            accepted: "1 to 16777216",
        };
        assert_eq!(Anchor::with_capacity(capacity).unwrap_err(), refusal);
        assert_eq!(Dx::with_capacity(capacity).unwrap_err(), refusal);
    }
    // Room that nobody takes costs no memory.
    let nodes = || ["a", "b"].into_iter().map(node);
    let anchor = Anchor::with_capacity(1 << 24)
        .unwrap()
        .with_nodes(nodes())
        .unwrap();
    let dx = Dx::with_capacity(1 << 24)
        .unwrap()
        .with_nodes(nodes())
        .unwrap();
    assert_eq!(anchor.heap_bytes(), anchor.members().heap_bytes());
    assert!(dx.heap_bytes() - dx.members().heap_bytes() <= 64);
    assert!(anchor.route(b"user:1").is_some());
}

#[test]
fn a_list_that_is_refused_makes_no_router() {
    let twice = ["a", "b", "a"].into_iter().map(node);
    assert!(matches!(
        Ranking::from_nodes(twice),
        Err(RouteError::AlreadyMember { .. })
    ));
    assert!(matches!(Ranking::from_ids([""]), Err(RouteError::EmptyId)));
}
