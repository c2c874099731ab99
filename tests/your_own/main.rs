//! A router that is not ours, and the five lines that hold the laws to it.

mod router;

use keyroute::{NodeId, RemoveNode, Walk, WalkExt};
use keyroute_conformance::{Subject, Verdict, Violation, hold, laws};
use router::Rendezvous;

laws! {
    rendezvous: |nodes| Rendezvous::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, order_free, growth, removal, remove_then_add_is_the_identity, rebuilding,
        walks, walks_that_change, balances_evenly, every_node_owns_something,
    ],
}

// The same laws where scores are often equal, so that ids decide.
laws! {
    with_equal_scores: |nodes| Rendezvous::scored_by(|score| score & 7, nodes.iter().cloned()),
    keeps [
        lookup, order_free, growth, removal, remove_then_add_is_the_identity, rebuilding,
        walks, walks_that_change,
    ],
}

/// A law that is not ours either: when the owner leaves, the second of the walk takes over.
fn the_second_takes_over<R: Walk + RemoveNode>(subject: &Subject<R>) -> Verdict {
    subject.each(|case| {
        for key in &case.keys {
            let mut router = subject.make(&case.nodes)?;
            let order: Vec<NodeId> = router.replica_ids(key, 2).into_iter().cloned().collect();
            router.remove(order[0].as_str())?;
            let heir = router.route_id(key);
            if heir != order.get(1) {
                return Err(Violation::new(format!(
                    "{heir:?} takes over, not the second of {order:?}"
                )));
            }
        }
        Ok(())
    })
}

#[test]
fn the_second_replica_takes_over() {
    hold(
        |nodes| Rendezvous::from_nodes(nodes.iter().cloned()),
        the_second_takes_over,
    );
}
