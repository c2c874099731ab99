//! The laws that each strategy of the family keeps.
//!
//! Buckets are numbered as nodes join, so none is free of order, and none equals one built anew of the
//! nodes that are left. What holds instead are the laws about histories and states.

use keyroute_anchor::{
    Anchor, BucketState, Buckets, Dx, GrowableAnchor, KeyHasher, Memento, Node, Numbered, Ranking,
    RouteError,
};
use keyroute_conformance::{Cut, States, laws};
use keyroute_core::hash::Xxh3;

/// How the laws about states ask it: what [`Numbered::state`] says and the hasher, which it leaves out.
#[derive(Clone, Copy)]
struct ByState;

impl<B: Buckets, H: KeyHasher<Out = u64> + Clone> States<Numbered<B, H>> for ByState {
    type State = Stored<H>;

    fn state(router: &Numbered<B, H>) -> Stored<H> {
        Stored(router.state(), router.hasher().clone())
    }
    fn restore(state: Stored<H>) -> Result<Numbered<B, H>, RouteError> {
        Numbered::from_state_with(state.1, state.0)
    }
}

/// A state, and a hasher that goes with it.
struct Stored<H>(BucketState, H);

impl<H> PartialEq for Stored<H> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<H> std::fmt::Debug for Stored<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

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
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        the_order_of_leaving_decides_nothing,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, removing_only_drops_the_node_from_each_walk,
        nodes_that_are_down_are_passed_over_as_if_removed,
        replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
        zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        zone_replicas_lose_only_the_leaver, digest_walks,
        balances_evenly, every_node_owns_something,
    ],

    // 256 digests: keys that share theirs, and nodes that own no key.
    ranking_top_8_bits: |nodes| Ranking::from_nodes_with(Cut::top(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        the_order_of_leaving_decides_nothing,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, removing_only_drops_the_node_from_each_walk,
        nodes_that_are_down_are_passed_over_as_if_removed,
        replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
        zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        zone_replicas_lose_only_the_leaver, digest_walks,
    ],

    dx: dx,
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        the_order_of_leaving_decides_nothing,
        balances_evenly, every_node_owns_something,
    ],

    // As many buckets as nodes and guests, at most: few draws miss.
    dx_of_little_room: |nodes| Dx::with_capacity(12)?.with_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        the_order_of_leaving_decides_nothing,
    ],

    dx_low_8_bits: |nodes| {
        Dx::with_capacity_and_hasher(CAPACITY, Cut::low(Xxh3, 8))?.with_nodes(nodes.iter().cloned())
    },
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        the_order_of_leaving_decides_nothing,
    ],

    anchor: anchor,
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
        balances_evenly, every_node_owns_something,
    ],

    anchor_of_little_room: |nodes| Anchor::with_capacity(12)?.with_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
    ],

    anchor_top_8_bits: |nodes| {
        Anchor::with_capacity_and_hasher(CAPACITY, Cut::top(Xxh3, 8))?.with_nodes(nodes.iter().cloned())
    },
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
    ],

    growable_anchor: |nodes| GrowableAnchor::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
        balances_evenly, every_node_owns_something,
    ],

    growable_anchor_low_8_bits: |nodes| {
        GrowableAnchor::from_nodes_with(Cut::low(Xxh3, 8), nodes.iter().cloned())
    },
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
    ],

    memento: |nodes| Memento::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
        balances_evenly, every_node_owns_something,
    ],

    memento_top_8_bits: |nodes| Memento::from_nodes_with(Cut::top(Xxh3, 8), nodes.iter().cloned()),
    keeps [
        lookup, growth, rebuilding, digests,
        removing_moves_only_the_leavers_keys, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing,
        any_history_moves_only_what_it_must, a_state_is_all_that_matters(ByState),
        changes_undone_last_first_leave_no_trace,
    ],
}
