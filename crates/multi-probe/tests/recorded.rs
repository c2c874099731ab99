//! The engine against recorded answers of two other implementations, each with its own hashes and probes;
//! one charges a probe that wraps the long way round.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::hash::Hasher;

use keyroute_multi_probe::hash::Xxh32;
use keyroute_multi_probe::{
    Edge, KeyHasher, Members, Node, PointTable, ProbeDistance, Slot, SortedPoints, closest,
};
use serde_json::Value;
use siphasher::sip::SipHasher24;

fn read(file: &str) -> Value {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The members after the recording's operations, which come before any key.
fn members(recording: &Value) -> Members {
    let nodes = list(&recording["nodes"]).iter().map(text);
    let mut members = Members::from_nodes(nodes.map(|id| Node::new(id).unwrap())).unwrap();
    for operation in recording["config"]["ops"].as_array().unwrap_or(&Vec::new()) {
        let id = text(&operation[1]);
        match text(&operation[0]) {
            "add" => drop(members.add(Node::new(id).unwrap()).unwrap()),
            "remove" => drop(members.remove(id).unwrap()),
            other => panic!("{other}"),
        }
    }
    members
}

/// Asks the engine for every recorded key, and counts.
fn replay<I: IntoIterator<Item = u64>>(
    recording: &Value,
    point: impl Fn(&[u8]) -> u64,
    probes: impl Fn(&[u8]) -> I,
    distance: ProbeDistance,
) -> usize {
    let members = members(recording);
    let points = members
        .iter()
        .map(|(slot, node)| (point(node.id().as_bytes()), slot));
    let mut table = SortedPoints::default();
    table.insert(points.collect(), &|a: Slot, b: Slot| members.cmp_id(a, b));
    let cases = list(&recording["cases"]);
    for case in cases {
        let (key, expected) = (text(&case[0]), text(&case[1]));
        let found = closest(&table, probes(key.as_bytes()), Edge::Exclusive, distance);
        let (_, slot) = found.unwrap();
        assert_eq!(members.get(slot).unwrap().id(), expected, "{key:?}");
    }
    cases.len()
}

fn siphash(bytes: &[u8], seed: u64) -> u64 {
    let mut hasher = SipHasher24::new_with_keys(seed, 0);
    hasher.write(bytes);
    hasher.finish()
}

#[test]
fn go_mpchash_agrees() {
    for file in ["n2-k1", "n3", "n7-k5", "n20", "n100"] {
        let recording = read(&format!("go-mpchash-{file}.json"));
        let config = &recording["config"];
        let seed = |number: usize| config["seeds"][number].as_u64().unwrap();
        let count = config["probes"].as_u64().unwrap();
        let probes = |key: &[u8]| {
            let (first, step) = (siphash(key, seed(0)), siphash(key, seed(1)));
            (0..count).map(move |i| first.wrapping_add(step.wrapping_mul(i)))
        };
        let asked = replay(
            &recording,
            |id| siphash(id, 0),
            probes,
            ProbeDistance::Clockwise,
        );
        assert!(asked >= 300, "{file}: {asked}");
    }
}

/// `MurmurHash3` for 32 bits, seed 0 (Appleby, public domain).
fn murmur3(bytes: &[u8]) -> u32 {
    let scramble = |word: u32| {
        word.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let (words, rest) = bytes.as_chunks::<4>();
    let mut hash = 0u32;
    for &word in words {
        hash ^= scramble(u32::from_le_bytes(word));
        hash = hash
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    hash ^= scramble(u32::from_le_bytes(last));
    hash ^= u32::try_from(bytes.len()).unwrap();
    hash ^= hash >> 16;
    hash = hash.wrapping_mul(0x85eb_ca6b);
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// The collection's hashes: 32 or 31 bits in 64, a seed other than 0 appended to the text.
fn java_hash(name: &str, text: &[u8], seed: u32) -> u64 {
    let mut bytes = text.to_vec();
    if seed != 0 {
        bytes.extend(seed.to_be_bytes());
    }
    match name {
        "XX" => Xxh32::default().hash(&bytes).into(),
        "MURMUR3" => murmur3(&bytes).cast_signed().unsigned_abs().into(),
        other => panic!("{other}"),
    }
}

#[test]
fn the_java_collection_agrees() {
    for file in ["n3", "n7-p5-murmur3", "n20", "n20-remove"] {
        let recording = read(&format!("java-multiprobe-{file}.json"));
        let name = text(&recording["config"]["hash"]);
        let count = u32::try_from(recording["config"]["probes"].as_u64().unwrap()).unwrap();
        let point = |id: &[u8]| java_hash(name, id, 0xdead_beef);
        let probes = |key: &[u8]| {
            let key = key.to_vec();
            // The seed of the first probe is 0: the plain hash.
            (0..count).map(move |i| java_hash(name, &key, i))
        };
        let asked = replay(&recording, point, probes, ProbeDistance::Difference);
        assert!(asked >= 300, "{file}: {asked}");
    }
}

/// A recording tells whether a probe that wraps is charged the long way: if the 31 bits of its hashes were a
/// circle, some keys would be elsewhere.
#[test]
fn the_distances_are_told_apart() {
    let recording = read("java-multiprobe-n7-p5-murmur3.json");
    let members = members(&recording);
    // The 31 bits as the upper ones of 32, so that they go round.
    let hash = |text: &[u8], seed| u32::try_from(java_hash("MURMUR3", text, seed) << 1).unwrap();
    let points = members
        .iter()
        .map(|(slot, node)| (hash(node.id().as_bytes(), 0xdead_beef), slot));
    let mut circle = SortedPoints::default();
    circle.insert(points.collect(), &|a: Slot, b: Slot| members.cmp_id(a, b));
    let differ = list(&recording["cases"]).iter().filter(|case| {
        let probes = (0..5).map(|i| hash(text(&case[0]).as_bytes(), i));
        let found = closest(&circle, probes, Edge::Exclusive, ProbeDistance::Clockwise);
        members.get(found.unwrap().1).unwrap().id() != text(&case[1])
    });
    assert_eq!(differ.count(), 8);
}
