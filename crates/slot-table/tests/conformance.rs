//! The laws that tables keep, by their fills.

use keyroute_conformance::{Cut, Tables, laws};
use keyroute_core::hash::{Fnv1a64, Xxh3};
use keyroute_core::{KeyHasher, Node, RouteError, Slot};
use keyroute_slot_table::{
    AssignedFill, Assignment, BoundedFill, BuraksezerFill, ByRange, ByRemainder, Fill, Partitioner,
    RendezvousFill, SlotTable,
};

/// Few partitions, which are quickly filled.
fn table<F: Fill, H: KeyHasher<Out = u64>>(
    fill: F,
    hasher: H,
    nodes: &[Node],
) -> Result<SlotTable<F, ByRange<H>>, RouteError> {
    SlotTable::from_nodes_with(fill, ByRange::new(hasher, 256)?, nodes.iter().cloned())
}

/// Equal ranges of 1000 partitions for the nodes by id.
fn evenly(nodes: &[Node]) -> AssignedFill {
    let mut ids: Vec<_> = nodes.iter().map(|node| node.id().clone()).collect();
    ids.sort();
    ids.dedup();
    let count = u32::try_from(ids.len()).unwrap_or(1);
    let range = |(i, node): (u32, _)| Assignment {
        first: i * 1000 / count,
        last: (i + 1) * 1000 / count - 1,
        node,
    };
    AssignedFill::new((0..).zip(ids).map(range))
}

fn by_assignment(nodes: &[Node]) -> Result<SlotTable<AssignedFill>, RouteError> {
    let partitioner = ByRange::new(Xxh3, 1000)?;
    SlotTable::from_nodes_with(evenly(nodes), partitioner, nodes.iter().cloned())
}

/// How the laws about tables ask it.
#[derive(Clone, Copy)]
struct ByPartition;

impl<P: Partitioner> Tables<SlotTable<BoundedFill<Xxh3>, P>> for ByPartition {
    fn entries(table: &SlotTable<BoundedFill<Xxh3>, P>) -> Vec<Slot> {
        table.owners().collect()
    }
    fn cap(table: &SlotTable<BoundedFill<Xxh3>, P>, slot: Slot) -> u64 {
        table.limit_of(slot).map_or(0, u64::from)
    }
}

impl<P: Partitioner> Tables<SlotTable<BuraksezerFill<Xxh3>, P>> for ByPartition {
    fn entries(table: &SlotTable<BuraksezerFill<Xxh3>, P>) -> Vec<Slot> {
        table.owners().collect()
    }
    /// The package's average load at 1.25.
    fn cap(table: &SlotTable<BuraksezerFill<Xxh3>, P>, _slot: Slot) -> u64 {
        (u64::from(table.partitions()) * 1250).div_ceil(1000 * table.members().len() as u64)
    }
}

laws! {
    rendezvous: |nodes| table(RendezvousFill::new(Xxh3), Xxh3, nodes),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        walk_ranges, ranges, partitions,
        order_free, remove_then_add_is_the_identity, changes_undone_last_first_leave_no_trace,
    ],

    // Partitions are to these shares what points are to a ring's.
    rendezvous_of_65536: |nodes| SlotTable::from_nodes_with(
        RendezvousFill::new(Xxh3), ByRange::new(Xxh3, 65_536)?, nodes.iter().cloned()
    ),
    keeps [balances_as_a_ring(65), shares_follow_the_weights(72), every_node_owns_something],

    // Ids of equal hashes, whose draws are equal for every partition, and partitions without keys.
    rendezvous_of_8_bits: |nodes| table(
        RendezvousFill::new(Cut::top(Xxh3, 8)), Cut::top(Xxh3, 8), nodes
    ),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        walk_ranges, ranges, partitions,
        order_free, remove_then_add_is_the_identity,
    ],

    remainders: |nodes| SlotTable::from_nodes_with(
        RendezvousFill::new(Xxh3), ByRemainder::new(Fnv1a64, 271)?, nodes.iter().cloned()
    ),
    keeps [
        lookup, growth, removal, rebuilding, weights, digests, walks, walks_that_change, digest_walks,
        partitions, order_free, remove_then_add_is_the_identity,
    ],

    bounded: |nodes| table(BoundedFill::new(Xxh3), Xxh3, nodes),
    keeps [
        lookup, order_free, rebuilding, digests, ranges, partitions,
        adding_equals_building_anew, a_member_cannot_be_added_again,
        removing_equals_building_anew, a_stranger_cannot_be_removed, the_last_to_leave_leaves_nothing,
        add_then_remove_is_the_identity, remove_then_add_is_the_identity,
        the_order_of_leaving_decides_nothing, changes_undone_last_first_leave_no_trace,
        no_node_takes_more_entries_than_its_cap(ByPartition),
        any_history_equals_building_anew,
        reweighting_equals_building_anew, reweighting_there_and_back_is_the_identity,
        a_stranger_cannot_be_reweighted, any_weighted_history_equals_building_anew,
    ],

    // A load of 1 leaves nothing to chance but the keys.
    bounded_evenly: |nodes| SlotTable::from_nodes_with(
        BoundedFill::new(Xxh3).with_load(1000)?, ByRange::new(Xxh3, 65_536)?, nodes.iter().cloned()
    ),
    keeps [balances_evenly, shares_follow_the_weights(u32::MAX), every_node_owns_something],

    assigned: by_assignment,
    keeps [
        lookup, order_free, digests, ranges, partitions, balances_evenly,
        a_member_cannot_be_added_again, adding_moves_keys_only_to_the_newcomer,
        add_then_remove_is_the_identity, a_stranger_cannot_be_reweighted,
        raising_a_weight_moves_keys_only_to_that_node, lowering_a_weight_moves_keys_only_from_that_node,
        reweighting_equals_building_anew, reweighting_there_and_back_is_the_identity,
        a_refused_rebuild_changes_nothing,
    ],

    buraksezer: |nodes| SlotTable::from_nodes_with(
        BuraksezerFill::v1_0(Xxh3), ByRemainder::new(Xxh3, 271)?, nodes.iter().cloned()
    ),
    keeps [
        lookup, rebuilding, digests, partitions,
        adding_equals_building_anew, a_member_cannot_be_added_again,
        removing_equals_building_anew, a_stranger_cannot_be_removed, the_last_to_leave_leaves_nothing,
        add_then_remove_is_the_identity, any_history_equals_building_anew,
        the_order_of_leaving_decides_nothing, no_node_takes_more_entries_than_its_cap(ByPartition),
    ],
}
