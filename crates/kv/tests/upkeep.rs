//! Replicas that were left apart are made alike again, and what has ended is forgotten.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use keyroute_core::WalkExt;
use keyroute_kv::{Entry, KvError, Rate, Shard, Store};

mod support;
use support::{World, finish, node, owner, ring};

const KEYS: u32 = 30;

fn key(number: u32) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

async fn of_four(world: &World, replicas: usize) -> Store {
    let nodes = ["a", "b", "c", "d"].map(node);
    let builder = world.builder().nodes(nodes).replicas(replicas);
    let store = builder.open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "first").await.unwrap();
    }
    store
}

#[derive(Clone, Copy, Debug)]
enum Write {
    Another,
    New,
    Delete,
    Many,
}

async fn write(store: &Store, what: Write) -> Result<(), KvError> {
    match what {
        Write::Another => store.set(&key(0), "second").await,
        Write::New => store.set(&key(KEYS), "new").await,
        Write::Delete => store.delete(&key(0)).await.map(drop),
        Write::Many => {
            let keys = [1, 2, 0, 3].map(|number| (key(number), Entry::new("second")));
            store.set_many(keys.to_vec()).await
        }
    }
}

async fn values(store: &Store) -> Vec<Option<Vec<u8>>> {
    let mut values = Vec::new();
    for number in 0..=KEYS {
        values.push(store.get(&key(number)).await.unwrap());
    }
    values
}

/// The process dies at the n-th operation of a write; gives whether the write has so many.
async fn die_and_repair(n: u64, what: Write, change: bool) -> bool {
    let world = World::new();
    let store = of_four(&world, 3).await;
    let before = values(&store).await;
    let now = world.operations.load(SeqCst);
    world.end.store(now + n, SeqCst);
    let done = write(&store, what).await;
    drop(store);
    world.end.store(u64::MAX, SeqCst);
    let store = world.builder().open().await.unwrap();
    let seen = values(&store).await;
    let apart = world.copies().into_values();
    let differ = |copies: &BTreeMap<String, Entry>| {
        copies.len() != 3 || copies.values().any(|it| Some(it) != copies.values().next())
    };
    let apart = apart.filter(differ).count() as u64;
    if change {
        store.add(node("e")).await.unwrap();
        store.advance(7).await.unwrap();
    }
    let repaired = store.repair().await.unwrap();
    if !change {
        assert_eq!((repaired.keys, repaired.strays), (apart, 0), "{what:?} {n}");
    }
    let after = values(&store).await;
    let all = before.iter().zip(&seen).zip(&after).enumerate();
    for (number, ((before, seen), after)) in all {
        // What readers saw stays; what they did not is what was written.
        let stays = after == seen || (seen.is_none() && before.is_none());
        assert!(
            stays,
            "{number} was {seen:?} and is {after:?} at {n} of {what:?}"
        );
    }
    if done.is_ok() {
        assert_eq!(after, seen);
        assert_eq!(apart, 0);
    }
    finish(&store).await.unwrap();
    world.assert_placed(&store.nodes(), 3);
    let again = store.repair().await.unwrap();
    assert_eq!((again.keys, again.strays), (0, 0));
    done.is_err()
}

#[tokio::test]
async fn replicas_are_alike_after_a_write_was_cut_anywhere() {
    for what in [Write::Another, Write::New, Write::Delete, Write::Many] {
        for change in [false, true] {
            let mut n = 0;
            while die_and_repair(n, what, change).await {
                n += 1;
            }
            assert!(n >= 3, "{n} operations in {what:?}");
        }
    }
}

#[tokio::test]
async fn a_shard_that_comes_back_empty_gets_its_keys_again() {
    let world = World::new();
    let store = of_four(&world, 2).await;
    let whole = world.copies();
    let held = world.shard("b").snapshot();
    for key in held.keys() {
        world.shard("b").delete(key).await.unwrap();
    }
    let repaired = store.repair().await.unwrap();
    assert_eq!(repaired.keys, held.len() as u64);
    assert_eq!(world.copies(), whole);
    assert!(
        values(&store).await[..KEYS as usize]
            .iter()
            .all(Option::is_some)
    );
}

#[tokio::test]
async fn what_lies_where_nobody_reads_is_counted_and_deleted_unless_nodes_change() {
    for replicas in [1, 2] {
        let world = World::new();
        let store = of_four(&world, replicas).await;
        let whole = world.copies();
        let nodes = store.nodes();
        let router = ring(&nodes).unwrap();
        let put = async |number| {
            let key = key(number);
            let holders = router.replica_ids(&key, replicas);
            let stray = nodes.iter().find(|it| !holders.contains(&it.id())).unwrap();
            let shard = world.shard(stray.id().as_str());
            shard.set(&key, Entry::new("stray")).await.unwrap();
        };
        for number in 0..5 {
            put(number).await;
        }
        let repaired = store.repair().await.unwrap();
        assert_eq!((repaired.keys, repaired.strays), (0, 5));
        assert_eq!(repaired.seen, u64::from(KEYS) * replicas as u64 + 5);
        assert_eq!(world.copies(), whole);

        store.set_replicas(replicas).await.unwrap(); // a change of nothing
        for number in 0..5 {
            put(number).await;
        }
        let repaired = store.repair().await.unwrap();
        assert_eq!((repaired.keys, repaired.strays), (0, 5));
        assert_ne!(world.copies(), whole);
        finish(&store).await.unwrap();
        assert_eq!(store.repair().await.unwrap().strays, 5);
        assert_eq!(world.copies(), whole);
    }
}

#[tokio::test]
async fn ended_copies_are_no_values() {
    let world = World::new();
    let store = of_four(&world, 2).await;
    let first = owner(&store.nodes(), &key(1));
    let shard = world.shard(&first);
    let ended = Entry::new("ended").until(10);
    world.clock.store(20, SeqCst);
    // A write that was cut: the second replica has it, the first what has ended.
    shard.set(&key(1), ended.clone()).await.unwrap();
    assert_eq!(store.repair().await.unwrap().keys, 1);
    assert_eq!(store.get(&key(1)).await.unwrap(), Some(b"first".to_vec()));
    // None has a value that is one.
    store.set_entry(&key(2), ended).await.unwrap();
    assert_eq!(store.repair().await.unwrap().keys, 1);
    assert!(!world.copies().contains_key(&key(2)));
}

#[tokio::test]
async fn nodes_that_cannot_list_are_not_repaired() {
    let world = World::new().that_cannot_list();
    let store = of_four(&world, 2).await;
    let error = store.repair().await.unwrap_err();
    assert!(matches!(error, KvError::CannotList { id } if id == "a"));
}

#[tokio::test(start_paused = true)]
async fn upkeep_keeps_to_the_rate() {
    let world = World::new();
    let store = of_four(&world, 2).await;
    store.set_rate(Rate {
        keys_per_second: Some(20),
        bytes_per_second: None,
    });
    let begun = tokio::time::Instant::now();
    store.repair().await.unwrap();
    let copies = u128::from(KEYS) * 2;
    assert!(begun.elapsed().as_millis() >= copies * 50);
    let begun = tokio::time::Instant::now();
    store.purge().await.unwrap();
    assert!(begun.elapsed().as_millis() >= copies * 50);
}

#[tokio::test]
async fn what_has_ended_is_forgotten_also_while_nodes_change() {
    for replicas in [1, 2] {
        for steps in 0..12 {
            let world = World::new();
            let store = of_four(&world, replicas).await;
            for number in (0..KEYS).filter(|number| number % 3 == 0) {
                let time = Duration::from_millis(5 + u64::from(number % 2));
                store.set_for(&key(number), "short", time).await.unwrap();
            }
            let expected = |now: u64| {
                let live = move |number: u32| now < 5 + u64::from(number % 2);
                (0..KEYS).map(move |number| match number % 3 {
                    0 => live(number).then(|| b"short".to_vec()),
                    _ => Some(b"first".to_vec()),
                })
            };
            store.add(node("e")).await.unwrap();
            for _ in 0..steps {
                store.advance(5).await.unwrap();
            }
            for now in [4, 5, 6] {
                world.clock.store(now, SeqCst);
                let ended = store.purge().await.unwrap();
                assert_eq!(ended > 0, now > 4);
                assert!(
                    values(&store)
                        .await
                        .into_iter()
                        .take(KEYS as usize)
                        .eq(expected(now))
                );
            }
            assert_eq!(store.purge().await.unwrap(), 0);
            assert_eq!(world.copies().len(), (KEYS - KEYS.div_ceil(3)) as usize);
            finish(&store).await.unwrap();
            assert!(
                values(&store)
                    .await
                    .into_iter()
                    .take(KEYS as usize)
                    .eq(expected(6))
            );
            world.assert_placed(&store.nodes(), replicas);
        }
    }
}

/// A purge must not take what is set for the ended that it replaced. The writer goes on until a purge came between.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_set_while_the_ended_is_forgotten_stays() {
    for replicas in [1, 2] {
        let world = World::new().that_yields();
        let store = of_four(&world, replicas).await;
        let (stop, forgotten) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicU64::new(0)),
        );
        let purges = {
            let (store, stop, forgotten) = (store.clone(), stop.clone(), forgotten.clone());
            tokio::spawn(async move {
                while !stop.load(SeqCst) {
                    forgotten.fetch_add(store.purge().await.unwrap(), SeqCst);
                    store.repair().await.unwrap();
                }
            })
        };
        let mut round = 0_u32;
        while round < 300 || forgotten.load(SeqCst) == 0 {
            assert!(
                round < 1_000_000,
                "no purge forgot anything in {round} rounds"
            );
            let number = round % KEYS;
            let ended = Entry::new("ended").until(0);
            store.set_entry(&key(number), ended).await.unwrap();
            store.set(&key(number), "stays").await.unwrap();
            let found = store.get(&key(number)).await.unwrap();
            assert_eq!(found, Some(b"stays".to_vec()), "in {round}");
            round += 1;
        }
        stop.store(true, SeqCst);
        purges.await.unwrap();
        for number in 0..KEYS {
            let found = store.get(&key(number)).await.unwrap();
            assert_eq!(found, Some(b"stays".to_vec()));
        }
        world.assert_placed(&store.nodes(), replicas);
    }
}
