//! The laws that the remainder keeps: not those which say how few keys a change moves.

use keyroute_conformance::{Cut, laws};
use keyroute_core::hash::{Crc32, Xxh3};
use keyroute_modulo::Modulo;

laws! {
    modulo: |nodes| Modulo::from_nodes(nodes.iter().cloned()),
    keeps [
        lookup, digests, rebuilding,
        adding_equals_building_anew, a_member_cannot_be_added_again,
        removing_equals_building_anew, a_stranger_cannot_be_removed,
        the_last_to_leave_leaves_nothing, add_then_remove_is_the_identity,
        any_history_equals_building_anew,
        removing_the_last_equals_building_anew, add_then_remove_last_is_the_identity,
        nothing_can_be_removed_from_nothing,
        balances_evenly, every_node_owns_something,
    ],

    over_32_bits: |nodes| Modulo::from_nodes_with(Crc32, nodes.iter().cloned()),
    keeps [lookup, digests, rebuilding, any_history_equals_building_anew],

    low_8_bits: |nodes| Modulo::from_nodes_with(Cut::low(Xxh3, 8), nodes.iter().cloned()),
    keeps [lookup, digests, rebuilding, any_history_equals_building_anew],
}
