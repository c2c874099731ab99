//! The stored form: a hasher's name and a state, read back through the same checks.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_anchor::{Anchor, BucketState, Dx, GrowableAnchor, Memento, Node, Ranking};

fn nodes() -> impl Iterator<Item = Node> {
    ["a", "b", "c"].into_iter().map(|id| Node::new(id).unwrap())
}

#[test]
fn the_stored_state_gives_the_same_router() {
    let mut router = Anchor::with_capacity(9)
        .unwrap()
        .with_nodes(nodes())
        .unwrap();
    router.remove("b").unwrap();
    router.remove("a").unwrap();
    let stored = serde_json::to_string(&router).unwrap();
    assert_eq!(
        stored,
        r#"{"hasher":"xxh3-64","state":{"capacity":9,"nodes":[{"id":"c","weight":1}],"removed":[1,0]}}"#
    );
    let back: Anchor = serde_json::from_str(&stored).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
    assert_eq!(back.state(), router.state());

    let router = Ranking::from_nodes(nodes()).unwrap();
    let stored = serde_json::to_string(&router.state()).unwrap();
    assert_eq!(
        stored,
        r#"{"nodes":[{"id":"a","weight":1},{"id":"b","weight":1},{"id":"c","weight":1}]}"#
    );
    let state: BucketState = serde_json::from_str(&stored).unwrap();
    let back = Ranking::from_state(state).unwrap();
    assert_eq!(back.fingerprint(), router.fingerprint());
}

#[test]
fn what_is_read_goes_through_the_same_checks() {
    let anchor = |state: &str| {
        let stored = format!(r#"{{"hasher":"xxh3-64","state":{state}}}"#);
        serde_json::from_str::<Anchor>(&stored).is_ok()
    };
    assert!(anchor(
        r#"{"capacity":3,"nodes":[{"id":"a"},{"id":"b"}],"removed":[0]}"#
    ));
    assert!(!anchor(
        r#"{"capacity":2,"nodes":[{"id":"a"},{"id":"b"}],"removed":[0]}"#
    ));
    assert!(!anchor(
        r#"{"nodes":[{"id":"a"},{"id":"b"}],"removed":[0]}"#
    ));
    assert!(!anchor(r#"{"capacity":3,"nodes":[{"id":"a"},{"id":"a"}]}"#));
    assert!(!anchor(r#"{"capacity":3,"nodes":[{"id":"a","weight":2}]}"#));
    assert!(!anchor(r#"{"capacity":3,"nodes":[{"id":"a"}],"more":0}"#));

    let foreign = r#"{"hasher":"crc32","state":{"nodes":[{"id":"a"}]}}"#;
    assert!(serde_json::from_str::<Memento>(foreign).is_err());
}

/// A state that no history gives names the bucket that is wrong.
#[test]
fn a_state_that_no_history_gives_is_refused() {
    let state = |nodes: &[&str], removed: &[u32]| BucketState {
        capacity: None,
        nodes: nodes.iter().map(|id| Node::new(id).unwrap()).collect(),
        removed: removed.into(),
    };
    let refused = |said: Option<String>, given: &str| {
        let text = format!(
            "removed is {given}: give the buckets that left as a router's state lists them"
        );
        assert_eq!(said, Some(text));
    };
    let growable = |state| {
        GrowableAnchor::from_state(state)
            .err()
            .map(|error| error.to_string())
    };
    let ranking = |state| {
        Ranking::from_state(state)
            .err()
            .map(|error| error.to_string())
    };

    // Listed twice; past the last; of nobody; the last of a row, which would have been forgotten.
    refused(growable(state(&["a", "b"], &[1, 1])), "1");
    refused(growable(state(&["a"], &[7])), "7");
    refused(growable(state(&[], &[0])), "0");
    refused(growable(state(&["a", "b"], &[2])), "2");
    refused(growable(state(&["a", "b"], &[3, 0])), "3");
    assert_eq!(growable(state(&["a", "b"], &[0, 3])), None);
    assert_eq!(growable(state(&[], &[])), None);

    // Not ascending; past the last.
    refused(ranking(state(&["a", "b"], &[1, 0])), "1");
    refused(ranking(state(&["a", "b"], &[0, 3])), "3");
    assert_eq!(ranking(state(&["a", "b"], &[0, 2])), None);

    let preset = |capacity| {
        Dx::from_state(BucketState {
            capacity,
            ..state(&["a"], &[])
        })
    };
    assert_eq!(
        preset(None).unwrap_err().to_string(),
        "capacity is not given: give 1 to 16777216"
    );
    assert_eq!(
        preset(Some(0)).unwrap_err().to_string(),
        "capacity is 0: give 1 to 16777216"
    );
    assert!(preset(Some(1)).is_ok());
    let grows = BucketState {
        capacity: Some(5),
        ..state(&["a"], &[])
    };
    assert_eq!(
        growable(grows).unwrap(),
        "capacity is 5: give none, since these buckets grow"
    );
}
