//! Recorded runs of a bounded ring in the field, replayed exactly.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;

use keyroute_bounded::{Bounded, CapacityRule, Demand, Lease, Node, TruncatedAverage, Walk};
use keyroute_core::hash::Crc32;
use keyroute_core::{Labelled, LastListed, WithTies};
use keyroute_vector_ring::VectorRing;
use serde_json::Value;

type Ring = VectorRing<WithTies<Labelled<Crc32>, LastListed>>;

fn recording(name: &str) -> Value {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    serde_json::from_str(&fs::read_to_string(format!("{folder}/{name}.json")).unwrap()).unwrap()
}

fn ring(recording: &Value) -> Ring {
    let config = &recording["config"];
    let points = config["vnodes"].as_u64().unwrap().try_into().unwrap();
    let label = config["label"].as_str().unwrap();
    let scheme = Labelled::new(label, Crc32).unwrap();
    let scheme = scheme.with_points_per_weight(points).unwrap();
    let nodes = recording["nodes"].as_array().unwrap();
    let nodes = nodes
        .iter()
        .map(|id| Node::new(id.as_str().unwrap()).unwrap());
    Ring::from_nodes_with(WithTies::new(scheme, LastListed), nodes).unwrap()
}

fn rule(recording: &Value) -> TruncatedAverage {
    TruncatedAverage::new(recording["config"]["epsilon"].as_f64().unwrap()).unwrap()
}

fn cases(recording: &Value) -> Vec<(&str, &str)> {
    let cases = recording["cases"].as_array().unwrap();
    cases
        .iter()
        .map(|case| (case[0].as_str().unwrap(), case[1].as_str().unwrap()))
        .collect()
}

fn final_loads(recording: &Value) -> BTreeMap<String, u64> {
    serde_json::from_value(recording["aux"]["final_load"].clone()).unwrap()
}

#[test]
fn runs_without_membership_changes_agree_key_by_key() {
    let mut keys = 0;
    for (name, whole) in [
        ("hotkey-eps025", true),
        ("n3-eps01", false),
        ("n3-eps025", true),
        ("n3-eps1", false),
        ("n7-eps0", false),
        ("n20-eps025", false),
    ] {
        let recording = recording(name);
        let router = Bounded::new(ring(&recording), rule(&recording));
        let mut leases: Vec<Lease> = Vec::new();
        for (i, (key, node)) in cases(&recording).into_iter().enumerate() {
            let foretold = router.route_id(key.as_bytes()).unwrap().clone();
            let lease = router.acquire(key.as_bytes()).unwrap();
            assert_eq!(lease.node(), node, "{name}: key {i}, {key:?}");
            assert_eq!(*lease.node(), foretold, "{name}: key {i}, {key:?}");
            assert!(!lease.is_overflow());
            leases.push(lease);
        }
        assert_eq!(router.total(), leases.len() as u64);
        assert_eq!(recording.get("aux").is_some(), whole);
        if whole {
            let loads = router.loads().map(|(slot, load)| {
                let node = router.members().get(slot).unwrap();
                (node.id().to_string(), load)
            });
            assert_eq!(loads.collect::<BTreeMap<_, _>>(), final_loads(&recording));
        }
        keys += leases.len();
    }
    assert_eq!(keys, 3200);
}

/// The recorded program keeps the load of a node that left in its total. This router does not, so the
/// run is replayed with the ring's walk, the rule and a ledger of our own.
#[test]
fn a_run_with_membership_changes_agrees_with_a_ledger_that_forgets_nothing() {
    let recording = recording("membership-change-eps025");
    let (mut ring, rule) = (ring(&recording), rule(&recording));
    let mut ledger: BTreeMap<String, u64> = BTreeMap::new();
    let mut events = recording["config"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .peekable();
    for (i, (key, node)) in cases(&recording).into_iter().enumerate() {
        while let Some(event) = events.next_if(|event| event[0].as_u64() == Some(i as u64)) {
            let id = event[2].as_str().unwrap();
            match event[1].as_str().unwrap() {
                "add" => drop(ring.add(Node::new(id).unwrap()).unwrap()),
                "remove" => drop(ring.remove(id).unwrap()),
                other => panic!("an unknown event: {other}"),
            }
        }
        let (total, nodes) = (i as u64, ring.members().len() as u64);
        let capacity = rule.capacity(&Demand::new(total, nodes, 1, nodes));
        let mut taken = None;
        ring.walk(key.as_bytes(), &mut |slot| {
            let id = ring.members().get(slot).unwrap().id().to_string();
            let load = ledger.entry(id.clone()).or_default();
            if *load < capacity {
                *load += 1;
                taken = Some(id);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        assert_eq!(taken.as_deref(), Some(node), "key {i}, {key:?}");
    }
    assert!(events.next().is_none(), "an event was not replayed");
    assert_eq!(ledger, final_loads(&recording));
}

#[test]
fn the_worked_example_agrees() {
    let recording = recording("n3-eps025");
    for (epsilon, expected) in [
        (0.25, "BACDCADBCDAB"),
        (0.1, "BACDCADBCDAB"),
        (1.0, "BBAACADDCDAC"),
    ] {
        let mut ring = ring(&recording);
        ring.add(Node::new("node-D").unwrap()).unwrap();
        let router = Bounded::new(ring, TruncatedAverage::new(epsilon).unwrap());
        let mut leases = Vec::new();
        let mut owners = String::new();
        for i in 0..12 {
            let lease = router
                .acquire(format!("user:{i}:session").as_bytes())
                .unwrap();
            owners.push_str(lease.node().as_str().strip_prefix("node-").unwrap());
            leases.push(lease);
        }
        assert_eq!(owners, expected, "epsilon {epsilon}");
    }
}

#[test]
fn the_rule_gives_the_recorded_capacities() {
    for (epsilon, capacities) in [
        (0.25, [1, 1, 2, 5, 5, 6, 12, 12, 13, 126]),
        (0.1, [1, 1, 2, 4, 4, 5, 11, 11, 12, 111]),
        (1.0, [2, 2, 4, 8, 8, 10, 20, 20, 22, 202]),
    ] {
        let rule = TruncatedAverage::new(epsilon).unwrap();
        let totals = [0, 3, 4, 12, 15, 16, 36, 39, 40, 400];
        let ours = totals.map(|total| rule.capacity(&Demand::new(total, 4, 1, 4)));
        assert_eq!(ours, capacities, "epsilon {epsilon}");
    }
}
