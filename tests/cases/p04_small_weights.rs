//! A small positive weight next to large ones does not vanish.

use keyroute::hash::Xxh3;
use keyroute::{
    BTreeRing, Jump, Ketama, KetamaPoints, MAX_POINTS, Modulo, Native, Node, Ranges, RouteError,
    Router, VectorRing, Walk, WalkExt, Weight,
};
use keyroute_cli::fleet::Fleet;
use keyroute_tests::{json, keys, loads, node, number, shares};

/// node00 to node999, weights as their numbers, as a fleet file may say it: weight 0 is drained.
fn serialx() -> Fleet {
    let lines: String = (0..1000).map(|i| format!("node{i:02}\t{i}\n")).collect();
    Fleet::from_lines(&lines).unwrap()
}

/// Asks what set 1 asks of any router of its nodes.
fn all_own_something<R: Ranges + Walk>(router: &R) {
    let case = json("cases/p04-weight-floor-zero.json");
    let wanted: usize = number(&case["expected"]["get_n_all_returns_all_positive"]["serialx"]);
    let mut found = router.replicas(b"1", 1000);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), wanted);
    let shares = shares(router);
    assert_eq!(shares.len(), wanted);
    assert!(shares.values().all(|&share| share > 0.0));
}

#[test]
fn of_1000_nodes_all_but_the_drained_one_own_something() {
    let fleet = serialx();
    assert_eq!(fleet.drained, [node("node00", 1)]);
    assert_eq!(fleet.nodes.len(), 999);
    let native = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    all_own_something(&VectorRing::from_nodes_with(native, fleet.nodes.clone()).unwrap());
    all_own_something(&BTreeRing::from_nodes_with(native, fleet.nodes.clone()).unwrap());
    let ketama = KetamaPoints::default().with_points_per_weight(4).unwrap();
    all_own_something(&Ketama::from_nodes_with(ketama, fleet.nodes).unwrap());
}

/// At the default of 160 points a unit of weight the ring would be too large; the error names what fits.
#[test]
fn weights_that_do_not_fit_are_refused_with_a_scale_that_does() {
    let fleet = serialx();
    let units: u64 = fleet
        .nodes
        .iter()
        .map(|node| u64::from(node.weight().get()))
        .sum();
    let refused = VectorRing::from_nodes(fleet.nodes).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "79920000 points at 160 per unit of weight, at most 16777216 are allowed: 33 points per unit \
         of weight fit"
    );
    assert!(units * 33 <= MAX_POINTS && units * 34 > MAX_POINTS);
}

#[test]
fn the_light_peer_of_three_is_a_replica_and_owns_its_share() {
    let peers = [node("p1", 1024), node("p2", 1024), node("p3", 5)];
    fn check<R: Ranges + Walk>(router: &R) {
        for key in keys("key-", "", 1000) {
            let mut found = router.replicas(key.as_bytes(), 3);
            found.sort();
            found.dedup();
            assert_eq!(found.len(), 3);
        }
        let share = shares(router)["p3"];
        assert!(share > 0.0 && share <= 0.02, "{share}");
    }
    check(&VectorRing::from_nodes(peers.clone()).unwrap());
    check(&BTreeRing::from_nodes(peers.clone()).unwrap());
    check(&Ketama::from_nodes(peers).unwrap());
}

#[test]
fn one_to_ten_is_one_to_ten() {
    let nodes = [node("r1", 1), node("r2", 10)];
    let keys = keys("key-", "", 200_000);
    let routers: [Box<dyn Router>; 3] = [
        Box::new(VectorRing::from_nodes(nodes.clone()).unwrap()),
        Box::new(BTreeRing::from_nodes(nodes.clone()).unwrap()),
        Box::new(Ketama::from_nodes(nodes).unwrap()),
    ];
    for router in &routers {
        let loads = loads(router, &keys);
        let ratio = f64::from(loads["r2"]) / f64::from(loads["r1"]);
        assert!((8.5..=11.5).contains(&ratio), "{ratio}");
    }
}

/// Strategies without weights say so, and name the node.
#[test]
fn strategies_that_cannot_weigh_refuse() {
    let nodes = [node("r1", 1), node("r2", 10)];
    let names = |error: RouteError| matches!(error, RouteError::WeightUnsupported { id, weight: 10, .. } if id == "r2");
    assert!(Jump::from_nodes(nodes.clone()).is_err_and(names));
    assert!(Modulo::from_nodes(nodes).is_err_and(names));
}

/// What a router holds has a weight above 0, by type.
#[test]
fn weight_zero_is_not_a_weight() {
    assert_eq!(Weight::new(0), Err(RouteError::ZeroWeight));
    assert_eq!(Node::new("a").unwrap().weight(), Weight::ONE);
}
