//! A router that is not ours, and the five lines that hold the laws to it.

mod router;

use keyroute_conformance::laws;
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
