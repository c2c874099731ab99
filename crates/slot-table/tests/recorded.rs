//! [`BuraksezerFill`] against recorded answers of both versions of the package.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use keyroute_core::hash::{Fnv1a64, Xxh64};
use keyroute_slot_table::{BuraksezerFill, ByRemainder, KeyHasher, Node, Slot, SlotTable};
use serde_json::Value;

type Hasher = fn(&[u8]) -> u64;
type Table = SlotTable<BuraksezerFill<Hasher>, ByRemainder<Hasher>>;

fn hasher(name: &str) -> Hasher {
    match name {
        "xxhash64" => |bytes| Xxh64::default().hash(bytes),
        "fnv1a64" => |bytes| Fnv1a64.hash(bytes),
        "crc64-iso" => |bytes| crc::Crc::<u64>::new(&crc::CRC_64_GO_ISO).checksum(bytes),
        other => panic!("an unknown hasher, {other}"),
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn build(recording: &Value) -> Table {
    let config = &recording["config"];
    let hasher = hasher(text(&config["hasher"]));
    let fill = match text(&config["upstream"]) {
        "v0.10.0" => BuraksezerFill::v0_10(hasher),
        "v1.0.0" => BuraksezerFill::v1_0(hasher),
        other => panic!("an unknown version, {other}"),
    };
    assert_eq!(config["load"].as_f64(), Some(1.25));
    let fill = fill
        .with_points(number(&config["replication_factor"]))
        .unwrap();
    let partitioner = ByRemainder::new(hasher, number(&config["partition_count"])).unwrap();
    let nodes = list(&recording["nodes"]).iter().map(text);
    let nodes: Vec<Node> = nodes.map(|id| Node::new(id).unwrap()).collect();
    let mut table = SlotTable::from_nodes_with(fill, partitioner, nodes).unwrap();
    for op in config["ops"].as_array().into_iter().flatten() {
        match text(&op[0]) {
            "add" => assert!(table.add(Node::new(text(&op[1])).unwrap()).is_ok()),
            "remove" => assert!(table.remove(text(&op[1])).is_ok()),
            other => panic!("an unknown operation, {other}"),
        }
    }
    table
}

fn id(table: &Table, slot: Slot) -> &str {
    table.members().get(slot).unwrap().id().as_str()
}

#[test]
fn every_recorded_table_agrees() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let (mut tables, mut routes, mut lists) = (0, 0, 0);
    for file in fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("buraksezer-") {
            continue;
        }
        tables += 1;
        let recording: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        let table = build(&recording);
        let owners: Vec<&str> = table.owners().map(|slot| id(&table, slot)).collect();
        let recorded = list(&recording["aux"]["partition_owners"]).iter();
        assert_eq!(owners, recorded.map(text).collect::<Vec<_>>(), "{name}");
        for (slot, count) in table.partitions_by_slot() {
            // A node without partitions is not listed.
            let load = &recording["aux"]["loads"][id(&table, slot)];
            assert_eq!(u64::from(count), load.as_u64().unwrap_or(0), "{name}");
        }
        for case in list(&recording["cases"]) {
            let key = text(&case[0]).as_bytes();
            if let Some(closest) = case[1].as_array() {
                let found = table.closest(key, closest.len());
                let found: Vec<&str> = found.into_iter().map(|slot| id(&table, slot)).collect();
                let closest: Vec<&str> = closest.iter().map(text).collect();
                assert_eq!(found, closest, "{name}: key {}", case[0]);
                lists += 1;
            } else {
                let owner = table.route_id(key).unwrap();
                assert_eq!(owner, text(&case[1]), "{name}: key {}", case[0]);
                routes += 1;
            }
        }
    }
    assert_eq!(tables, 11);
    assert!(
        routes >= 1500 && lists >= 150,
        "{routes} routes, {lists} lists"
    );
}

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
