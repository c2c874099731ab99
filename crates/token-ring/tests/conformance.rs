//! The laws that a token ring keeps. Its tokens depend on history, so what is compared with a ring built
//! anew, or undone by another change, is not claimed; what one change moves is.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;
use keyroute_token_ring::TokenRing;

laws! {
    token_ring: |nodes| TokenRing::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests, digest_walks, walk_ranges, ranges,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        any_history_moves_only_what_it_must,
        raising_a_weight_moves_keys_only_to_that_node, lowering_a_weight_moves_keys_only_from_that_node,
        a_stranger_cannot_be_reweighted,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, removing_only_drops_the_node_from_each_walk,
        nodes_that_are_down_are_passed_over_as_if_removed,
        replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found, zone_replicas_take_every_zone_first,
        fewer_zone_replicas_begin_more, every_node_owns_something,
    ],

    // Keys that stand on tokens.
    low_8_bits: |nodes| TokenRing::from_nodes_with(Cut::low(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests, digest_walks, walk_ranges, ranges,
        removing_moves_only_the_leavers_keys, add_then_remove_is_the_identity,
        any_history_moves_only_what_it_must, removing_only_drops_the_node_from_each_walk,
        raising_a_weight_moves_keys_only_to_that_node, lowering_a_weight_moves_keys_only_from_that_node,
    ],
}
