//! What an article's key-value system did when nodes came and went, and what is right: recorded in `data/`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use keyroute_kv::{KvError, RouteError, Store};
use serde::Deserialize;

mod support;
use support::{World, article_ring, finish, node};

#[derive(Deserialize)]
struct Recorded {
    traces: Vec<Trace>,
}

#[derive(Deserialize)]
struct Trace {
    name: String,
    initial_nodes: u32,
    keys: usize,
    steps: Vec<Step>,
    owners: String,
}

#[derive(Deserialize)]
struct Step {
    op: Vec<String>,
    counts_upstream: BTreeMap<String, usize>,
    unreadable_keys_upstream: usize,
    correct_counts_by_ring_owner: BTreeMap<String, usize>,
}

fn key(number: usize) -> Vec<u8> {
    format!("user:{number}:session").into_bytes()
}

/// A node of this name joins; says whether one did.
async fn join(store: &Store, name: &str) -> bool {
    match store.add(node(name)).await {
        Ok(()) => true,
        // It has left before, which the system forgot. Here it must be said.
        Err(KvError::Retired { .. }) => {
            store.add_again(node(name)).await.unwrap();
            true
        }
        // The system made up the name of a node that is there, and its keys were lost. Here nothing happens.
        Err(KvError::Route(RouteError::AlreadyMember { .. })) => false,
        Err(error) => panic!("{error}"),
    }
}

async fn assert_all_readable(store: &Store, trace: &Trace) {
    for number in 0..trace.keys {
        let value = store.get(&key(number)).await.unwrap();
        let expected = Some(number.to_string().into_bytes());
        assert_eq!(value, expected, "{number} in {}", trace.name);
    }
}

/// Of each node how many keys it has; of each key that it lies on one node alone.
fn counts(world: &World, store: &Store) -> BTreeMap<String, usize> {
    let nodes = store.nodes();
    let mut counts: BTreeMap<String, usize> =
        nodes.iter().map(|it| (it.id().to_string(), 0)).collect();
    for (key, copies) in world.copies() {
        assert_eq!(copies.len(), 1, "of {key:?}");
        for id in copies.into_keys() {
            *counts.entry(id).or_default() += 1;
        }
    }
    counts
}

/// Gives how many times nothing was to be done, and how many keys the system lost in all.
async fn replay(trace: &Trace) -> (u32, usize) {
    let world = World::new();
    let nodes = (0..trace.initial_nodes).map(|it| node(&format!("Node{it}")));
    let builder = world.builder_over(article_ring).nodes(nodes);
    let store = builder.open().await.unwrap();
    let (mut refused, mut lost) = (0, 0);
    for step in &trace.steps {
        match (step.op[0].as_str(), step.op[1].as_str()) {
            ("set", "user:{i}:session") => {
                for number in 0..trace.keys {
                    store.set(&key(number), number.to_string()).await.unwrap();
                }
            }
            ("add_node", name) => refused += u32::from(!join(&store, name).await),
            ("delete_node", name) => store.remove(name).await.unwrap(),
            (other, _) => panic!("unknown: {other}"),
        }
        assert_all_readable(&store, trace).await; // while the nodes change
        finish(&store).await.unwrap();
        assert_all_readable(&store, trace).await;
        assert_eq!(counts(&world, &store), step.correct_counts_by_ring_owner);
        if step.unreadable_keys_upstream > 0 {
            assert_ne!(step.counts_upstream, step.correct_counts_by_ring_owner);
        }
        lost += step.unreadable_keys_upstream;
    }
    let copies = world.copies();
    assert_eq!(copies.len(), trace.keys);
    assert_eq!(trace.owners.len(), trace.keys);
    for (number, owner) in trace.owners.chars().enumerate() {
        let on = &copies[&key(number)];
        assert!(on.keys().eq([&format!("Node{owner}")]), "of {number}");
    }
    (refused, lost)
}

#[tokio::test]
async fn every_key_lies_where_the_ring_says_after_every_step_of_the_traces() {
    let text = include_str!("data/seed003-kvsystem.json");
    let recorded: Recorded = serde_json::from_str(text).unwrap();
    assert_eq!(recorded.traces.len(), 5);
    let (mut refused, mut lost) = (0, 0);
    for trace in &recorded.traces {
        let (here, there) = replay(trace).await;
        refused += here;
        lost += there;
    }
    assert_eq!(refused, 1); // the name of a node that is there
    assert_eq!(lost, 270 + 491 + 166 + 272); // the system's, not ours
}
