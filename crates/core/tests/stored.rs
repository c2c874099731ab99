//! Stored recipes: what is written, what is read back, what is refused.

use keyroute_core::hash::{Crc32, Fnv1_64, Md5Word, Mixed, Xxh3, Xxh64, ZeroExtend};
use keyroute_core::{
    Labelled, LastListed, Native, Nearest, Node, Router, Tokens, Weight, WithLookup, WithTies, Zone,
};
use keyroute_vector_ring::VectorRing;
use serde_json::{from_str, from_value, json, to_value};

#[test]
fn a_ring_is_stored_as_scheme_and_nodes_and_comes_back_with_its_answers() {
    let a = Node::new("a").unwrap().with_weight(Weight::new(3).unwrap());
    let b = Node::new("b").unwrap().with_zone(Zone::new("z").unwrap());
    let ring = VectorRing::from_nodes([b, a]).unwrap();
    let stored = to_value(&ring).unwrap();
    assert_eq!(
        stored,
        json!({
            "scheme": {"hasher": "xxh3-64", "points_per_weight": 160},
            "nodes": [{"id": "b", "weight": 1, "zone": "z"}, {"id": "a", "weight": 3}],
        })
    );
    let read: VectorRing = from_value(stored).unwrap();
    assert_eq!(read.fingerprint(), ring.fingerprint());
    assert_eq!(read.route_id(b"user:1"), ring.route_id(b"user:1"));
}

#[test]
fn every_scheme_survives_the_way_there_and_back() {
    fn check<S>(scheme: S)
    where
        S: keyroute_core::Scheme + serde::Serialize + serde::de::DeserializeOwned,
    {
        let nodes = ["n1", "n2"].map(|id| Node::new(id).unwrap());
        let ring = VectorRing::from_nodes_with(scheme, nodes).unwrap();
        let text = serde_json::to_string(&ring).unwrap();
        let read: VectorRing<S> = from_str(&text).unwrap();
        assert_eq!(read.describe(), ring.describe(), "{text}");
    }
    check(Native::new(Xxh64 { seed: 7 }));
    check(Native::new(Mixed(Crc32)).with_points_per_weight(9).unwrap());
    check(Native::new(ZeroExtend(Crc32)));
    check(WithLookup::new(Native::new(Fnv1_64), Nearest));
    check(WithTies::new(
        Labelled::new("{node}#VN{i}", Md5Word::new(2).unwrap()).unwrap(),
        LastListed,
    ));
    check(
        Tokens::new(Xxh3)
            .with("n1", [1, u64::MAX])
            .unwrap()
            .with("n2", [2])
            .unwrap(),
    );
}

#[test]
fn what_is_read_goes_through_the_same_checks_as_what_is_built() {
    let refused =
        |stored: serde_json::Value| from_value::<VectorRing>(stored).unwrap_err().to_string();
    let scheme = json!({"hasher": "xxh3-64", "points_per_weight": 160});
    for (nodes, problem) in [
        (json!([{"id": ""}]), "a node id is empty"),
        (json!([{"id": "x".repeat(5000)}]), "has 5000 bytes"),
        (json!([{"id": "a", "weight": 0}]), "weight 0"),
        (json!([{"id": "a", "weight": -1}]), "expected u32"),
        (json!([{"id": "a", "weight": 1.5}]), "expected u32"),
        (json!([{"id": "a", "zone": ""}]), "a zone name is empty"),
        (json!([{"id": "a"}, {"id": "a"}]), "already a member"),
        (
            json!([{"id": "a", "weight": 4_000_000_000u32}]),
            "at most 16777216",
        ),
        (json!([{"id": "a", "weigth": 2}]), "unknown field `weigth`"),
    ] {
        let error = refused(json!({"scheme": scheme, "nodes": nodes}));
        assert!(error.contains(problem), "{error}");
    }
    for (scheme, problem) in [
        (
            json!({"hasher": "crc32", "points_per_weight": 160}),
            "hasher \"crc32\" is not",
        ),
        (
            json!({"hasher": "xxh3-64", "points_per_weight": 0}),
            "0 points per unit of weight",
        ),
        (
            json!({"hasher": "xxh3-64"}),
            "missing field `points_per_weight`",
        ),
    ] {
        let error = refused(json!({"scheme": scheme, "nodes": []}));
        assert!(error.contains(problem), "{error}");
    }
    let template = json!({"template": "{node}", "hasher": "crc32", "points_per_weight": 1});
    let error = from_value::<Labelled<Crc32>>(template)
        .unwrap_err()
        .to_string();
    assert!(error.contains("has no {i}"), "{error}");
}

#[test]
fn tokens_are_ascending_however_they_were_written_and_given_once() {
    type Given = Tokens<Xxh3>;
    let built = Tokens::new(Xxh3).with("n1", [3, 1, 2]).unwrap();
    let read: Given = from_str(r#"{"hasher": "xxh3-64", "tokens": {"n1": [3, 1, 2]}}"#).unwrap();
    assert_eq!(read.of("n1"), [1, 2, 3]);
    assert_eq!(read, built);
    let twice = r#"{"hasher": "xxh3-64", "tokens": {"n1": [1], "n1": [2]}}"#;
    let error = from_str::<Given>(twice).unwrap_err().to_string();
    assert!(
        error.contains(r#"tokens of node "n1" are given twice"#),
        "{error}"
    );
}

#[test]
fn a_closure_cannot_be_stored() {
    // Its type is not `Serialize`; one that wraps it without a name is refused.
    let error = to_value(Mixed(|_: &[u8]| 0u32)).unwrap_err().to_string();
    assert!(error.contains("unnamed"), "{error}");
}
