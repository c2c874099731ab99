//! The answers of `multi-probe/1`, pinned: `data/multi_probe.json` was computed from `docs/hashing.md` by
//! another program (`data/make_multi_probe.py`). An answer that changes is a new scheme.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_multi_probe::hash::Xxh3;
use keyroute_multi_probe::{MultiProbe, MultiProbeScheme, Node};
use serde_json::Value;

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn unhex(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

fn answers_are_what_they_were<const K: usize>() {
    let golden: Value = serde_json::from_str(include_str!("data/multi_probe.json")).unwrap();
    // An empty zone is none: the stored form of a node leaves it out.
    let nodes = list(&golden["nodes"]).iter().map(|node| {
        let mut node = node.as_object().unwrap().clone();
        if node["zone"] == "" {
            node.remove("zone");
        }
        serde_json::from_value::<Node>(Value::Object(node)).unwrap()
    });
    let router = MultiProbe::from_nodes_with(MultiProbeScheme::<_, K>::new(Xxh3), nodes).unwrap();
    let is_this = |run: &&Value| run["probes"].as_u64() == Some(K as u64);
    let run = list(&golden["runs"]).iter().find(is_this).unwrap();
    assert_eq!(router.fingerprint().to_string(), text(&run["fingerprint"]));
    let walks = list(&run["walks"]);
    assert!(walks.len() >= 150);
    for walk in walks {
        let key = unhex(text(&walk[0]));
        let id = |slot| router.members().get(slot).unwrap().id().as_str();
        let found: Vec<&str> = router.replicas(&key, 4).into_iter().map(id).collect();
        let expected: Vec<&str> = list(&walk[1]).iter().map(text).collect();
        assert_eq!(found, expected, "key {:?}", walk[0]);
        assert_eq!(router.route_id(&key).unwrap(), expected[0]);
    }
}

#[test]
fn answers_of_21_probes_are_pinned() {
    answers_are_what_they_were::<21>();
}

#[test]
fn answers_of_5_probes_are_pinned() {
    answers_are_what_they_were::<5>();
}
