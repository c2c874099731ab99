//! A process that dies between any two operations loses nothing that was answered, and brings nothing back.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;

use keyroute_core::WalkExt;
use keyroute_kv::{Entry, KvError, Node, NodeId, Store, Weight};

mod support;
use support::{World, finish, node, ring};

const KEYS: u32 = 40;

fn key(number: u32) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

type Value = Option<Vec<u8>>;

/// What is known of each key: its value, or its value and the one that a write which failed would give it.
#[derive(Default)]
struct Known(BTreeMap<Vec<u8>, (Value, Option<Value>)>);

impl Known {
    async fn set(&mut self, store: &Store, number: u32, value: &str) -> Result<(), KvError> {
        let done = store.set(&key(number), value).await;
        self.note(key(number), Some(value.into()), done)
    }

    async fn delete(&mut self, store: &Store, number: u32) -> Result<(), KvError> {
        let done = store.delete(&key(number)).await.map(drop);
        self.note(key(number), None, done)
    }

    fn note(
        &mut self,
        key: Vec<u8>,
        value: Value,
        done: Result<(), KvError>,
    ) -> Result<(), KvError> {
        let known = self.0.entry(key).or_default();
        match done {
            Ok(()) => known.0 = value,
            Err(_) => known.1 = Some(value),
        }
        done
    }
}

#[derive(Clone, Copy, Debug)]
enum What {
    Add,
    Remove,
    Reweight,
    Replicas(usize),
    Lost,
}

async fn begin(store: &Store, what: What) -> Result<(), KvError> {
    match what {
        What::Add => store.add(node("d")).await,
        What::Remove => store.remove("b").await,
        What::Reweight => store.reweight("a", Weight::new(5).unwrap()).await,
        What::Replicas(replicas) => store.set_replicas(replicas).await,
        What::Lost => store.remove_lost("b").await,
    }
}

/// A change with writes in between; turned round in its midst if so asked.
async fn play(store: &Store, known: &mut Known, what: What, abort: bool) -> Result<(), KvError> {
    begin(store, what).await?;
    store.advance(2).await?;
    for number in 0..KEYS {
        match number % 4 {
            0 => known.set(store, number, "second").await?,
            1 => known.delete(store, number).await?,
            _ => {}
        }
    }
    known.set(store, KEYS, "new").await?;
    store.advance(3).await?;
    store.advance(3).await?;
    if abort {
        store.abort().await?;
        store.advance(2).await?;
    }
    for number in 0..KEYS {
        match number % 5 {
            0 => known.delete(store, number).await?,
            1 => known.set(store, number, "third").await?,
            _ => {}
        }
    }
    finish(store).await?;
    known.set(store, 3, "fourth").await?;
    known.delete(store, 2).await
}

async fn check(store: &Store, known: &Known) -> BTreeMap<Vec<u8>, Value> {
    let mut values = BTreeMap::new();
    for (key, (value, pending)) in &known.0 {
        let found = store.get(key).await.unwrap();
        assert!(
            found == *value || Some(&found) == pending.as_ref(),
            "{key:?} is {found:?}, not {value:?} nor {pending:?}"
        );
        values.insert(key.clone(), found);
    }
    values
}

/// Dies at the n-th operation; gives whether there were so many.
async fn die_at(n: u64, replicas: usize, what: What, abort: bool, again: bool) -> bool {
    let world = World::new();
    let nodes: Vec<Node> = ["a", "b", "c"].map(node).to_vec();
    let mut known = Known::default();
    let store = world
        .builder()
        .nodes(nodes)
        .replicas(replicas)
        .open()
        .await
        .unwrap();
    for number in 0..KEYS {
        known.set(&store, number, "first").await.unwrap();
    }
    if let What::Lost = what {
        world.die_in("b", 0);
    }
    let begun = world.operations.load(SeqCst);
    world.end.store(begun + n, SeqCst);
    let died = play(&store, &mut known, what, abort).await.is_err();
    drop(store);

    // Another process finds what is there. It dies too, some operations on.
    world.end.store(u64::MAX, SeqCst);
    if again {
        let store = world.builder().open().await.unwrap();
        let now = world.operations.load(SeqCst);
        world.end.store(now + n % 11, SeqCst);
        let _ = finish(&store).await;
        if n.is_multiple_of(2) {
            let _ = store.abort().await;
            let _ = finish(&store).await;
        }
        world.end.store(u64::MAX, SeqCst);
    }
    let store = world.builder().open().await.unwrap();
    let first = check(&store, &known).await;
    finish(&store).await.unwrap();
    if let What::Lost = what
        && store.address_of("b").is_some()
    {
        store.remove_lost("b").await.unwrap(); // it was not noted
        finish(&store).await.unwrap();
    }
    assert_eq!(store.progress(), None);
    // What was seen stays, but for the one write that was under way: it may be done yet, and not undone.
    for (key, value) in check(&store, &known).await {
        let pending = known.0[&key].1.as_ref();
        assert!(
            value == first[&key] || Some(&value) == pending,
            "of {key:?} at {n}"
        );
    }
    // No copy is where it should not be; and where nothing was cut short, all are where they should.
    if known.0.values().all(|(_, pending)| pending.is_none()) {
        world.assert_placed(&store.nodes(), store.replicas());
    }
    died
}

async fn die_everywhere(replicas: usize, what: What) {
    for abort in [false, true] {
        for again in [false, true] {
            let mut n = 0;
            while die_at(n, replicas, what, abort, again).await {
                n += 1;
            }
            assert!(
                n > u64::from(KEYS),
                "{n} operations are too few to be what is meant"
            );
        }
    }
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_joins() {
    die_everywhere(1, What::Add).await;
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_leaves() {
    die_everywhere(1, What::Remove).await;
}

#[tokio::test]
async fn nothing_is_lost_when_weights_change() {
    die_everywhere(1, What::Reweight).await;
}

#[tokio::test]
async fn nothing_is_lost_with_two_replicas() {
    die_everywhere(2, What::Add).await;
    die_everywhere(2, What::Remove).await;
}

#[tokio::test]
async fn nothing_is_lost_when_a_lost_node_is_given_up() {
    die_everywhere(2, What::Lost).await;
    die_everywhere(3, What::Lost).await;
}

#[tokio::test]
async fn nothing_is_lost_when_a_replica_is_added_or_given_up() {
    die_everywhere(1, What::Replicas(2)).await;
    die_everywhere(2, What::Replicas(1)).await;
}

/// A reader asks the first replica: what it says must not be lost with it.
#[tokio::test]
async fn of_a_batch_that_is_cut_short_readers_see_what_all_replicas_have() {
    for deleted in [false, true] {
        let (mut cut, mut ended) = (0, false);
        while !ended {
            let world = World::new();
            let nodes = ["a", "b", "c"].map(node);
            let store = world.builder().nodes(nodes.clone()).replicas(2);
            let store = store.open().await.unwrap();
            let keys: Vec<Vec<u8>> = (0..12).map(|it| format!("k{it}").into_bytes()).collect();
            let entries = |value: &str| {
                let value = value.to_owned();
                let entry = move |key: &Vec<u8>| (key.clone(), Entry::new(value.clone()));
                keys.iter().map(entry).collect()
            };
            store.set_many(entries("old")).await.unwrap();
            world.end.store(world.operations.load(SeqCst) + cut, SeqCst);
            ended = if deleted {
                let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                store.delete_many(&lent).await.is_ok()
            } else {
                store.set_many(entries("new")).await.is_ok()
            };
            let new = (!deleted).then(|| Entry::new("new"));
            let (router, copies) = (ring(&nodes).unwrap(), world.copies());
            for key in &keys {
                let holders = router.replica_ids(key, 2);
                let of = |id: &NodeId| copies.get(key)?.get(id.as_str()).cloned();
                let [first, second] = [of(holders[0]), of(holders[1])];
                assert!(
                    first != new || second == new,
                    "{key:?} after {cut} operations"
                );
            }
            cut += 1;
        }
        assert!(cut > 12, "it was cut at {cut} points");
    }
}
