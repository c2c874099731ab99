//! The answers of the jump router, pinned: `data/jump.json` was computed from the byte contract and the
//! paper by another program (`data/make_jump.py`). An answer that changes is a new strategy.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_jump::Jump;
use serde_json::Value;

fn golden() -> Value {
    serde_json::from_str(include_str!("data/jump.json")).unwrap()
}

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

#[test]
fn keys_go_where_they_went_and_fingerprints_are_what_they_were() {
    let golden = golden();
    let nodes: Vec<&str> = list(&golden["nodes"]).iter().map(text).collect();
    let places = list(&golden["places"]);
    assert!(places.len() >= 200, "{}", places.len());
    for count in 1..=nodes.len() {
        let shards = Jump::from_ids(&nodes[..count]).unwrap();
        let fingerprint = text(&golden["fingerprints"][count - 1]);
        assert_eq!(
            shards.fingerprint().to_string(),
            fingerprint,
            "{count} nodes"
        );
        for place in places {
            let key = text(&place[0]);
            let bucket = usize::try_from(place[1][count - 1].as_u64().unwrap()).unwrap();
            let owner = shards.route_id(&unhex(key)).unwrap();
            assert_eq!(owner, nodes[bucket], "key {key} among {count} nodes");
        }
    }
}
