//! The stored recipe: hasher and ordered nodes, read back through the same checks.

use keyroute_jump::Jump;

#[test]
fn the_stored_recipe_gives_the_same_router() {
    let router = Jump::from_ids(["shard-1", "shard-0"]).unwrap();
    let stored = serde_json::to_string(&router).unwrap();
    assert_eq!(
        stored,
        r#"{"hasher":"xxh3-64","nodes":[{"id":"shard-1","weight":1},{"id":"shard-0","weight":1}]}"#
    );
    let back: Jump = serde_json::from_str(&stored).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
}

#[test]
fn a_stored_recipe_goes_through_the_same_checks() {
    let read = |text: &str| serde_json::from_str::<Jump>(text).map(drop);
    assert!(read(r#"{"hasher":"xxh3-64","nodes":[{"id":"a"}]}"#).is_ok());
    assert!(read(r#"{"hasher":"xxh3-64","nodes":[{"id":"a"},{"id":"a"}]}"#).is_err());
    assert!(read(r#"{"hasher":"xxh3-64","nodes":[{"id":"a","weight":2}]}"#).is_err());
    assert!(read(r#"{"hasher":"crc32","nodes":[{"id":"a"}]}"#).is_err());
}
