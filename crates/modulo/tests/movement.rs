//! What a change of the number of nodes costs: the figures of the README.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_modulo::hash::{Crc32, Xxh3};
use keyroute_modulo::{KeyHasher, Modulo, Node, NodeId};

/// How many of the keys `user:0:session`, `user:1:session`, … move when one node joins.
fn moved<H: KeyHasher>(hasher: H, nodes: u32, keys: u32) -> usize {
    let ids = (0..nodes).map(|i| format!("node-{i}"));
    let mut router = Modulo::from_ids_with(hasher, ids).unwrap();
    let owners = |router: &Modulo<H>| -> Vec<NodeId> {
        (0..keys)
            .map(|i| format!("user:{i}:session"))
            .map(|key| router.route_id(key.as_bytes()).unwrap().clone())
            .collect()
    };
    let before = owners(&router);
    router.add(Node::new("newcomer").unwrap()).unwrap();
    let after = owners(&router);
    before.iter().zip(&after).filter(|(a, b)| a != b).count()
}

#[test]
fn three_to_four_nodes_moves_three_quarters_of_the_keys() {
    assert_eq!(moved(Crc32, 3, 10_000), 7484);
}

#[test]
fn fifty_to_fifty_one_nodes_moves_98_percent() {
    assert_eq!(moved(Crc32, 50, 100_000), 98_006);
}

#[test]
fn a_better_hash_does_not_help() {
    assert_eq!(moved(Xxh3, 3, 10_000), 7530);
}
