//! Readers and writers on many threads see each key as if they were alone with it, while nodes come and go.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test may panic, and its numbers are small"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use keyroute_kv::{Entry, Store};

mod support;
use support::{Numbers, World, finish, node, scan_all};

const KEYS: u64 = 64;
const WRITERS: u64 = 4;

/// Of a key: the version that was written last, and the one that is being written. Every fifth is a deletion.
#[derive(Default)]
struct Versions {
    done: AtomicU64,
    begun: AtomicU64,
}

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

async fn write(store: Store, all: Arc<Vec<Versions>>, writer: u64, stop: Arc<AtomicBool>) -> u64 {
    let mut draw = Numbers(writer);
    let mut writes = 0;
    while !stop.load(SeqCst) {
        let number = draw.below(KEYS / WRITERS) * WRITERS + writer; // each key has one writer
        let versions = &all[number as usize];
        let version = versions.begun.fetch_add(1, SeqCst) + 1;
        // Some by themselves, some in a batch with keys that nobody looks at.
        let batch = version.is_multiple_of(3);
        let others = (0..5).map(|it| format!("other:{writer}:{}", (number + it) % 9).into_bytes());
        let others: Vec<Vec<u8>> = others.collect();
        let key = key(number);
        if version.is_multiple_of(5) && batch {
            let mut keys: Vec<&[u8]> = others.iter().map(Vec::as_slice).collect();
            keys.push(&key);
            store.delete_many(&keys).await.unwrap();
        } else if version.is_multiple_of(5) {
            store.delete(&key).await.unwrap();
        } else if batch {
            let mut entries: Vec<_> = others.into_iter().map(|it| (it, Entry::new("v"))).collect();
            entries.push((key, Entry::new(version.to_string())));
            store.set_many(entries).await.unwrap();
        } else {
            store.set(&key, version.to_string()).await.unwrap();
        }
        versions.done.store(version, SeqCst);
        writes += 1;
    }
    writes
}

async fn read(store: Store, all: Arc<Vec<Versions>>, seed: u64, stop: Arc<AtomicBool>) {
    let mut draw = Numbers(seed);
    let mut seen = vec![0; KEYS as usize];
    for reads in 0u64.. {
        let number = draw.below(KEYS);
        let versions = &all[number as usize];
        let least = versions.done.load(SeqCst).max(seen[number as usize]);
        let key = key(number);
        let value = if reads % 2 == 0 {
            store.get(&key).await.unwrap()
        } else {
            let values = store.get_many(&[b"other:0:1", &key, b"other:1:2"]).await;
            values.unwrap().swap_remove(1)
        };
        let most = versions.begun.load(SeqCst);
        match value {
            Some(value) => {
                let version: u64 = String::from_utf8(value).unwrap().parse().unwrap();
                assert!(
                    !version.is_multiple_of(5) && least <= version && version <= most,
                    "{least} {version} {most}"
                );
                seen[number as usize] = version;
            }
            // Nothing, at the beginning and after each deletion.
            None => assert!(
                least.next_multiple_of(5) <= most,
                "nothing in {least} to {most}"
            ),
        }
        if stop.load(SeqCst) {
            break;
        }
    }
}

/// Waits until so many more writes are answered, however busy the machine is.
async fn until_written(all: &[Versions], more: u64) {
    let written = || all.iter().map(|it| it.done.load(SeqCst)).sum::<u64>();
    let enough = written() + more;
    while written() < enough {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn grow_and_shrink(replicas: usize) {
    let world = World::new().that_yields();
    let store = world
        .builder()
        .nodes(["a", "b"].map(node))
        .replicas(replicas)
        .open()
        .await
        .unwrap();
    let all: Arc<Vec<Versions>> = Arc::new((0..KEYS).map(|_| Versions::default()).collect());
    // Keys that nobody touches are always listed.
    for number in 0..30 {
        store
            .set(format!("still:{number}").as_bytes(), "v")
            .await
            .unwrap();
    }
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|it| tokio::spawn(write(store.clone(), all.clone(), it, stop.clone())))
        .collect();
    let readers: Vec<_> = (0..3)
        .map(|it| tokio::spawn(read(store.clone(), all.clone(), 100 + it, stop.clone())))
        .collect();
    for round in 0..12 {
        until_written(&all, 100).await;
        let name = format!("n{round}");
        store.add(node(&name)).await.unwrap();
        if round % 3 == 1 {
            store.advance(5).await.unwrap();
            store.abort().await.unwrap();
        }
        let (scanned, moved) = tokio::join!(scan_all(&store, 4), finish(&store));
        moved.unwrap();
        for number in 0..30 {
            assert!(
                scanned.contains_key(format!("still:{number}").as_bytes()),
                "{number} in {round}"
            );
        }
        if round % 3 == 2 {
            store.remove(&name).await.unwrap();
            tokio::join!(store.run(), store.run());
        }
    }
    stop.store(true, SeqCst);
    let mut writes = 0;
    for writer in writers {
        writes += writer.await.unwrap();
    }
    for reader in readers {
        reader.await.unwrap();
    }
    assert!(writes >= 1200);
    world.assert_placed(&store.nodes(), replicas);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_notices_changes_with_one_replica() {
    grow_and_shrink(1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_notices_changes_with_two_replicas() {
    grow_and_shrink(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_notices_when_the_number_of_replicas_changes() {
    let world = World::new().that_yields();
    let store = world
        .builder()
        .nodes(["a", "b", "c"].map(node))
        .open()
        .await
        .unwrap();
    let all: Arc<Vec<Versions>> = Arc::new((0..KEYS).map(|_| Versions::default()).collect());
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..WRITERS)
        .map(|it| tokio::spawn(write(store.clone(), all.clone(), it, stop.clone())))
        .collect();
    let reader = tokio::spawn(read(store.clone(), all.clone(), 7, stop.clone()));
    for replicas in [2, 3, 1, 3, 2, 1, 2, 1] {
        until_written(&all, 100).await;
        store.set_replicas(replicas).await.unwrap();
        store.run().await;
    }
    stop.store(true, SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    reader.await.unwrap();
    world.assert_placed(&store.nodes(), 1);
}

/// Writers of the same keys, some singly and some in batches, in whatever order they come: but in one.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_replicas_see_one_order() {
    let world = World::new().that_yields();
    let store = world
        .builder()
        .nodes(["a", "b", "c"].map(node))
        .replicas(2)
        .open()
        .await
        .unwrap();
    for round in 0..200u64 {
        let writers = (0..WRITERS).map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                let value = format!("{round}.{writer}");
                let keys: Vec<Vec<u8>> = (0..6).map(key).collect();
                let entries = keys
                    .iter()
                    .map(|key| (key.clone(), Entry::new(value.clone())));
                let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                match (round + writer) % 4 {
                    0 => store.set(&keys[0], value).await.unwrap(),
                    1 => drop(store.delete_many(&lent).await.unwrap()),
                    _ => store.set_many(entries.collect()).await.unwrap(),
                }
            })
        });
        for writer in writers.collect::<Vec<_>>() {
            writer.await.unwrap();
        }
        for (key, copies) in world.copies() {
            let entries: Vec<&Entry> = copies.values().collect();
            assert!(
                entries.windows(2).all(|it| it[0] == it[1]),
                "{key:?} {copies:?}"
            );
        }
        match round {
            60 => {
                store.add(node("d")).await.unwrap();
                store.pause().await.unwrap();
            }
            160 => {
                store.resume().await.unwrap();
                store.run().await;
            }
            _ => {}
        }
    }
    world.assert_placed(&store.nodes(), 2);
}
