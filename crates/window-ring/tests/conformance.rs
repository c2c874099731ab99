//! The laws that a window ring keeps. **Not** those about what a joining or leaving node moves, nor the
//! restriction property of walks: rows shift (`movement.rs` says by how much).

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;
use keyroute_window_ring::{Window, WindowRing};

laws! {
    window_ring: |nodes| WindowRing::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, order_free, rebuilding, digests, digest_walks,
        adding_equals_building_anew, a_member_cannot_be_added_again,
        removing_equals_building_anew, a_stranger_cannot_be_removed, the_last_to_leave_leaves_nothing,
        add_then_remove_is_the_identity, remove_then_add_is_the_identity,
        any_history_equals_building_anew, any_history_walks_as_built_anew,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first,
        fewer_replicas_begin_more, the_first_that_serves_is_found,
        zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        // 64 points × 8 candidates.
        balances_as_a_ring(512), every_node_owns_something,
    ],

    // Windows smaller than the fleets that are drawn, many nodes on one point, and equal draws.
    three_of_top_8_bits: |nodes| {
        let window = Window::new(3)?.with_points(5)?;
        WindowRing::from_nodes_with(Cut::top(Xxh3, 8), window, nodes.iter().cloned())
    },
    keeps [
        lookup, order_free, rebuilding, digests, digest_walks,
        adding_equals_building_anew, removing_equals_building_anew, the_last_to_leave_leaves_nothing,
        remove_then_add_is_the_identity,
        any_history_equals_building_anew, any_history_walks_as_built_anew,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first,
        fewer_replicas_begin_more, the_first_that_serves_is_found,
    ],
}
