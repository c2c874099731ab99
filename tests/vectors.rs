//! What other systems answered, and what we answer in their place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use keyroute_cli::verify::{Report, check, check_file, systems};
use keyroute_tests::{data, json, list, text, texts};
use serde_json::{Value, json};

/// The recorded files, by system.
fn recorded() -> BTreeMap<String, Vec<PathBuf>> {
    let listed = |folder: PathBuf| {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.unwrap_or_else(|error| panic!("{error}")).path())
            .collect();
        paths.sort();
        paths
    };
    listed(data("vectors"))
        .into_iter()
        .map(|folder| {
            let name = folder.file_name().map(|name| name.to_string_lossy().into());
            (name.unwrap_or_default(), listed(folder))
        })
        .collect()
}

#[test]
fn every_recorded_answer_is_ours() {
    for (system, files) in recorded() {
        for file in files {
            let report =
                check_file(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
            assert_eq!(report.system, system);
            assert!(report.agrees(), "{}: {report:#?}", file.display());
            assert!(report.checks >= 100, "{}: {report:#?}", file.display());
        }
    }
}

#[test]
fn every_system_that_can_be_checked_has_recorded_answers() {
    let recorded = recorded();
    for system in systems() {
        let files = recorded.get(system).map_or(0, Vec::len);
        assert!(files > 0, "{system} has no file");
    }
    assert_eq!(recorded.len(), systems().count());
}

/// A report on answers that no file records, but that follow from the originals' rules.
fn checked(document: &Value) -> Report {
    check(&document.to_string()).unwrap_or_else(|error| panic!("{error}: {document}"))
}

/// The order of adding decides who owns a shared point, as the originals answered on both orders. Files
/// of ordinary fleets have no such point.
#[test]
fn shared_points_go_to_the_owner_that_each_system_states() {
    let file = json("vectors/seed-defects/point-collisions.json");
    let mut systems = BTreeSet::new();
    for case in list(&file["cases"]) {
        let system = match text(&case["scheme"]).split(", ").next() {
            Some("seed 000 ReachCache v0.0.2") => "seed000-reachcache",
            Some("seed 001 ring") => "seed001-ring",
            Some("seed 002 Map") => "seed002-geecache",
            Some("golang/groupcache consistenthash") => "groupcache",
            Some("seed 004 C++") => "seed004-fnv",
            // An unstable sort: no rule.
            Some("seed 003 HashRing") => continue,
            other => panic!("{other:?}"),
        };
        systems.insert(system);
        let points = match system {
            "seed000-reachcache" | "seed002-geecache" | "groupcache" => "replicas",
            _ => "vnodes",
        };
        let mut nodes = texts(&case["nodes"]);
        for column in [1, 2] {
            let sample = list(&case["order_sample_key_forward_reverse"]);
            let cases: Vec<Value> = sample
                .iter()
                .map(|row| json!([row[0], row[column]]))
                .collect();
            // One by one, since seed 004 sorts the nodes that it begins with.
            let adds: Vec<Value> = nodes.iter().map(|node| json!(["add", node])).collect();
            let mut config = json!({"ops": adds});
            config[points] = case["vnodes"].clone();
            let document = json!({"system": system, "config": config, "nodes": [], "cases": cases});
            let report = checked(&document);
            assert!(report.agrees(), "{}: {report:#?}", case["name"]);
            nodes.reverse();
        }
    }
    let expected = [
        "groupcache",
        "seed000-reachcache",
        "seed001-ring",
        "seed002-geecache",
        "seed004-fnv",
    ];
    assert_eq!(systems, BTreeSet::from(expected));
}

/// Adding a present node: in seeds 000 and 002 it becomes the last added, in 001 and 004 nothing happens,
/// in 003 its entries double. Removing an absent node does nothing anywhere.
#[test]
fn adding_a_present_node_does_what_the_original_does() {
    // user:146:session falls on a point that both share (C6), user:123:session on one of C12.
    let c6 = json!(["1.2.3.4:80", "11.2.3.4:80"]);
    let again = json!([["add", "1.2.3.4:80"]]);
    for (ops, owner, entries) in [(json!([]), "11.2.3.4:80", 100), (again, "1.2.3.4:80", 150)] {
        let report = checked(&json!({
            "system": "seed002-geecache",
            "config": {"replicas": 50, "ops": ops},
            "nodes": c6,
            "cases": [["user:146:session", owner]],
            "aux": {"ring_entries": entries, "distinct_points": 96, "points_shared_by_two_nodes": 4},
        }));
        assert!(report.agrees(), "{report:#?}");
    }
    let c12 = json!(["node-171", "node-247", "node-1"]);
    let ops = json!([["add", "node-171"], ["add", "node-1"], ["remove", "nobody"]]);
    let report = checked(&json!({
        "system": "seed004-fnv",
        "config": {"vnodes": 400, "ops": ops},
        "nodes": c12,
        "cases": [["user:123:session", "node-171"]],
        "aux": {"points": 1188, "points_shared_by_two_nodes": 12},
    }));
    assert!(report.agrees(), "{report:#?}");
    let report = checked(&json!({
        "system": "seed001-ring",
        "config": {"vnodes": 150, "ops": [["add", "node-A"], ["remove", "nobody"]]},
        "nodes": ["node-A", "node-A", "node-B", "node-C", "node-D"],
        "cases": [["user:0:session", "node-B"]],
        "aux": {"points": 600},
    }));
    assert!(report.agrees(), "{report:#?}");
    let report = checked(&json!({
        "system": "seed003-hashring",
        "config": {"ops": [["add", "Node0"], ["add", "Node1"], ["remove", "Node1"], ["remove", "nobody"]]},
        "nodes": ["Node0", "Node1", "Node2"],
        "cases": [["user:1:session", "Node0"]],
        "aux": {"virtual_nodes": 6144, "distinct_points": 4096},
    }));
    assert!(report.agrees(), "{report:#?}");
}

/// What the rules say of the empty key, empty names, empty rings, and keys that C cuts off.
#[test]
fn odd_keys_and_names_are_answered_as_the_originals_do() {
    for (system, config, nodes, cases) in [
        // The empty key has no owner in seed 000, and hash 0 elsewhere.
        (
            "seed000-reachcache",
            json!({}),
            json!(["a", ""]),
            json!([["", ""], ["k", "a"]]),
        ),
        (
            "seed000-reachcache",
            json!({}),
            json!([""]),
            json!([["k", ""], ["k", null]]),
        ),
        (
            "seed001-ring",
            json!({"vnodes": 1}),
            json!(["a"]),
            json!([["", "a"]]),
        ),
        (
            "seed002-geecache",
            json!({"replicas": 3}),
            json!([]),
            json!([["k", ""]]),
        ),
        (
            "seed003-hashring",
            json!({}),
            json!([]),
            json!([["k", null]]),
        ),
        (
            "seed004-fnv",
            json!({"vnodes": 3}),
            json!([]),
            json!([["k", ""]]),
        ),
        (
            "seed001-jump",
            json!({"buckets": 0, "key_encoding": "u64-decimal"}),
            json!([]),
            json!([["1", -1]]),
        ),
        (
            "seed001-jump",
            json!({"buckets": 11, "key_encoding": "u64-decimal", "ops": [["remove_bucket", 10], ["add_bucket"]]}),
            json!([]),
            json!([["10863919174838991", 6]]),
        ),
        (
            "libketama",
            json!({}),
            json!([{"name": "10.0.1.1:11211", "weight": 1}, {"name": "10.0.1.2:11212", "weight": 1}]),
            json!([
                ["foo", "10.0.1.2:11212"],
                ["foo\0bar", "10.0.1.2:11212"],
                ["user:1001", "10.0.1.2:11212"]
            ]),
        ),
    ] {
        let document = json!({"system": system, "config": config, "nodes": nodes, "cases": cases});
        let report = checked(&document);
        assert!(report.agrees(), "{document}: {report:#?}");
    }
}
