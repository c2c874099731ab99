//! The laws that each strategy of the family keeps.
//!
//! Buckets are numbered as nodes join, so none is free of order, and none equals one built anew of the
//! nodes that are left. What holds instead is in `histories.rs`.

use keyroute_anchor::{Anchor, Dx, GrowableAnchor, Memento, Node, Ranking, RouteError};
use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;

/// Room for the greatest fleet of the laws, and some more.
const CAPACITY: u32 = 150;

fn anchor(nodes: &[Node]) -> Result<Anchor, RouteError> {
    Anchor::with_capacity(CAPACITY)?.with_nodes(nodes.iter().cloned())
}

fn dx(nodes: &[Node]) -> Result<Dx, RouteError> {
    Dx::with_capacity(CAPACITY)?.with_nodes(nodes.iter().cloned())
}

laws! {
    ranking: |nodes| Ranking::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told,
        a_lent_set_changes_no_walk, removing_only_drops_the_node_from_each_walk,
        replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
        zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        balances_evenly, every_node_owns_something,
    ],

    // 256 digests: keys that share theirs, and nodes that own no key.
    ranking_top_8_bits: |nodes| Ranking::from_nodes_with(Cut::top(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told,
        a_lent_set_changes_no_walk, removing_only_drops_the_node_from_each_walk,
        replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
        zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
    ],

    dx: super::dx,
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        balances_evenly, every_node_owns_something,
    ],

    // As many buckets as nodes and guests, at most: few draws miss.
    dx_of_little_room: |nodes| Dx::with_capacity(12)?.with_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
    ],

    dx_low_8_bits: |nodes| {
        Dx::with_capacity_and_hasher(CAPACITY, Cut::low(Xxh3, 8))?.with_nodes(nodes.iter().cloned())
    },
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
    ],

    anchor: super::anchor,
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        balances_evenly, every_node_owns_something,
    ],

    anchor_of_little_room: |nodes| Anchor::with_capacity(12)?.with_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
    ],

    anchor_top_8_bits: |nodes| {
        Anchor::with_capacity_and_hasher(CAPACITY, Cut::top(Xxh3, 8))?.with_nodes(nodes.iter().cloned())
    },
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
    ],

    growable_anchor: |nodes| GrowableAnchor::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        balances_evenly, every_node_owns_something,
    ],

    growable_anchor_low_8_bits: |nodes| {
        GrowableAnchor::from_nodes_with(Cut::low(Xxh3, 8), nodes.iter().cloned())
    },
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
    ],

    memento: |nodes| Memento::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        balances_evenly, every_node_owns_something,
    ],

    memento_top_8_bits: |nodes| Memento::from_nodes_with(Cut::top(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
    ],
}
