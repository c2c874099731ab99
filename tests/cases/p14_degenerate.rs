//! Empty, zero, negative, not-a-number and huge set-ups give an answer or a typed error.
//!
//! That refusals and odd requests take no memory is measured in `memory.rs`. Rows about Maglev and slot
//! tables are tested with those crates.

use keyroute::hash::{Xxh3, mix64};
use keyroute::{
    Assignment, BTreeRing, Bounded, Exact, Jump, Ketama, KetamaPoints, MAX_POINTS, Modulo, Native,
    NodeId, Ranges, RouteError, Router, VectorRing, Walk, WalkExt, Weight,
};
use keyroute_cli::fleet::{Fleet, Settings};
use keyroute_cli::strategy::{StrategyName, build};
use keyroute_tests::{node, nodes};

/// Every strategy over these nodes, at its defaults.
fn strategies(ids: &[&str]) -> Vec<(&'static str, Box<dyn Router>)> {
    let ring = || VectorRing::from_ids(ids).unwrap();
    vec![
        ("vector-ring", Box::new(ring())),
        ("btree-ring", Box::new(BTreeRing::from_ids(ids).unwrap())),
        ("ketama", Box::new(Ketama::from_ids(ids).unwrap())),
        (
            "libketama",
            Box::new(Ketama::libketama(nodes(ids)).unwrap()),
        ),
        ("jump", Box::new(Jump::from_ids(ids).unwrap())),
        ("modulo", Box::new(Modulo::from_ids(ids).unwrap())),
        (
            "bounded",
            Box::new(Bounded::new(ring(), Exact::new(250).unwrap())),
        ),
    ]
}

/// A fleet file of these weights as three forms write them. Lines have no numbers but digits.
fn fleets(weight: &str) -> [Result<Fleet, String>; 3] {
    [
        Fleet::from_toml(&format!(
            "[[nodes]]\nid = \"a\"\nweight = {weight}\n\n[[nodes]]\nid = \"b\"\n"
        )),
        Fleet::from_json(&format!(
            r#"{{"nodes": [{{"id": "a", "weight": {weight}}}, {{"id": "b"}}]}}"#
        )),
        Fleet::from_lines(&format!("a\t{weight}\nb\n")),
    ]
}

#[test]
fn no_nodes_is_no_answer() {
    for (name, router) in strategies(&[]) {
        assert_eq!(router.route(b"k"), None, "{name}");
        assert_eq!(router.route_id(b""), None, "{name}");
        assert!(router.members().is_empty());
    }
    let (ring, tree) = (VectorRing::new(), BTreeRing::new());
    assert!(
        WalkExt::replicas(&ring, b"k", 3).is_empty()
            && WalkExt::replicas(&tree, b"k", 3).is_empty()
    );
    assert!(ring.ranges().is_empty() && tree.ranges().is_empty());
    let bounded = Bounded::new(ring, Exact::new(250).unwrap());
    assert!(bounded.acquire(b"k").is_none());
    assert_eq!((bounded.total(), bounded.effective_epsilon()), (0, None));
}

#[test]
fn weight_0_is_drained_listed_and_given_to_no_router() {
    let all = Fleet::from_lines("a\t0\nb\t0\nc\t0\n").unwrap();
    assert_eq!((all.nodes.len(), all.drained), (0, nodes(&["a", "b", "c"])));
    let one = Fleet::from_json(r#"{"nodes": [{"id": "a", "weight": 0}]}"#).unwrap();
    assert_eq!((one.nodes.len(), one.drained.len()), (0, 1));
    // Tables that are told their owners are told this one.
    let settings = Settings {
        owners: vec![Assignment {
            first: 0,
            last: 16_383,
            node: NodeId::new("a").unwrap(),
        }],
        ..Settings::default()
    };
    for name in StrategyName::all() {
        let empty = build(name, &Settings::default(), &one.nodes).unwrap();
        for _ in 0..3 {
            assert_eq!(empty.router().route(b"k"), None, "{name}");
        }
        // A node drained in an update is a node that left; the others stay.
        let before = build(name, &settings, &nodes(&["a", "b"])).unwrap();
        let update = Fleet::from_lines("a\nb\nc\t0\n").unwrap();
        let after = build(name, &settings, &update.nodes).unwrap();
        let [before, after] = [before, after].map(|built| built.router().fingerprint());
        assert_eq!(after, before, "{name}");
    }
    assert_eq!(Weight::new(0), Err(RouteError::ZeroWeight));
}

#[test]
fn weights_that_are_none_are_refused_by_name() {
    for weight in [
        "-300",
        "-1",
        "nan",
        "+nan",
        "inf",
        "-inf",
        "1e300",
        "0.5",
        "1.0",
        "4294967296",
    ] {
        let [toml, json, lines] = fleets(weight);
        assert!(toml.is_err() && json.is_err() && lines.is_err(), "{weight}");
        assert!(lines.unwrap_err().contains(weight));
    }
    // JSON has no such numbers, and says so; TOML has them, and the weight is named.
    let [toml, ..] = fleets("nan");
    assert!(
        toml.unwrap_err()
            .contains("weight \"NaN\" is not a whole number")
    );
    let [toml, json, _] = fleets("-300");
    for refused in [toml, json] {
        assert!(
            refused
                .unwrap_err()
                .contains("weight \"-300\" is not a whole number")
        );
    }
    // Zero as text: not a number in TOML and JSON. In lines all is text, and 0 drains.
    let [toml, json, _] = fleets("\"0\"");
    for refused in [toml, json] {
        assert!(
            refused
                .unwrap_err()
                .contains("weight \"0\" is not a whole number")
        );
    }
    let [.., lines] = fleets("0");
    assert_eq!(lines.unwrap().drained, [node("a", 1)]);
}

/// Any bits as a weight, in every form: whole numbers of 32 bits are accepted, and nothing else is.
#[test]
fn weights_of_any_bits_are_read_or_refused() {
    let mut accepted = 0;
    for i in 0..4000u64 {
        let bits = mix64(i) >> (i % 64);
        let whole = [
            i64::from_ne_bytes(bits.to_ne_bytes()).to_string(),
            bits.to_string(),
        ];
        for text in &whole {
            let fits = text.parse::<u32>();
            let expected = fits.as_ref().map(|&weight| u64::from(weight)).ok();
            for fleet in fleets(text) {
                let found = fleet.ok().map(|fleet| {
                    let node = fleet.nodes.iter().find(|node| *node.id() == "a");
                    node.map_or(0, |node| u64::from(node.weight().get()))
                });
                assert_eq!(found, expected, "{text}");
            }
            accepted += usize::from(fits.is_ok());
        }
        let real = format!("{:?}", f64::from_bits(mix64(i + 4000)));
        for fleet in fleets(&real) {
            assert!(fleet.is_err(), "{real}");
        }
    }
    assert!(accepted > 1000, "{accepted}");
}

#[test]
fn points_that_are_none_are_refused() {
    let refused = |error: RouteError| matches!(error, RouteError::PointsPerWeight { .. });
    for points in [0, 16_777_217, u32::MAX] {
        assert!(
            Native::new(Xxh3)
                .with_points_per_weight(points)
                .is_err_and(refused)
        );
        assert!(
            KetamaPoints::default()
                .with_points_per_weight(points)
                .is_err_and(refused)
        );
        let settings = Settings {
            points: Some(points),
            ..Settings::default()
        };
        assert!(build(StrategyName::default(), &settings, &nodes(&["a"])).is_err());
    }
    // Three points where a digest gives four.
    assert!(
        KetamaPoints::default()
            .with_points_per_weight(3)
            .is_err_and(refused)
    );
    let three = Native::new(Xxh3).with_points_per_weight(3).unwrap();
    assert_eq!(
        VectorRing::from_nodes_with(three, nodes(&["a"]))
            .unwrap()
            .points(),
        3
    );
}

#[test]
fn a_ring_too_large_is_foretold_and_refused_and_changes_nothing() {
    let (huge, one) = (node("huge", 1_000_000), node("one", 1));
    let scheme = Native::new(Xxh3);
    let estimate = VectorRing::estimate(&scheme, 1, huge.weight());
    assert_eq!(estimate.points, 160_000_000);
    assert!(estimate.points > MAX_POINTS && estimate.bytes > 1_000_000_000);

    let refused = |error: RouteError| matches!(error, RouteError::TooManyPoints { .. });
    let both = [huge.clone(), one.clone()];
    let error = VectorRing::from_nodes(both.clone()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("160000160 points at 160 per unit of weight")
    );
    assert!(BTreeRing::from_nodes(both.clone()).is_err_and(refused));
    assert!(Ketama::from_nodes(both.clone()).is_err_and(refused));

    let mut ring = VectorRing::from_nodes([one]).unwrap();
    let mut tree = BTreeRing::from_nodes([node("one", 1)]).unwrap();
    let before = (ring.fingerprint(), ring.route(b"k"));
    assert!(ring.add(huge.clone()).is_err_and(refused));
    assert!(tree.add(huge.clone()).is_err_and(refused));
    assert!(ring.reweight("one", huge.weight()).is_err_and(refused));
    assert!(tree.reweight("one", huge.weight()).is_err_and(refused));
    assert!(ring.rebuild(&both).is_err_and(refused));
    assert_eq!((ring.fingerprint(), ring.route(b"k")), before);
    assert_eq!((tree.fingerprint(), tree.route(b"k")), before);

    // Under the preset's shares the same weights are an ordinary ring.
    assert_eq!(Ketama::libketama(both).unwrap().points(), 316);
}

#[test]
fn no_replicas_is_none_and_all_is_each_once() {
    fn check<R: Walk>(router: &R) {
        assert!(router.replicas(b"k", 0).is_empty());
        for n in [3, 4, usize::MAX] {
            let mut all = router.replicas(b"k", n);
            all.sort();
            all.dedup();
            assert_eq!(all.len(), 3);
        }
        assert_eq!(router.zone_replicas(b"k", usize::MAX).len(), 3);
    }
    let ids = ["a", "b", "c"];
    check(&VectorRing::from_ids(ids).unwrap());
    check(&BTreeRing::from_ids(ids).unwrap());
    check(&Ketama::from_ids(ids).unwrap());
    check(&Ketama::libketama(nodes(&ids)).unwrap());
}

#[test]
fn odd_keys_are_routed_the_same_every_time() {
    let long = vec![b'x'; 1 << 20];
    let odd: [&[u8]; 6] = [
        b"",
        &long,
        b"a\0b",
        b"\0",
        &[0xff, 0x80, 0x00, 0x7f],
        &[0xc3],
    ];
    let (first, second) = (strategies(&["a", "b", "c"]), strategies(&["a", "b", "c"]));
    for ((name, router), (_, again)) in first.iter().zip(&second) {
        for key in odd {
            let owner = router.route_id(key);
            assert!(owner.is_some(), "{name}");
            assert_eq!(owner, again.route_id(key), "{name}");
        }
    }
}

#[test]
fn a_refused_change_leaves_every_route_as_it_was() {
    let mut ring = VectorRing::from_ids(["a", "b"]).unwrap();
    let before = (ring.fingerprint(), ring.route(b"k"));
    assert!(ring.add(node("a", 7)).is_err());
    assert!(ring.remove("zzz").is_err());
    assert!(ring.reweight("zzz", Weight::ONE).is_err());
    assert!(ring.rebuild(&nodes(&["x", "x"])).is_err());
    assert_eq!((ring.fingerprint(), ring.route(b"k")), before);

    let mut jump = Jump::from_ids(["a", "b"]).unwrap();
    let before = (jump.fingerprint(), jump.route(b"k"));
    assert!(jump.add(node("a", 1)).is_err());
    assert!(jump.add(node("c", 2)).is_err());
    assert_eq!((jump.fingerprint(), jump.route(b"k")), before);
}
