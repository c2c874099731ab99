//! The tokens of `token-ring/1`, pinned: `data/token_ring.json` was computed from `docs/hashing.md` by another
//! program (`data/make_token_ring.py`). Tokens that change are a new scheme.

use keyroute_token_ring::{Node, TokenRing, Weight};
use serde_json::Value;

#[test]
fn tokens_are_what_they_were() {
    let golden: Value = serde_json::from_str(include_str!("data/token_ring.json")).unwrap();
    for run in golden.as_array().unwrap() {
        let mut ring = TokenRing::new();
        for step in run["history"].as_array().unwrap() {
            let id = step[0].as_str().unwrap();
            match step[1].as_u64() {
                None => drop(ring.remove(id).unwrap()),
                Some(weight) => {
                    let weight = Weight::new(u32::try_from(weight).unwrap()).unwrap();
                    if ring.members().slot_of(id).is_some() {
                        ring.reweight(id, weight).unwrap();
                    } else {
                        ring.add(Node::new(id).unwrap().with_weight(weight))
                            .unwrap();
                    }
                }
            }
        }
        let tokens = ring.tokens();
        let expected = run["tokens"].as_object().unwrap();
        assert_eq!(tokens.ids().count(), expected.len());
        for (id, expected) in expected {
            let found: Vec<Value> = tokens
                .of(id)
                .iter()
                .map(|token| format!("{token:x}").into())
                .collect();
            assert_eq!(Value::Array(found), *expected, "{id}");
        }
    }
}

#[test]
fn the_fingerprint_is_pinned() {
    let ring = TokenRing::from_ids(["a", "b"]).unwrap();
    assert_eq!(
        ring.fingerprint().to_string(),
        "913395b54dce2c946f312827f6b4f751"
    );
}
