//! The laws that rendezvous keeps.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;
use keyroute_rendezvous::Rendezvous;

laws! {
    rendezvous: |nodes| Rendezvous::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        order_free, remove_then_add_is_the_identity, changes_undone_last_first_leave_no_trace,
        balances_evenly, every_node_owns_something,
        // What a ring of endless points would do: nothing but chance is left.
        shares_follow_the_weights(u32::MAX),
    ],

    // Ids of equal hashes: their draws are equal for every key.
    top_8_bits: |nodes| Rendezvous::from_nodes_with(Cut::top(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        order_free, remove_then_add_is_the_identity,
    ],

    low_8_bits: |nodes| Rendezvous::from_nodes_with(Cut::low(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        order_free, remove_then_add_is_the_identity,
    ],
}
