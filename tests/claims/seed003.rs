//! The ring of 2048 points: where a leaving node's keys go, and what a newcomer takes.

use std::collections::BTreeMap;

use keyroute::hash::Crc32;
use keyroute::{ById, Labelled, Node, VectorRing, WithTies};
use keyroute_tests::{labelled_ring, loads, moves, owners, sessions};

fn ring() -> VectorRing<WithTies<Labelled<Crc32>, ById>> {
    labelled_ring(
        "{node}-{i}",
        Crc32,
        2048,
        ById,
        &["Node0", "Node1", "Node2"],
    )
}

/// "A failed node's data spreads over all others" is right.
#[test]
fn a_leaving_nodes_keys_spread_over_all_others() {
    let keys = sessions(1000);
    let mut ring = ring();
    assert_eq!(loads(&ring, &keys)["Node1"], 349);
    let before = owners(&ring, &keys);
    ring.remove("Node1").unwrap();
    let after = owners(&ring, &keys);
    let mut moved: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for pair in moves(&before, &after) {
        *moved.entry(pair).or_default() += 1;
    }
    let expected = [(("Node1", "Node0"), 151), (("Node1", "Node2"), 198)];
    assert_eq!(moved, BTreeMap::from(expected));
}

/// Routing moves them; the article's store does not.
#[test]
fn a_newcomer_takes_270_keys_of_all() {
    let keys = sessions(1000);
    let mut ring = ring();
    let before = owners(&ring, &keys);
    ring.add(Node::new("Node3").unwrap()).unwrap();
    let after = owners(&ring, &keys);
    let moves = moves(&before, &after);
    assert_eq!(moves.len(), 270);
    assert!(moves.iter().all(|&(_, to)| to == "Node3"));
}
