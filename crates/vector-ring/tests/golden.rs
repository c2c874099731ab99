//! The answers of the default ring and of the two-sided one, pinned: `data/native.json` and
//! `data/two_sided.json` were computed from the byte contract by other programs beside them. An answer that changes is a new scheme.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_vector_ring::{Node, TwoSidedRing, VectorRing, WalkExt, Weight, Zone};
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/native.json")).unwrap()
}

fn golden_of_both_sides() -> Value {
    serde_json::from_str(include_str!("data/two_sided.json")).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn nodes(golden: &Value) -> impl Iterator<Item = Node> {
    list(&golden["nodes"]).iter().map(|node| {
        let weight = u32::try_from(node["weight"].as_u64().unwrap()).unwrap();
        let weighed = Node::new(text(&node["id"])).unwrap();
        let weighed = weighed.with_weight(Weight::new(weight).unwrap());
        match text(&node["zone"]) {
            "" => weighed,
            zone => weighed.with_zone(Zone::new(zone).unwrap()),
        }
    })
}

fn ring(golden: &Value) -> VectorRing {
    VectorRing::from_nodes(nodes(golden)).unwrap()
}

fn unhex(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

#[test]
fn keys_go_where_they_went() {
    let golden = golden();
    answers_are(&ring(&golden), &golden);
}

#[test]
fn keys_go_where_they_went_on_both_sides() {
    let golden = golden_of_both_sides();
    let ring = TwoSidedRing::from_nodes(nodes(&golden)).unwrap();
    answers_are(&ring, &golden);
    assert_eq!(ring.fingerprint().to_string(), text(&golden["fingerprint"]));
}

fn answers_are(ring: &impl WalkExt, golden: &Value) {
    let walks = list(&golden["walks"]);
    assert!(walks.len() >= 200, "{}", walks.len());
    for walk in walks {
        let (key, expected) = (text(&walk[0]), list(&walk[1]));
        let expected: Vec<&str> = expected.iter().map(text).collect();
        let found: Vec<&str> = ring
            .replicas(&unhex(key), 4)
            .into_iter()
            .map(|slot| ring.members().get(slot).unwrap().id().as_str())
            .collect();
        assert_eq!(found, expected, "key {key}");
        assert_eq!(
            ring.route_id(&unhex(key)).unwrap(),
            expected[0],
            "key {key}"
        );
    }
}

#[test]
fn the_fingerprint_is_what_it_was() {
    let golden = golden();
    assert_eq!(
        ring(&golden).fingerprint().to_string(),
        text(&golden["fingerprint"])
    );
}
