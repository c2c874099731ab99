//! The laws that the ketama rings keep.

use keyroute_conformance::laws;
use keyroute_ketama::{BTreeKetama, Ketama, KetamaPoints};

laws! {
    ketama: |nodes| Ketama::from_nodes(nodes.iter().cloned()),
    keeps [
        ring, walk_ranges, order_free, remove_then_add_is_the_identity, changes_undone_last_first_leave_no_trace,
        balances_as_a_ring(160), shares_follow_the_weights(160), every_node_owns_something,
    ],

    in_a_tree: |nodes| {
        let scheme = KetamaPoints::default().with_points_per_weight(40)?;
        BTreeKetama::from_nodes_with(scheme, nodes.iter().cloned())
    },
    keeps [ring, walk_ranges, order_free, remove_then_add_is_the_identity, balances_as_a_ring(40)],

    // Each server's points depend on the others, so no law says how few keys a change moves; a share
    // can be none, so no law says that a walk reaches every server. 160 points are the mean share: at
    // weights of 1 to 5 a unit has 53.
    libketama: |nodes| Ketama::libketama(nodes.iter().cloned()),
    keeps [
        lookup, rebuilding, digests, ranges, digest_walks, walk_ranges, balances_as_a_ring(160), shares_follow_the_weights(53),
        a_walk_begins_with_the_owner, a_lent_set_changes_no_walk, fewer_replicas_begin_more,
        fewer_zone_replicas_begin_more, an_explanation_follows_the_walk,
    ],
}
