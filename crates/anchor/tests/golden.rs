//! Answers that never change under their names: of engines on integers, and of routers with a history.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_anchor::hash::mix64;
use keyroute_anchor::{
    Anchor, AnchorBuckets, Buckets, Dx, DxBuckets, GrowableAnchor, GrowableBuckets, Memento, Node,
    Numbered, RankedBuckets, Ranking, Router,
};

/// 20 buckets of which some leave and two come back.
fn engine<B: Buckets>(capacity: Option<u32>) -> B {
    let mut buckets = B::empty(capacity).unwrap();
    for _ in 0..20 {
        buckets.add().unwrap();
    }
    for bucket in [13, 2, 19, 7, 0] {
        assert!(buckets.remove(bucket));
    }
    buckets.add().unwrap();
    buckets.add().unwrap();
    buckets
}

fn answers(buckets: &impl Buckets) -> Vec<u32> {
    let hashes = (0..24).map(mix64);
    hashes.map(|hash| buckets.bucket(hash).unwrap()).collect()
}

#[test]
fn engines_answer_as_ever() {
    let ranked: RankedBuckets = engine(None);
    assert_eq!(answers(&ranked), []);
    let order: Vec<u32> = ranked.order(1).take(24).collect();
    assert_eq!(order, []);
    let dx: DxBuckets = engine(Some(40));
    assert_eq!(answers(&dx), []);
    let anchor: AnchorBuckets = engine(Some(40));
    assert_eq!(answers(&anchor), []);
    // And so does memento: see histories.rs.
    let growable: GrowableBuckets = engine(None);
    assert_eq!(answers(&growable), []);
}

/// Ten nodes of which three leave and one comes: the owners of 20 keys, and the fingerprint.
fn router<B: Buckets>(mut router: Numbered<B>) -> (String, String) {
    for id in "abcdefghij".chars() {
        router.add(Node::new(id.to_string()).unwrap()).unwrap();
    }
    for id in ["d", "h", "a"] {
        router.remove(id).unwrap();
    }
    router.add(Node::new("x").unwrap()).unwrap();
    let keys = (0..20).map(|number| format!("user:{number}"));
    let owners = keys.map(|key| router.route_id(key.as_bytes()).unwrap().to_string());
    (owners.collect(), router.fingerprint().to_string())
}

fn pinned(owners: &str, fingerprint: &str) -> (String, String) {
    (owners.into(), fingerprint.into())
}

#[test]
fn routers_answer_as_ever() {
    assert_eq!(router(Ranking::new()), pinned("", ""));
    assert_eq!(router(Dx::with_capacity(16).unwrap()), pinned("", ""));
    assert_eq!(router(Anchor::with_capacity(16).unwrap()), pinned("", ""));
    assert_eq!(router(GrowableAnchor::new()), pinned("", ""));
    assert_eq!(router(Memento::new()), pinned("", ""));
}
