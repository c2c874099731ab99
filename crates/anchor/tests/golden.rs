//! Answers that never change under their names: of engines on integers, and of routers with a history. The
//! engines' were recomputed by a separate program, which kept the paper's four arrays.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_anchor::hash::mix64;
use keyroute_anchor::{
    Anchor, AnchorBuckets, Buckets, Dx, DxBuckets, GrowableAnchor, GrowableBuckets, Memento, Node,
    Numbered, RankedBuckets, Ranking,
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
    assert_eq!(
        answers(&ranked),
        [
            18, 3, 1, 15, 10, 12, 2, 11, 16, 18, 11, 8, 12, 6, 16, 11, 9, 2, 3, 10, 3, 6, 6, 12
        ]
    );
    let order: Vec<u32> = ranked.order(1).take(24).collect();
    assert_eq!(
        order,
        [
            0, 2, 10, 5, 11, 6, 4, 16, 11, 2, 12, 1, 10, 1, 4, 18, 1, 9, 2, 18, 15, 5, 2, 4
        ]
    );
    let dx: DxBuckets = engine(Some(40));
    assert_eq!(
        answers(&dx),
        [
            17, 6, 12, 4, 2, 18, 15, 17, 3, 17, 8, 3, 16, 12, 6, 9, 4, 0, 11, 2, 14, 4, 11, 6
        ]
    );
    let anchor: AnchorBuckets = engine(Some(40));
    assert_eq!(
        answers(&anchor),
        [
            15, 6, 6, 16, 1, 18, 7, 17, 3, 7, 8, 6, 12, 12, 6, 9, 7, 18, 10, 7, 14, 1, 11, 5
        ]
    );
    // And so does memento: see histories.rs.
    let growable: GrowableBuckets = engine(None);
    assert_eq!(
        answers(&growable),
        [
            7, 15, 18, 0, 0, 10, 14, 1, 16, 5, 7, 7, 6, 9, 5, 11, 1, 0, 18, 4, 7, 16, 0, 18
        ]
    );
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
    assert_eq!(
        router(Ranking::new()),
        pinned("gefxjgxxfggexbxcegex", "72fb14a7cabbf4f31a482bc031e72682")
    );
    assert_eq!(
        router(Dx::with_capacity(16).unwrap()),
        pinned("ggjeffcgexbjfijjxjfe", "844dbf96d2326284f4aa0019c90b0df1")
    );
    assert_eq!(
        router(Anchor::with_capacity(16).unwrap()),
        pinned("ggfjffbgexbeciiixife", "eb3c7ab9f5e0de9a2dbb2ddfff25181e")
    );
    assert_eq!(
        router(GrowableAnchor::new()),
        pinned("xxiggicijebxggeieibi", "20c627f4149b7216892c11b424c36ee9")
    );
    assert_eq!(
        router(Memento::new()),
        pinned("xxiggicijebxggeieibi", "ff0b1248aaded749c49fe2ee4c15793d")
    );
}
