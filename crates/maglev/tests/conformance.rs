//! The laws that Maglev keeps. It makes no promise about which keys stay, and has no preference order.

use keyroute_conformance::{Cut, Tables, laws};
use keyroute_core::hash::Xxh3;
use keyroute_maglev::{KeyHasher, Maglev, Slot, TableSize};

fn size() -> TableSize {
    TableSize::new(509).unwrap_or_default()
}

/// How the laws about tables ask it.
#[derive(Clone, Copy)]
struct ByEntry;

impl<H: KeyHasher<Out = u64>> Tables<Maglev<H>> for ByEntry {
    fn entries(router: &Maglev<H>) -> Vec<Slot> {
        router.entries().collect()
    }
    /// The share, rounded up.
    fn cap(router: &Maglev<H>, slot: Slot) -> u64 {
        let weight = |slot| u64::from(router.members().get(slot).map_or(0, |n| n.weight().get()));
        let all: u64 = router.members().slots().map(weight).sum();
        (router.entries().len() as u64 * weight(slot)).div_ceil(all)
    }
}

laws! {
    maglev: |nodes| Maglev::from_nodes_with(Xxh3, size(), nodes.iter().cloned()),
    keeps [
        lookup, order_free, rebuilding, digests, ranges, partitions,
        adding_equals_building_anew, a_member_cannot_be_added_again,
        removing_equals_building_anew, a_stranger_cannot_be_removed, the_last_to_leave_leaves_nothing,
        add_then_remove_is_the_identity, remove_then_add_is_the_identity,
        the_order_of_leaving_decides_nothing, changes_undone_last_first_leave_no_trace,
        shares_are_within_one_entry(ByEntry), no_node_takes_more_entries_than_its_cap(ByEntry),
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
        lookup, order_free, rebuilding, digests, ranges, partitions,
        adding_equals_building_anew, removing_equals_building_anew, the_last_to_leave_leaves_nothing,
        any_history_equals_building_anew, any_weighted_history_equals_building_anew,
        shares_are_within_one_entry(ByEntry), no_node_takes_more_entries_than_its_cap(ByEntry),
    ],
}
