//! The native [`Ketama`]: pinned answers, collisions, weights, movement, stored recipes.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_ketama::{
    BTreeKetama, Ketama, KetamaPoints, Libketama, Members, Node, PointScheme, RouteDigest,
    RouteError, Router, Weight,
};

fn node(id: &str, weight: u32) -> Node {
    Node::new(id)
        .unwrap()
        .with_weight(Weight::new(weight).unwrap())
}

fn owners(ring: &impl Router, keys: usize) -> Vec<String> {
    (0..keys)
        .map(|i| {
            ring.route_id(format!("k{i}").as_bytes())
                .unwrap()
                .to_string()
        })
        .collect()
}

#[test]
fn answers_are_pinned() {
    let nodes = [node("a", 1), node("b", 2), node("c-1", 1), node("é", 3)];
    let ring = Ketama::from_nodes(nodes).unwrap();
    let owner = |key: &str| ring.route_id(key.as_bytes()).unwrap().as_str();
    let keys = [
        "",
        "user:1",
        "user:2",
        "https://example.org/",
        "clé",
        "a\0b",
        "k7",
        "k8",
    ];
    assert_eq!(keys.map(owner), ["é", "b", "é", "é", "b", "é", "b", "é"]);
    assert_eq!(ring.points(), 7 * 160);
    assert_eq!(
        ring.fingerprint().to_string(),
        "354bb3915e2507d2f2be71fcd0bc20ad"
    );
}

#[test]
fn points_are_pinned() {
    let points = KetamaPoints::default()
        .points(&node("172.31.1.125", 1))
        .unwrap();
    assert_eq!(points.len(), 160);
    assert_eq!(points[35 * 4 + 2], 1_009_926_488);
    assert_eq!(
        points[..4],
        [1_262_121_292, 3_730_564_414, 1_727_891_838, 1_889_641_002]
    );
}

/// Two nodes of these three share position 1009926488; three keys lie in the arc that ends there.
const SHARING: [&str; 3] = ["172.31.1.0", "172.31.1.125", "172.31.1.202"];
const IN_SHARED_ARC: [&str; 3] = ["probe-135", "probe-2506", "probe-2733"];

#[test]
fn a_shared_position_keeps_both_claims() {
    let ring = Ketama::from_ids(SHARING).unwrap();
    assert_eq!(ring.points(), 480);
    for key in IN_SHARED_ARC {
        assert_eq!(ring.route_id(key.as_bytes()).unwrap(), "172.31.1.125");
    }
    // Removing the winner uncovers the other claim, and the other way round nothing is lost.
    for removed in SHARING {
        let mut ring = Ketama::from_ids(SHARING).unwrap();
        ring.remove(removed).unwrap();
        assert_eq!(ring.points(), 320);
        let left = SHARING.into_iter().filter(|&id| id != removed);
        let fresh = Ketama::from_ids(left).unwrap();
        assert_eq!(owners(&ring, 20_000), owners(&fresh, 20_000));
        for key in IN_SHARED_ARC {
            assert_eq!(
                ring.route_id(key.as_bytes()),
                fresh.route_id(key.as_bytes())
            );
        }
        ring.add(node(removed, 1)).unwrap();
        let all = Ketama::from_ids(SHARING).unwrap();
        assert_eq!(owners(&ring, 20_000), owners(&all, 20_000));
    }
}

#[test]
fn the_order_of_joining_decides_nothing_even_at_a_shared_position() {
    let expected = Ketama::from_ids(SHARING).unwrap();
    for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let mut ring = Ketama::new();
        for at in order {
            ring.add(node(SHARING[at], 1)).unwrap();
        }
        assert_eq!(ring.fingerprint(), expected.fingerprint());
        assert_eq!(owners(&ring, 5000), owners(&expected, 5000));
        let shared = ring.route_value(1_009_926_488).unwrap();
        assert_eq!(ring.members().get(shared).unwrap().id(), "172.31.1.125");
    }
}

#[test]
fn equal_weights_give_equal_points_at_every_size() {
    let scheme = KetamaPoints::default();
    let mut members = Members::new();
    for n in 1..=1000 {
        members.add(node(&format!("node-{n}"), 1)).unwrap();
        assert_eq!(scheme.count_of_each(&members), n * 160);
    }
    for (_, node) in members.iter() {
        assert_eq!(scheme.points(node).unwrap().len(), 160);
    }
}

#[test]
fn a_weight_only_adds_points() {
    let scheme = KetamaPoints::default();
    let light = scheme.points(&node("a", 2)).unwrap();
    let heavy = scheme.points(&node("a", 5)).unwrap();
    assert_eq!((light.len(), heavy.len()), (320, 800));
    assert_eq!(heavy[..320], light);
}

#[test]
fn equal_weights_route_as_libketama_does() {
    let ids: Vec<String> = (0..40).map(|i| format!("10.0.0.{i}:11211")).collect();
    let native = Ketama::from_ids(&ids).unwrap();
    let theirs = Ketama::libketama(ids.iter().map(|id| node(id, 1))).unwrap();
    assert_eq!(native.points(), theirs.points());
    assert_eq!(owners(&native, 20_000), owners(&theirs, 20_000));
    assert_ne!(native.fingerprint(), theirs.fingerprint());
}

/// The fleet of a bug report: a ninth server of weight 2000 joins eight.
fn nine() -> Vec<Node> {
    let weights = [600, 300, 200, 350, 1000, 800, 950, 100, 2000];
    let ids = (1..).map(|i| format!("10.0.1.{i}:11211"));
    ids.zip(weights)
        .map(|(id, weight)| node(&id, weight))
        .collect()
}

/// How many of 20,000 keys moved, and how many of them between nodes that did not change.
fn moved(before: &impl Router, after: &impl Router) -> (usize, usize) {
    let (before, after) = (owners(before, 20_000), owners(after, 20_000));
    let moved: Vec<_> = before.iter().zip(&after).filter(|(a, b)| a != b).collect();
    let needless = moved.iter().filter(|(_, to)| *to != "10.0.1.9:11211");
    (moved.len(), needless.count())
}

#[test]
fn a_newcomer_of_another_weight_takes_keys_only_for_itself() {
    let nodes = nine();
    let before = Ketama::from_nodes(nodes[..8].iter().cloned()).unwrap();
    let mut after = before.clone();
    after.add(nodes[8].clone()).unwrap();
    assert_eq!(moved(&before, &after), (6267, 0)); // 31.75 % of 20,000 is 6,350
    after.remove("10.0.1.9:11211").unwrap();
    assert_eq!(owners(&after, 20_000), owners(&before, 20_000));
}

#[test]
fn libketamas_arithmetic_moves_keys_between_servers_that_did_not_change() {
    let nodes = nine();
    let before = Ketama::libketama(nodes[..8].iter().cloned()).unwrap();
    let after = Ketama::libketama(nodes).unwrap();
    // As with exact integers: these shares are far enough from whole digests.
    assert_eq!(moved(&before, &after), (8016, 2325));
}

#[test]
fn points_that_no_digests_give_are_refused() {
    let default = KetamaPoints::default();
    for given in [0, 1, 3, 150, 162, (1 << 24) + 4, u32::MAX] {
        assert!(matches!(
            default.with_points_per_weight(given),
            Err(RouteError::PointsPerWeight { given: named, .. }) if named == given
        ));
    }
    for given in [4, 160, 1 << 24] {
        assert!(default.with_points_per_weight(given).is_ok());
    }
}

#[test]
fn too_many_points_are_refused_before_any_is_made() {
    let mut ring = Ketama::from_ids(["a"]).unwrap();
    let refused = ring.add(node("b", u32::MAX)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "687194767360 points at 160 per unit of weight, at most 16777216 are allowed: \
         divide all weights by 40960"
    );
    assert!(ring.reweight("a", Weight::new(1_000_000).unwrap()).is_err());
    assert_eq!((ring.members().len(), ring.points()), (1, 160));
}

#[test]
fn the_ordered_map_answers_alike() {
    let nodes = nine();
    let array = Ketama::from_nodes_with(KetamaPoints::default(), nodes.clone()).unwrap();
    let tree = BTreeKetama::from_nodes_with(KetamaPoints::default(), nodes.clone()).unwrap();
    assert_eq!(owners(&array, 20_000), owners(&tree, 20_000));
    assert_eq!(array.fingerprint(), tree.fingerprint());

    let array = Ketama::libketama(nodes.clone()).unwrap();
    let tree = BTreeKetama::from_nodes_with(Libketama, nodes).unwrap();
    assert_eq!(owners(&array, 20_000), owners(&tree, 20_000));
}

#[test]
fn stored_recipes_give_the_same_rings() {
    let ring = Ketama::from_nodes([node("b", 2), node("a", 1)]).unwrap();
    let stored = serde_json::to_string(&ring).unwrap();
    assert_eq!(
        stored,
        r#"{"scheme":{"points_per_weight":160},"nodes":[{"id":"b","weight":2},{"id":"a","weight":1}]}"#
    );
    let back: Ketama = serde_json::from_str(&stored).unwrap();
    assert_eq!(back.fingerprint(), ring.fingerprint());
    assert!(serde_json::from_str::<KetamaPoints>(r#"{"points_per_weight":150}"#).is_err());

    let ring = Ketama::libketama([node("b", 2), node("a", 1)]).unwrap();
    let stored = serde_json::to_string(&ring).unwrap();
    assert!(stored.starts_with(r#"{"scheme":"libketama","#), "{stored}");
    let back: Ketama<Libketama> = serde_json::from_str(&stored).unwrap();
    assert_eq!(back.fingerprint(), ring.fingerprint());
}
