//! `keyroute zones`, run as a user runs it.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{file, keyroute, keyroute_on};
use serde_json::{Value, json};

const FLEET: &str = "a1\t1\ta\na2\t1\ta\nb1\t2\tb\nc1\t1\n";

/// The report is the count of what `route --zones` answers for the same keys.
#[test]
fn what_is_held_is_what_is_routed() {
    let fleet = file("fleet", FLEET);
    let zone_of = BTreeMap::from([("a1", "a"), ("a2", "a"), ("b1", "b"), ("c1", "")]);
    for (strategy, replicas) in [
        ("vector-ring", 1),
        ("vector-ring", 2),
        ("vector-ring", 3),
        ("rendezvous", 4),
        ("two-sided", 9),
    ] {
        let args = format!(
            "--fleet {fleet} -s {strategy} -r {replicas} --keys-pattern k{{}} --count 2000"
        );
        let routed = keyroute(&format!("route --zones {args}")).ok();
        let mut nodes: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        let mut zones: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        for line in routed.lines() {
            let mut met = BTreeSet::new();
            for (rank, id) in line.split_once('\t').unwrap().1.split(',').enumerate() {
                let first = u64::from(rank == 0);
                let node = nodes.entry(id).or_default();
                *node = [node[0] + first, node[1] + 1];
                let zone = zones.entry(zone_of[id]).or_default();
                let new = u64::from(met.insert(zone_of[id]));
                *zone = [zone[0] + first, zone[1] + new, zone[2] + 1];
            }
        }
        let report = keyroute(&format!("zones --format json {args}")).ok();
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["schema"], "keyroute/zones/1");
        assert_eq!(report["keys"], 2000);
        assert_eq!(
            report["spread"],
            json!({"asked": replicas, "nodes": replicas.min(4), "zones": replicas.min(3)})
        );
        let found: BTreeMap<&str, [u64; 2]> = report["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| {
                let counts = ["owned", "held"].map(|field| node[field].as_u64().unwrap());
                (node["id"].as_str().unwrap(), counts)
            })
            .collect();
        assert_eq!(found, nodes, "{strategy}, {replicas}");
        let found: BTreeMap<&str, [u64; 3]> = report["zones"]
            .as_array()
            .unwrap()
            .iter()
            .map(|zone| {
                let counts =
                    ["owned", "held", "replicas"].map(|field| zone[field].as_u64().unwrap());
                (zone["zone"].as_str().unwrap_or_default(), counts)
            })
            .collect();
        assert_eq!(found, zones, "{strategy}, {replicas}");
    }
}

#[test]
fn zones_say_their_nodes_and_weights() {
    let fleet = file("fleet", FLEET);
    let report = keyroute(&format!("zones --fleet {fleet} --format json")).ok();
    let report: Value = serde_json::from_str(&report).unwrap();
    let zones: Vec<Value> = report["zones"]
        .as_array()
        .unwrap()
        .iter()
        .map(|zone| json!([zone["zone"], zone["nodes"], zone["weight"]]))
        .collect();
    assert_eq!(
        zones,
        [json!([null, 1, 1]), json!(["a", 2, 2]), json!(["b", 1, 2])]
    );
    let table = keyroute(&format!("zones --fleet {fleet}")).ok();
    assert!(
        table.contains("4 nodes in 3 zones, weights together 5"),
        "{table}"
    );
    // The nameless zone stands first.
    let row = table.lines().find(|line| line.starts_with(" n/a")).unwrap();
    assert!(row.contains(" 1  20.00 %"), "{row}");
}

#[test]
fn bad_input_is_refused_by_name() {
    for (args, part) in [
        ("-r 0", "0 nodes a key: give 1 or more"),
        ("-r -1", "-1"),
        (
            "-s jump",
            "jump: has no order of replicas: choose a ring, rendezvous",
        ),
        ("--format csv", "csv"),
        ("--fleet - -", "standard input"),
        ("no-such-keys", "no-such-keys"),
    ] {
        let message = keyroute(&format!("zones {args}")).refused();
        assert!(message.contains(part), "{args}: {message}");
    }
    let run = keyroute_on("zones -", b"");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("has no keys"), "{run:?}");
}
