//! The C++ program's output over the keys 0 to 65536, and its two lines of ketama hashes.

use std::collections::BTreeMap;

use keyroute::hash::Md5Word;
use keyroute::{BucketFunction, FirstListed, KeyHasher, Labelled, Node, VectorRing, WithTies};
use keyroute_interop::seeds::Seed004Fnv;
use keyroute_modulo::Remainder;
use keyroute_tests::{keys, labelled_ring, loads, moves, owners};

const NODES: [&str; 4] = [
    "192.168.1.101:12345",
    "192.168.1.102:12346",
    "192.168.1.103:12347",
    "192.168.1.104:12348",
];

type Ring = VectorRing<WithTies<Labelled<Seed004Fnv>, FirstListed>>;

fn ring(points: u32) -> Ring {
    labelled_ring("{node}#VN{i}", Seed004Fnv, points, FirstListed, &NODES)
}

fn numbers() -> Vec<String> {
    keys("", "", 65_537)
}

fn table(ring: &Ring) -> Vec<u32> {
    loads(ring, &numbers()).into_values().collect()
}

#[test]
fn the_four_tables_are_the_programs() {
    assert_eq!(table(&ring(1)), [17_714, 28_620, 8693, 10_510]);
    let mut ring = ring(400);
    assert_eq!(table(&ring), [16_540, 16_587, 17_231, 15_179]);
    ring.add(Node::new("192.168.1.105:12349").unwrap()).unwrap();
    assert_eq!(table(&ring), [13_321, 12_822, 13_816, 11_919, 13_659]);
    ring.remove(NODES[1]).unwrap();
    assert_eq!(table(&ring), [16_214, 16_888, 15_342, 17_093]);
}

/// "A failed node's traffic all goes to its neighbour": only without virtual nodes.
#[test]
fn adding_moves_13659_keys_and_deleting_splits_12822_over_all_others() {
    let keys = numbers();
    let mut ring = ring(400);
    let four = owners(&ring, &keys);
    ring.add(Node::new("192.168.1.105:12349").unwrap()).unwrap();
    let five = owners(&ring, &keys);
    let joined = moves(&four, &five);
    assert_eq!(joined.len(), 13_659);
    assert!(joined.iter().all(|&(_, to)| to == "192.168.1.105:12349"));

    ring.remove(NODES[1]).unwrap();
    let left = owners(&ring, &keys);
    let mut split: BTreeMap<&str, u32> = BTreeMap::new();
    for (from, to) in moves(&five, &left) {
        assert_eq!(from, NODES[1]);
        *split.entry(to).or_default() += 1;
    }
    let mut split: Vec<u32> = split.into_values().collect();
    split.sort_unstable();
    assert_eq!(split, [2893, 3072, 3423, 3434]);
}

#[test]
fn no_two_of_the_1600_points_coincide() {
    let ring = ring(400);
    assert_eq!(ring.points(), 1600);
    let mut positions: Vec<u32> = NODES
        .iter()
        .flat_map(|node| (0..400).map(move |i| Seed004Fnv.hash(format!("{node}#VN{i}").as_bytes())))
        .collect();
    positions.sort_unstable();
    positions.dedup();
    assert_eq!(positions.len(), 1600);
}

#[test]
fn key_4_is_in_bucket_1_of_3_and_bucket_0_of_4() {
    assert_eq!(Remainder::bucket(4u32, 3), Some(1));
    assert_eq!(Remainder::bucket(4u32, 4), Some(0));
}

#[test]
fn the_hash_is_the_articles_not_fnv() {
    for (text, hash) in [
        ("", 1_493_338_014),
        ("abc", 33_957_123),
        ("é", 1_254_762_382),
        ("节点", 1_442_605_023),
    ] {
        assert_eq!(Seed004Fnv.hash(text.as_bytes()), hash, "{text:?}");
    }
}

#[test]
fn the_ketama_hash_reads_one_of_four_words() {
    let words = [3_821_861_535, 1_421_957_104, 2_510_616_419, 1_486_446_112];
    for (alignment, word) in (0..).zip(words) {
        let hasher = Md5Word::new(alignment).unwrap();
        assert_eq!(hasher.hash(NODES[0].as_bytes()), word);
    }
    assert!(Md5Word::new(4).is_err());
}
