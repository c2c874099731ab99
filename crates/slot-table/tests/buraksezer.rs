//! [`BuraksezerFill`] beside what is written of the package. Recorded answers of both versions check the preset,
//! `keyroute-interop`'s `Buraksezer`.

use keyroute_core::hash::Xxh64;
use keyroute_slot_table::{BuraksezerFill, ByRemainder, KeyHasher, Node, SlotTable};

#[test]
fn the_worked_example_agrees() {
    let hasher = Xxh64::default();
    assert_eq!(hasher.hash(b"0:node-A"), 7_340_074_816_792_227_439);
    assert_eq!(hasher.hash(&0u64.to_le_bytes()), 3_803_688_792_395_291_579);
    let partitioner = ByRemainder::new(hasher, 271).unwrap();
    let nodes = ["node-A", "node-B", "node-C"].map(|id| Node::new(id).unwrap());
    let table =
        SlotTable::from_nodes_with(BuraksezerFill::v1_0(hasher), partitioner, nodes).unwrap();
    assert_eq!(table.partition_of(b"key-0"), 167);
    assert_eq!(table.closest(b"key-0", 9).len(), 3);
    assert!(table.partitions_by_slot().all(|(_, count)| count <= 113));
}

/// What the package crashes on: `node-1` and `node-11` share the label `node-110`.
#[test]
fn a_node_that_shares_a_point_can_leave() {
    let hasher = Xxh64::default();
    let partitioner = ByRemainder::new(hasher, 271).unwrap();
    let ids = (0..20).map(|i| format!("node-{i}"));
    let nodes: Vec<Node> = ids.map(|id| Node::new(id).unwrap()).collect();
    let fill = BuraksezerFill::v0_10(hasher);
    let mut table = SlotTable::from_nodes_with(fill, partitioner, nodes.clone()).unwrap();
    table.remove("node-1").unwrap();
    let rest = nodes.into_iter().filter(|node| *node.id() != *"node-1");
    let anew = SlotTable::from_nodes_with(fill, partitioner, rest).unwrap();
    assert!(table.diff(&anew).unwrap().is_empty());
}
