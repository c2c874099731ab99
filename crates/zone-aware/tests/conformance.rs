//! The laws that the layer keeps over a ring, rendezvous and the ranking. Its order puts zones first, so it is not
//! the same without a node, and who is down is not passed over as if it had left: that is for the inner order.

use keyroute_anchor::Ranking;
use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;
use keyroute_core::{Native, Node, RouteError};
use keyroute_rendezvous::Rendezvous;
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::ZoneAware;

/// Every position taken several times over.
fn cut(nodes: &[Node]) -> Result<ZoneAware<VectorRing<Native<Cut<Xxh3>>>>, RouteError> {
    let scheme = Native::new(Cut::top(Xxh3, 8)).with_points_per_weight(12)?;
    VectorRing::from_nodes_with(scheme, nodes.iter().cloned()).map(ZoneAware::new)
}

laws! {
    over_a_ring: |nodes| VectorRing::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
    keeps [
        lookup, order_free, growth, removal, rebuilding, weights, digests, ranges, digest_walks, walk_ranges,
        remove_then_add_is_the_identity, changes_undone_last_first_leave_no_trace,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found, any_history_walks_as_built_anew,
        a_walk_takes_every_zone_first, zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        each_zone_routes_as_if_alone, zone_replicas_lose_only_the_leaver,
        balances_as_a_ring(160), shares_follow_the_weights(160), every_node_owns_something,
    ],

    over_a_cut_ring: cut,
    keeps [
        lookup, order_free, growth, removal, rebuilding, weights, digests, ranges, digest_walks, walk_ranges,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found, any_history_walks_as_built_anew,
        a_walk_takes_every_zone_first, zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        each_zone_routes_as_if_alone, zone_replicas_lose_only_the_leaver,
    ],

    over_rendezvous: |nodes| Rendezvous::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
    keeps [
        lookup, order_free, growth, removal, rebuilding, weights, digests, digest_walks,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found, any_history_walks_as_built_anew,
        a_walk_takes_every_zone_first, zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        each_zone_routes_as_if_alone, zone_replicas_lose_only_the_leaver,
    ],

    over_the_ranking: |nodes| Ranking::from_nodes(nodes.iter().cloned()).map(ZoneAware::new),
    keeps [
        lookup, growth, rebuilding, digests, digest_walks,
        removing_moves_only_the_leavers_keys, any_history_moves_only_what_it_must,
        a_walk_visits_every_node_once, a_walk_begins_with_the_owner, a_walk_stops_when_told, an_explanation_follows_the_walk,
        a_lent_set_changes_no_walk, replicas_are_distinct_and_the_owner_is_first, fewer_replicas_begin_more,
        the_first_that_serves_is_found,
        a_walk_takes_every_zone_first, zone_replicas_take_every_zone_first, fewer_zone_replicas_begin_more,
        zone_replicas_lose_only_the_leaver,
    ],
}
