//! [`laws!`](crate::laws!): names tests.

/// Claims laws for a router: each becomes a `#[test]`, named as a sentence.
///
/// The router is made by a closure from any list of nodes (`&[Node]`); it answers
/// `Result<R, RouteError>`. Claims are names of [laws](mod@crate::laws), or of the families below, which
/// stand for the laws that usually go together.
///
/// ```
/// use keyroute_jump::Jump;
///
/// keyroute_conformance::laws! {
///     jump: |nodes| Jump::from_nodes(nodes.iter().cloned()),
///     keeps [lookup, digests, growth, tail, rebuilding, balances_evenly],
/// }
/// // Among others: jump::adding_moves_keys_only_to_the_newcomer
/// ```
///
/// Inputs are drawn under a fixed seed, so a suite that passed passes again. `KEYROUTE_CASES` draws
/// more, `KEYROUTE_SEED` draws others; a violation names both.
///
/// | family | for routers that are | laws |
/// | --- | --- | --- |
/// | `lookup` | [`Router`](keyroute_core::Router) | what every router keeps, fingerprints and explanations included |
/// | `order_free` | [`OrderFree`](keyroute_core::OrderFree) | the order of listing decides nothing |
/// | `growth` | [`AddNode`](keyroute_core::AddNode) | adding moves keys only to the newcomer, and equals building anew |
/// | `removal` | [`RemoveNode`](keyroute_core::RemoveNode), `AddNode` | removing moves only the leaver's keys; coming and going leaves no trace |
/// | `tail` | [`RemoveLast`](keyroute_core::RemoveLast), `AddNode` | the same for the last node of the list |
/// | `rebuilding` | [`Rebuild`](keyroute_core::Rebuild) | rebuilding equals building anew |
/// | `weights` | [`Reweight`](keyroute_core::Reweight), `AddNode`, `RemoveNode` | a weight moves keys only to and from its node |
/// | `digests` | [`RouteDigest`](keyroute_core::RouteDigest) | a digest goes where its key goes |
/// | `walks` | [`Walk`](keyroute_core::Walk) | orders, replicas, zones; the restriction property |
/// | `walks_that_change` | `Walk`, `AddNode`, `RemoveNode` | orders stay as stable as owners |
/// | `digest_walks` | [`WalkDigest`](keyroute_core::WalkDigest) | a digest has the walk of its key |
/// | `walk_ranges` | [`WalkRanges`](keyroute_core::WalkRanges) | walks are the same throughout a range |
/// | `ranges` | [`Ranges`](keyroute_core::Ranges), `RouteDigest` | ranges hold every position once and agree with lookups |
/// | `partitions` | [`Partitioned`](keyroute_core::Partitioned) | a key goes where its partition goes |
/// | `bounded(…)` | bounded, and asked through a [`Loads`](crate::Loads) | loads respect capacities, find a node, and end |
/// | `ring` | all of these but `OrderFree`, `RemoveLast`, `WalkRanges` and `Partitioned` | all of these but `order_free`, `tail`, `walk_ranges` and `partitions` |
///
/// A law that the router cannot be asked about does not compile; [`hold`](crate::hold) shows it.
#[macro_export]
macro_rules! laws {
    ($($name:ident: $make:expr, keeps [$($claims:tt)*] $(,)?)+) => {$(
        mod $name {
            #[allow(unused_imports, reason = "what the closure needs, unless it names everything in full")]
            use super::*;

            $crate::__claims! { [$make] $($claims)* }
        }
    )+};
}

/// One claim after another; families are spelled out.
#[doc(hidden)]
#[macro_export]
macro_rules! __claims {
    ([$make:expr]) => {};
    ([$make:expr] lookup $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            every_key_has_an_owner,
            without_members_no_key_has_an_owner,
            a_lone_node_owns_every_key,
            the_members_are_the_nodes_given,
            asked_again_it_answers_the_same,
            slot_and_id_name_one_node,
            a_batch_equals_single_lookups,
            a_batch_that_does_not_fit_is_refused,
            erased_it_answers_the_same,
            the_heap_holds_the_members,
            equal_routers_have_equal_fingerprints,
            another_fleet_has_another_fingerprint,
            the_fingerprint_tells_orders_apart_where_they_matter,
            an_explanation_names_the_owner,
            $($($rest)*)?
        }
    };
    ([$make:expr] order_free $(, $($rest:tt)*)?) => {
        $crate::__claims! { [$make] the_order_of_listing_decides_nothing, $($($rest)*)? }
    };
    ([$make:expr] growth $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            adding_moves_keys_only_to_the_newcomer,
            adding_equals_building_anew,
            a_member_cannot_be_added_again,
            $($($rest)*)?
        }
    };
    ([$make:expr] removal $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            removing_moves_only_the_leavers_keys,
            removing_equals_building_anew,
            a_stranger_cannot_be_removed,
            the_last_to_leave_leaves_nothing,
            add_then_remove_is_the_identity,
            any_history_equals_building_anew,
            any_history_moves_only_what_it_must,
            the_order_of_leaving_decides_nothing,
            $($($rest)*)?
        }
    };
    ([$make:expr] tail $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            removing_the_last_moves_only_its_keys,
            removing_the_last_equals_building_anew,
            add_then_remove_last_is_the_identity,
            nothing_can_be_removed_from_nothing,
            $($($rest)*)?
        }
    };
    ([$make:expr] rebuilding $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            rebuilding_equals_building_anew,
            a_refused_rebuild_changes_nothing,
            $($($rest)*)?
        }
    };
    ([$make:expr] weights $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            raising_a_weight_moves_keys_only_to_that_node,
            lowering_a_weight_moves_keys_only_from_that_node,
            reweighting_equals_building_anew,
            reweighting_there_and_back_is_the_identity,
            a_stranger_cannot_be_reweighted,
            any_weighted_history_equals_building_anew,
            $($($rest)*)?
        }
    };
    ([$make:expr] digests $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            a_digest_goes_where_its_key_goes,
            a_batch_of_digests_equals_single_ones,
            a_foreign_digest_is_refused,
            an_explanation_shows_the_digest,
            $($($rest)*)?
        }
    };
    ([$make:expr] walks $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            a_walk_visits_every_node_once,
            a_walk_begins_with_the_owner,
            a_walk_stops_when_told,
            a_lent_set_changes_no_walk,
            a_node_left_out_is_only_left_out_of_each_walk,
            replicas_are_distinct_and_the_owner_is_first,
            fewer_replicas_begin_more,
            the_first_that_serves_is_found,
            zone_replicas_take_every_zone_first,
            fewer_zone_replicas_begin_more,
            each_zone_routes_as_if_alone,
            an_explanation_follows_the_walk,
            $($($rest)*)?
        }
    };
    ([$make:expr] walks_that_change $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            removing_only_drops_the_node_from_each_walk,
            any_history_walks_as_built_anew,
            nodes_that_are_down_are_passed_over_as_if_removed,
            zone_replicas_lose_only_the_leaver,
            $($($rest)*)?
        }
    };
    ([$make:expr] digest_walks $(, $($rest:tt)*)?) => {
        $crate::__claims! { [$make] a_digest_walks_as_its_key, $($($rest)*)? }
    };
    ([$make:expr] walk_ranges $(, $($rest:tt)*)?) => {
        $crate::__claims! { [$make] walks_are_the_same_throughout_a_range, $($($rest)*)? }
    };
    ([$make:expr] ranges $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            the_ranges_hold_every_position_once,
            neighbouring_ranges_have_different_owners,
            ranges_own_what_is_routed_to_them,
            an_explained_place_holds_the_key,
            $($($rest)*)?
        }
    };
    ([$make:expr] partitions $(, $($rest:tt)*)?) => {
        $crate::__claims! { [$make] a_key_goes_where_its_partition_goes, $($($rest)*)? }
    };
    ([$make:expr] bounded($loads:expr) $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            no_node_takes_more_than_its_capacity($loads),
            a_load_passes_only_full_nodes($loads),
            every_load_finds_a_node($loads),
            idle_it_answers_as_the_plain_router($loads),
            the_loads_are_the_leases_alive($loads),
            the_loads_of_a_leaver_leave_with_it($loads),
            $($($rest)*)?
        }
    };
    ([$make:expr] ring $(, $($rest:tt)*)?) => {
        $crate::__claims! {
            [$make]
            lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change,
            digest_walks, ranges,
            $($($rest)*)?
        }
    };
    ([$make:expr] $law:ident $(($($parameter:expr),* $(,)?))? $(, $($rest:tt)*)?) => {
        #[test]
        fn $law() {
            $crate::hold($make, |subject| $crate::laws::$law(subject $($(, $parameter)*)?));
        }

        $crate::__claims! { [$make] $($($rest)*)? }
    };
}
