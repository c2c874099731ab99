//! A server of a store dies in the midst of a change, and starts again empty.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test may panic, and its numbers are small"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keyroute_core::WalkExt;
use keyroute_kv::{Entry, KvError, Node, NodeId, RedisShard, Store};
use keyroute_live::redis::Redis;
use keyroute_vector_ring::VectorRing;

const KEYS: u64 = 3_000;

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

fn node(id: &str) -> Node {
    Node::new(id).unwrap()
}

/// A store over r0, r1 and r2, full of keys, and a server r3 beside it.
async fn fleet(name: &str, replicas: usize) -> (BTreeMap<String, Redis>, Store) {
    let servers: BTreeMap<String, Redis> = (0..4)
        .map(|it| (format!("r{it}"), Redis::start(name)))
        .collect();
    let nodes = ["r0", "r1", "r2"].map(|id| (node(id), servers[id].address()));
    let store = Store::builder(
        |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
        |_: &NodeId, address| RedisShard::open(address),
    )
    .nodes_at(nodes)
    .replicas(replicas)
    .open()
    .await
    .unwrap();
    let entries = (0..KEYS).map(|it| (key(it), Entry::new("0")));
    store.set_many(entries.collect()).await.unwrap();
    (servers, store)
}

async fn begin(store: &Store, servers: &BTreeMap<String, Redis>, change: &str) {
    match change.split_at(1) {
        ("+", id) => store.add_at(node(id), servers[id].address()).await.unwrap(),
        (_, id) => store.remove(id).await.unwrap(),
    }
}

/// Of each key the version that was answered last, and those that failed since: they may be there.
type Known = Arc<Vec<Mutex<(u64, Vec<u64>)>>>;

/// Writes its keys until it is stopped; counts what was answered and what failed.
async fn write(
    store: Store,
    known: Known,
    writer: u64,
    stop: Arc<AtomicBool>,
    counts: Arc<[AtomicU64; 2]>,
) {
    for version in 1.. {
        for number in (writer..KEYS).step_by(4) {
            if stop.load(SeqCst) {
                return;
            }
            known[number as usize].lock().unwrap().1.push(version);
            match store.set(&key(number), version.to_string()).await {
                Ok(()) => {
                    *known[number as usize].lock().unwrap() = (version, Vec::new());
                    counts[0].fetch_add(1, SeqCst);
                }
                Err(KvError::Shard { .. }) => {
                    counts[1].fetch_add(1, SeqCst);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Each key can be read, and is what was answered, or what may have been done since.
async fn assert_right(store: &Store, known: &Known, when: &str) {
    for number in 0..KEYS {
        let least = known[number as usize].lock().unwrap().0;
        let value = store.get(&key(number)).await.unwrap();
        let value: u64 = String::from_utf8(value.unwrap()).unwrap().parse().unwrap();
        let known = known[number as usize].lock().unwrap();
        let due = (least <= value && value <= known.0) || known.1.contains(&value);
        assert!(due, "{when}: {number} is {value} after {least}, {known:?}");
    }
}

async fn dies_with_two_replicas(change: &str, victim: &str) {
    let (mut servers, store) = fleet("two", 2).await;
    let known: Known = Arc::new((0..KEYS).map(|_| Mutex::default()).collect());
    let stop = Arc::new(AtomicBool::new(false));
    let counts = Arc::new([AtomicU64::new(0), AtomicU64::new(0)]);
    begin(&store, &servers, change).await;
    let writers: Vec<_> = (0..4)
        .map(|it| {
            tokio::spawn(write(
                store.clone(),
                known.clone(),
                it,
                stop.clone(),
                counts.clone(),
            ))
        })
        .collect();
    for _ in 0..10 {
        store.advance(50).await.unwrap();
    }

    servers.get_mut(victim).unwrap().kill();
    let answered = counts[0].load(SeqCst);
    assert_right(&store, &known, "dead").await;
    // It tells whom it waits for.
    let error = loop {
        if let Err(error) = store.advance(200).await {
            break error;
        }
    };
    assert!(
        matches!(&error, KvError::Shard { id, .. } if *id == *victim),
        "{error}"
    );
    assert!(store.progress().unwrap().error.unwrap().contains(victim));

    // Empty, it must not be taken for one that says that there is nothing.
    servers.get_mut(victim).unwrap().start_again();
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_right(&store, &known, "empty").await;
    let error = loop {
        if let Err(error) = store.advance(200).await {
            break error;
        }
    };
    assert!(error.to_string().contains("lost its mark"), "{error}");
    assert!(
        counts[0].load(SeqCst) > answered,
        "others are written meanwhile"
    );
    assert!(counts[1].load(SeqCst) > 0);

    store.remove_lost(victim).await.unwrap();
    store.run().await;
    let failed = counts[1].load(SeqCst);
    assert_right(&store, &known, "given up").await;
    stop.store(true, SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(counts[1].load(SeqCst), failed, "nothing fails any more");

    store.repair().await.unwrap();
    assert_right(&store, &known, "repaired").await;

    // Each key lies on its two holders, and nowhere else.
    assert!(store.nodes().iter().all(|it| *it.id() != *victim));
    let ring = VectorRing::from_nodes(store.nodes()).unwrap();
    let dumps: BTreeMap<&String, _> = servers.iter().map(|(id, it)| (id, it.dump())).collect();
    for number in 0..KEYS {
        let key = key(number);
        let holders = dumps.iter().filter(|(_, dump)| dump.contains_key(&key));
        let values: BTreeSet<&Vec<u8>> = holders.clone().map(|(_, dump)| &dump[&key]).collect();
        assert_eq!(values.len(), 1, "{number} has one value");
        let found: Vec<&str> = holders.map(|(id, _)| id.as_str()).collect();
        let mut due: Vec<&str> = ring
            .replica_ids(&key, 2)
            .iter()
            .map(|it| it.as_str())
            .collect();
        due.sort_unstable();
        assert_eq!(found, due, "{number} as {victim} died in {change}");
    }
    println!(
        "{victim} died in {change}: {} writes answered, {failed} failed meanwhile",
        counts[0].load(SeqCst)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn with_two_replicas_nothing_is_lost_as_the_one_that_stays_dies() {
    dies_with_two_replicas("+r3", "r0").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn with_two_replicas_nothing_is_lost_as_the_one_that_joins_dies() {
    dies_with_two_replicas("+r3", "r3").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn with_two_replicas_nothing_is_lost_as_the_one_that_leaves_dies() {
    dies_with_two_replicas("-r1", "r1").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn with_one_replica_the_error_says_which_node() {
    let (mut servers, store) = fleet("one", 1).await;
    begin(&store, &servers, "+r3").await;
    for _ in 0..5 {
        store.advance(50).await.unwrap();
    }
    let there = servers["r1"].dump();
    servers.get_mut("r1").unwrap().kill();
    for again in [false, true] {
        if again {
            servers.get_mut("r1").unwrap().start_again();
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        for number in 0..KEYS {
            let key = key(number);
            match store.get(&key).await {
                Ok(value) => {
                    assert_eq!(value, Some(b"0".to_vec()), "{number}");
                    assert!(!there.contains_key(&key), "{number}");
                }
                Err(KvError::Shard { id, .. }) => {
                    // Where it is not known whether it has moved, too.
                    assert_eq!(id, *"r1", "{number}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    store.remove_lost("r1").await.unwrap();
    store.run().await;
    let mut lost = 0;
    for number in 0..KEYS {
        let key = key(number);
        let value = store.get(&key).await.unwrap();
        if there.contains_key(&key) {
            assert_eq!(value, None, "{number}");
            lost += 1;
        } else {
            assert_eq!(value, Some(b"0".to_vec()), "{number}");
        }
    }
    assert_eq!(lost, there.len());
    assert!(lost > 0);
}
