//! B8: the article's loop over the nodes that have keys does not see who has none, and so calls a ring even on which one
//! node does all the work.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use keyroute::adaptive::{Balancer, Steady, Verdict};
use keyroute::{Cluster, VectorRing};
use keyroute_cli::run;
use keyroute_tests::node;
use serde_json::Value;

/// The article's loop, as it is there.
fn of_those_with_keys(keys: &[u64]) -> f64 {
    let with_keys: Vec<u64> = keys.iter().copied().filter(|&keys| keys > 0).collect();
    let count = f64::from(u32::try_from(with_keys.len()).unwrap());
    let of = |keys: u64| f64::from(u32::try_from(keys).unwrap());
    let mean = with_keys.iter().copied().map(of).sum::<f64>() / count;
    with_keys
        .iter()
        .map(|&keys| (of(keys) - mean).abs() / mean)
        .fold(0.0, f64::max)
}

#[test]
fn b8_the_balance_of_a_cluster_counts_who_has_no_key() {
    // One key a node is asked, so some have none, and those that have one are even among themselves.
    let nodes = (0..40).map(|number| node(&format!("n{number}"), 1));
    let cluster = Cluster::new(VectorRing::from_nodes(nodes).unwrap(), |_| ());
    let balance = cluster.load().balance(3);
    let keys: Vec<u64> = balance.members().iter().map(|member| member.keys).collect();
    assert_eq!((keys.len(), keys.iter().sum::<u64>()), (40, 3));
    assert_eq!(of_those_with_keys(&keys), 0.0);
    assert!(balance.max_load() > 10.0 && balance.min_load() == 0.0);
    assert_eq!(balance.keyless().count(), 37);
}

#[test]
fn b8_a_balancer_counts_who_has_no_request() {
    let nodes = ["a", "b", "c"].map(|id| node(id, 100));
    let mut balancer = Balancer::new(Steady::default());
    let counters = nodes.each_ref().map(|node| balancer.counter(node.id()));
    balancer.decide(Duration::ZERO, &nodes);
    // The two that have any are even.
    counters[0].add(10_000);
    counters[1].add(10_000);
    let round = balancer.decide(Duration::from_secs(1), &nodes).unwrap();
    assert_eq!(of_those_with_keys(&[10_000, 10_000, 0]), 0.0);
    assert_eq!(round.stats.nodes().len(), 3);
    assert_eq!(round.stats.share("c"), Some(0.0));
    let Verdict::Move(plan) = round.judgement.verdict else {
        panic!("an idle node is off its share by all of it")
    };
    let idle = plan
        .changes()
        .iter()
        .find(|change| *change.id.as_str() == *"c")
        .unwrap();
    assert!(idle.to > idle.from);
}

#[test]
fn b8_the_command_counts_who_has_no_key() {
    let fleet = Path::new(env!("CARGO_TARGET_TMPDIR")).join("b8-fleet.txt");
    let lines: Vec<String> = (0..40).map(|number| format!("n{number}")).collect();
    fs::write(&fleet, lines.join("\n")).unwrap();
    let args = [
        "keyroute",
        "compare",
        "--no-timing",
        "--format",
        "json",
        "--keys-pattern",
        "k{}",
        "--count",
        "3",
    ];
    let args = args.into_iter().map(OsString::from);
    let fleet = [
        OsString::from("--fleet"),
        fleet.into(),
        "--strategies".into(),
        "vector-ring".into(),
    ];
    let mut out = Vec::new();
    run(args.chain(fleet), &mut out).unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    let balance = &document["strategies"][0]["balance"];
    assert_eq!(balance["min_over_mean"], 0.0, "{document}");
    assert_eq!(balance["keyless_nodes"], 37, "{document}");
}
