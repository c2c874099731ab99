//! `ReachCacheRebalance` against the recorded decisions of the original.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_adaptive::{
    Node, NodeLoad, Policy, ReachCacheConfig, ReachCacheRebalance, Target, Verdict, Weight, Window,
};
use keyroute_core::hash::Crc32;
use keyroute_core::{Labelled, LastListed, WithTies};
use keyroute_vector_ring::VectorRing;
use serde_json::Value;

type Ring = VectorRing<WithTies<Labelled<Crc32>, LastListed>>;

fn scenarios() -> Vec<Value> {
    let recorded: Value =
        serde_json::from_str(include_str!("data/seed000-rebalance.json")).unwrap();
    let scenarios = recorded["scenarios"].as_array().unwrap().clone();
    assert_eq!(scenarios.len(), 26);
    scenarios
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

fn config(of: &Value) -> ReachCacheConfig {
    assert_eq!(
        (&of["hash"], &of["label"]),
        (&"crc32-ieee".into(), &"{node}-{i}".into())
    );
    ReachCacheConfig {
        threshold: of["threshold"].as_f64().unwrap(),
        min_samples: of["min_samples"].as_u64().unwrap(),
        min_replicas: number(&of["min_replicas"]),
        max_replicas: number(&of["max_replicas"]),
        default_replicas: number(&of["default_replicas"]),
    }
}

/// The original's ring, where a node of weight w has w points.
fn ring(nodes: &Value, points: Weight) -> Ring {
    let scheme = Labelled::new("{node}-{i}", Crc32)
        .unwrap()
        .with_points_per_weight(1)
        .unwrap();
    let nodes = nodes.as_array().unwrap().iter();
    let nodes = nodes.map(|id| Node::new(id.as_str().unwrap()).unwrap().with_weight(points));
    VectorRing::from_nodes_with(WithTies::new(scheme, LastListed), nodes).unwrap()
}

#[test]
fn every_recorded_round_ends_with_the_recorded_points_and_owners() {
    let (mut rounds, mut quiet, mut cases) = (0, 0, 0);
    for (at, scenario) in scenarios().iter().enumerate() {
        let mut policy = ReachCacheRebalance::new(config(&scenario["config"])).unwrap();
        let mut ring = ring(&scenario["nodes"], policy.default_points());
        for round in scenario["rounds"].as_array().unwrap() {
            let mut nodes: Vec<NodeLoad> = (&mut ring)
                .nodes()
                .into_iter()
                .map(|node| NodeLoad {
                    requests: round["counts"]
                        .get(node.id().as_str())
                        .map_or(0, |it| number(it).into()),
                    id: node.id().clone(),
                    points: node.weight(),
                    given: policy.default_points(),
                    whole: true,
                })
                .collect();
            nodes.sort_by(|a, b| a.id.cmp(&b.id));
            let window = Window {
                nodes: &nodes,
                keys: &[],
                keys_seen: 0,
            };
            let judgement = policy.judge(&window);
            // The original resets its counters when it acts, also if all nodes stay at their bounds.
            assert_eq!(
                judgement.closes,
                round["triggered"].as_bool().unwrap(),
                "{at}"
            );
            if let Verdict::Move(plan) = &judgement.verdict {
                (&mut ring).set_points(plan.changes()).unwrap();
            } else {
                quiet += 1;
            }
            for (_, node) in ring.members().iter() {
                let expected = number(&round["replicas_after"][node.id().as_str()]);
                assert_eq!(node.weight().get(), expected, "{at}: {}", node.id());
            }
            rounds += 1;
        }
        for case in scenario["cases"].as_array().unwrap() {
            let (key, owner) = (case[0].as_str().unwrap(), case[1].as_str().unwrap());
            assert_eq!(
                ring.route_id(key.as_bytes()).unwrap().as_str(),
                owner,
                "{at}: {key}"
            );
            cases += 1;
        }
    }
    assert_eq!((rounds, quiet, cases), (45, 5, 642));
}

#[test]
fn the_defaults_are_that_systems() {
    let config = ReachCacheConfig::default();
    assert!((config.threshold - 0.25).abs() < f64::EPSILON);
    assert_eq!(config.min_samples, 1000);
    let points = (
        config.min_replicas,
        config.default_replicas,
        config.max_replicas,
    );
    assert_eq!(points, (10, 50, 200));
    assert_eq!(keyroute_adaptive::DEFAULT_INTERVAL.as_secs(), 1);
}
