//! What histories decide, beside the laws: where they leave a trace, and that two strategies are one.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_anchor::{
    Anchor, AnchorBuckets, Buckets, Dx, DxBuckets, GrowableAnchor, GrowableBuckets, Memento,
    MementoBuckets, Node, NodeId, Numbered, RankedBuckets, Ranking, RouteError, Router,
};
use keyroute_conformance::laws::changes_undone_last_first_leave_no_trace;
use keyroute_conformance::{Case, Inputs, Step, Subject};

type Made<B> = Result<Numbered<B>, RouteError>;

fn anchor(nodes: &[Node]) -> Made<AnchorBuckets> {
    Anchor::with_capacity(20)?.with_nodes(nodes.iter().cloned())
}

fn dx(nodes: &[Node]) -> Made<DxBuckets> {
    Dx::with_capacity(20)?.with_nodes(nodes.iter().cloned())
}

fn growable(nodes: &[Node]) -> Made<GrowableBuckets> {
    GrowableAnchor::from_nodes(nodes.iter().cloned())
}

fn memento(nodes: &[Node]) -> Made<MementoBuckets> {
    Memento::from_nodes(nodes.iter().cloned())
}

fn ranking(nodes: &[Node]) -> Made<RankedBuckets> {
    Ranking::from_nodes(nodes.iter().cloned())
}

/// Takes the router through the case's steps; the last node stays.
fn live<B: Buckets>(router: &mut Numbered<B>, case: &Case) -> Result<(), RouteError> {
    let mut outside = case.spares.clone();
    for &step in &case.steps {
        let members: Vec<NodeId> = router
            .members()
            .iter()
            .map(|(_, n)| n.id().clone())
            .collect();
        match step {
            Step::Add(number) if !outside.is_empty() => {
                router.add(outside.remove(usize::from(number) % outside.len()))?;
            }
            Step::Remove(number) if members.len() > 1 => {
                let id = &members[usize::from(number) % members.len()];
                outside.push(router.remove(id.as_str())?);
            }
            _ => {}
        }
    }
    Ok(())
}

// Lowest-free reuse breaks it.
#[test]
fn dx_and_ranking_do_not_undo() {
    let inputs = Inputs::default;
    assert!(changes_undone_last_first_leave_no_trace(&Subject::new(dx, inputs())).is_err());
    assert!(changes_undone_last_first_leave_no_trace(&Subject::new(ranking, inputs())).is_err());
}

/// Ten nodes less two, which leave in this order.
fn less<B: Buckets>(make: impl Fn(&[Node]) -> Made<B>, leavers: [&str; 2]) -> Numbered<B> {
    let nodes: Vec<Node> = (0..10)
        .map(|n| Node::new(format!("n{n}")).unwrap())
        .collect();
    let mut router = make(&nodes).unwrap();
    for id in leavers {
        router.remove(id).unwrap();
    }
    router
}

fn the_order_of_leaving_decides<B: Buckets>(make: impl Fn(&[Node]) -> Made<B> + Copy) {
    let (one, other) = (less(make, ["n2", "n5"]), less(make, ["n5", "n2"]));
    let keys = (0..1000).map(|n| format!("user:{n}"));
    let moved = keys
        .filter(|key| one.route_id(key.as_bytes()) != other.route_id(key.as_bytes()))
        .count();
    assert!(moved > 0, "{}", B::NAME);
    assert_ne!(one.fingerprint(), other.fingerprint(), "{}", B::NAME);
    let (one, other) = (one.describe(), other.describe());
    let said: Vec<String> = one
        .differences(&other)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(said, ["removed: 2, 5 | 5, 2"], "{}", B::NAME);
}

#[test]
fn to_the_history_dependent_it_decides_and_the_fingerprint_says_so() {
    the_order_of_leaving_decides(anchor);
    the_order_of_leaving_decides(growable);
    the_order_of_leaving_decides(memento);
}

#[test]
fn memento_and_the_growable_anchor_are_one_function() {
    let inputs = Inputs {
        cases: 300,
        seed: 5,
        ..Inputs::default()
    };
    let verdict = Subject::new(growable, inputs).each(|case| {
        let (mut growable, mut memento) = (growable(&case.nodes)?, memento(&case.nodes)?);
        live(&mut growable, case)?;
        live(&mut memento, case)?;
        assert_eq!(growable.state(), memento.state());
        for key in &case.keys {
            assert_eq!(growable.route(key), memento.route(key));
        }
        Ok(())
    });
    verdict.unwrap();
}
