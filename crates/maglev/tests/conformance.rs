//! The laws that Maglev keeps. It makes no promise about which keys stay, and has no preference order.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::Xxh3;
use keyroute_maglev::{Maglev, TableSize};

fn size() -> TableSize {
    TableSize::new(509).unwrap_or_default()
}

laws! {
    maglev: |nodes| Maglev::from_nodes_with(Xxh3, size(), nodes.iter().cloned()),
    keeps [
        lookup, order_free, rebuilding, digests, ranges,
        adding_equals_building_anew, a_member_cannot_be_added_again,
        removing_equals_building_anew, a_stranger_cannot_be_removed, the_last_to_leave_leaves_nothing,
        add_then_remove_is_the_identity, remove_then_add_is_the_identity,
        any_history_equals_building_anew,
        reweighting_equals_building_anew, reweighting_there_and_back_is_the_identity,
        a_stranger_cannot_be_reweighted, any_weighted_history_equals_building_anew,
    ],

    default_size: |nodes| Maglev::from_nodes(nodes.iter().cloned()),
    keeps [
        balances_evenly, every_node_owns_something,
        // What a ring of endless points would do: nothing but chance is left.
        shares_follow_the_weights(u32::MAX),
    ],

    // Nodes of one permutation, which want the same entries at the same time.
    top_8_bits: |nodes| Maglev::from_nodes_with(Cut::top(Xxh3, 8), size(), nodes.iter().cloned()),
    keeps [
        lookup, order_free, rebuilding, digests, ranges,
        adding_equals_building_anew, removing_equals_building_anew, the_last_to_leave_leaves_nothing,
        any_history_equals_building_anew, any_weighted_history_equals_building_anew,
    ],
}
