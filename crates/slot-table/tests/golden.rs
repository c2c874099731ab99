//! Pinned tables, and what is stored of them. The numbers come from another implementation, in Python
//! (the package `xxhash` 4.x, logarithms with 60 digits), of what `docs/hashing.md` says.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_core::hash::Xxh3;
use keyroute_slot_table::{
    AssignedFill, Assignment, BoundedFill, BuraksezerFill, ByRange, ByRemainder, Fill, Node,
    Partitioner, RedisSlots, RendezvousFill, Router, SlotTable, Weight,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

fn nodes<'a>(weights: impl IntoIterator<Item = (&'a str, u32)>) -> Vec<Node> {
    let node = |(id, weight)| {
        let node = Node::new(id).unwrap();
        node.with_weight(Weight::new(weight).unwrap())
    };
    weights.into_iter().map(node).collect()
}

/// The owners of 64 partitions, by the last letter of their ids.
fn owners<F: Fill>(fill: F, nodes: Vec<Node>) -> String {
    let partitioner = ByRange::new(Xxh3, 64).unwrap();
    let table = SlotTable::from_nodes_with(fill, partitioner, nodes).unwrap();
    let letter = |slot| {
        let id = table.members().get(slot).unwrap().id();
        id.as_str().chars().last().unwrap()
    };
    table.owners().map(letter).collect()
}

#[test]
fn rendezvous_tables_are_pinned() {
    assert_eq!(
        owners(
            RendezvousFill::new(Xxh3),
            nodes([("c", 1), ("b", 1), ("a", 1)])
        ),
        "abcbbaccacbcacacccabbbbcaacaccccabbbbbbaabbaaccccaaacccabaaacbba"
    );
    assert_eq!(
        owners(
            RendezvousFill::new(Xxh3),
            nodes([("b", 2), ("a", 1), ("c", 5)])
        ),
        "cbcbbcccccbcbcaccccbbbccaacccccccbbbcbbaacbccccccbcbcccabacaccba"
    );
}

#[test]
fn bounded_tables_are_pinned() {
    let even = BoundedFill::new(Xxh3).with_load(1000).unwrap();
    assert_eq!(
        owners(even, nodes([("c", 1), ("b", 1), ("a", 1)])),
        "abcbbaccacbcacaccabbbbbcaacaccccabbbbbbaabbaaccccaaacccabaaacbba"
    );
    assert_eq!(
        owners(even, nodes([("b", 2), ("a", 1), ("c", 5)])),
        "cbcbbcccccccbcaccccbbbccaacccccccbbbccbaccbccccccbcbcccabacaccba"
    );
    let five = ["n0", "n1", "n2", "n3", "n4"].map(|id| (id, 1));
    assert_eq!(
        owners(even, nodes(five)),
        "1313020011342131444033222010421044041200400233332314031124213422"
    );
}

#[test]
fn walks_are_pinned() {
    let ids: Vec<String> = (0..10).map(|i| format!("node-{i}")).collect();
    let weighted = (1..=3).cycle();
    let weights = ids.iter().map(String::as_str).zip(weighted);
    let table = SlotTable::from_nodes(nodes(weights)).unwrap();
    for (key, partition, replicas) in [
        ("user:1", 3797, ["node-7", "node-3", "node-4"]),
        ("user:2", 6760, ["node-2", "node-4", "node-8"]),
        ("", 2881, ["node-5", "node-1", "node-9"]),
        ("key-77", 10_247, ["node-8", "node-6", "node-3"]),
        ("/index.html", 10_915, ["node-7", "node-0", "node-9"]),
    ] {
        assert_eq!(table.partition_of(key.as_bytes()), partition);
        let slots = table.replicas(key.as_bytes(), 3);
        let found: Vec<_> = slots
            .into_iter()
            .map(|slot| table.members().get(slot).unwrap().id().as_str())
            .collect();
        assert_eq!(found, replicas, "{key:?}");
    }
}

/// The stored form, checked to give the same table again.
fn stored<F, P>(fill: F, partitioner: P, nodes: Vec<Node>) -> String
where
    F: Fill + Serialize + DeserializeOwned,
    P: Partitioner + Serialize + DeserializeOwned,
{
    let table = SlotTable::from_nodes_with(fill, partitioner, nodes).unwrap();
    let text = serde_json::to_string(&table).unwrap();
    let back: SlotTable<F, P> = serde_json::from_str(&text).unwrap();
    assert_eq!(back.describe(), table.describe(), "{text}");
    assert_eq!(back.assignments(), table.assignments(), "{text}");
    text
}

#[test]
fn stored_recipes_give_the_same_tables() {
    let two = || nodes([("b", 2), ("a", 1)]);
    assert_eq!(
        stored(
            RendezvousFill::new(Xxh3),
            ByRange::new(Xxh3, 64).unwrap(),
            two()
        ),
        r#"{"fill":{"hasher":"xxh3-64"},"partitioner":{"hasher":"xxh3-64","partitions":64},"nodes":[{"id":"b","weight":2},{"id":"a","weight":1}]}"#
    );
    assert_eq!(
        stored(
            BoundedFill::new(Xxh3),
            ByRange::new(Xxh3, 64).unwrap(),
            two()
        ),
        r#"{"fill":{"hasher":"xxh3-64","load":1250},"partitioner":{"hasher":"xxh3-64","partitions":64},"nodes":[{"id":"b","weight":2},{"id":"a","weight":1}]}"#
    );
    let [a, b] = ["a", "b"].map(|id| Node::new(id).unwrap().id().clone());
    let halves = AssignedFill::new([
        Assignment {
            first: 100,
            last: 16_383,
            node: b,
        },
        Assignment {
            first: 0,
            last: 99,
            node: a,
        },
    ]);
    assert_eq!(
        stored(halves, RedisSlots::redis(), two()),
        r#"{"fill":[{"first":0,"last":99,"node":"a"},{"first":100,"last":16383,"node":"b"}],"partitioner":{"hasher":"redis-crc16","partitions":16384},"nodes":[{"id":"b","weight":2},{"id":"a","weight":1}]}"#
    );
    assert_eq!(
        stored(
            BuraksezerFill::v0_10(Xxh3),
            ByRemainder::new(Xxh3, 271).unwrap(),
            nodes([("b", 1), ("a", 1)])
        ),
        r#"{"fill":{"hasher":"xxh3-64","version":"0.10","points":20,"load":1250},"partitioner":{"hasher":"xxh3-64","partitions":271},"nodes":[{"id":"b","weight":1},{"id":"a","weight":1}]}"#
    );
}

#[test]
fn a_stored_recipe_goes_through_the_same_checks() {
    fn refused<F: Fill + DeserializeOwned, P: Partitioner + DeserializeOwned>(
        text: &str,
    ) -> String {
        let read = serde_json::from_str::<SlotTable<F, P>>(text);
        read.map(|_| text.to_owned()).unwrap_err().to_string()
    }
    let with = |fill: &str, partitioner: &str, nodes: &str| {
        format!(r#"{{"fill":{fill},"partitioner":{partitioner},"nodes":{nodes}}}"#)
    };
    let hasher = r#"{"hasher":"xxh3-64"}"#;
    let range = r#"{"hasher":"xxh3-64","partitions":64}"#;
    let good = with(hasher, range, r#"[{"id":"a"}]"#);
    assert!(serde_json::from_str::<SlotTable<RendezvousFill, ByRange>>(&good).is_ok());
    for bad in [
        with(hasher, range, r#"[{"id":"a"},{"id":"a"}]"#),
        with(hasher, r#"{"hasher":"xxh3-64","partitions":0}"#, "[]"),
        with(hasher, r#"{"hasher":"xxh3-64","partitions":1048577}"#, "[]"),
        with(hasher, r#"{"hasher":"crc32","partitions":64}"#, "[]"),
        with(r#"{"hasher":"xxh3-64","load":1}"#, range, "[]"),
    ] {
        refused::<RendezvousFill, ByRange>(&bad);
    }
    refused::<BoundedFill, ByRange>(&with(r#"{"hasher":"xxh3-64","load":999}"#, range, "[]"));
    let gap = r#"[{"first":0,"last":62,"node":"a"}]"#;
    let said = refused::<AssignedFill, ByRange>(&with(gap, range, r#"[{"id":"a"}]"#));
    assert!(said.contains("partitions 63 to 63"), "{said}");
    let redis = r#"{"hasher":"crc16","partitions":16384}"#;
    refused::<AssignedFill, RedisSlots>(&with("[]", redis, "[]"));
}
