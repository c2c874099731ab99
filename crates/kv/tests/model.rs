//! A store under random operations and changes is a map.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test may panic, and its numbers are small"
)]

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use keyroute_kv::{Entry, KvError, Rate, Store, Weight};

mod support;
use support::{Numbers, World, finish, node, planned, scan_all};

type Map = BTreeMap<Vec<u8>, Entry>;

fn live<'a>(map: &'a Map, key: &[u8], now: u64) -> Option<&'a Entry> {
    map.get(key).filter(|entry| entry.is_live(now))
}

fn key(number: u32) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

/// A store over two nodes with so many keys of this value.
async fn of_two(world: &World, keys: u32, value: &str) -> Store {
    let nodes = ["a", "b"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    for number in 0..keys {
        store.set(&key(number), value).await.unwrap();
    }
    store
}

async fn play(seed: u64) {
    let mut draw = Numbers(seed);
    let world = World::new();
    let replicas = 1 + draw.below(3) as usize;
    let nodes = ["a", "b", "c"].map(node);
    let mut store = world
        .builder()
        .nodes(nodes)
        .replicas(replicas)
        .open()
        .await
        .unwrap();
    let mut map = Map::new();
    let mut joined = 0;
    for step in 0..400u32 {
        let now = world.clock.load(SeqCst);
        let key = format!("k{}", draw.below(40)).into_bytes();
        match draw.below(26) {
            0..=6 => {
                let mut entry = Entry::new(format!("v{step}"));
                if draw.below(4) == 0 {
                    entry = entry.until(now + draw.below(50));
                }
                store.set_entry(&key, entry.clone()).await.unwrap();
                map.insert(key, entry);
            }
            7 | 8 => {
                let time = draw.below(30);
                store
                    .set_for(&key, "t", Duration::from_millis(time))
                    .await
                    .unwrap();
                map.insert(key, Entry::new("t").until(now + time));
            }
            9 | 10 => {
                let was = live(&map, &key, now).is_some();
                assert!(store.delete(&key).await.unwrap() || !was);
                map.remove(&key);
            }
            11 => {
                world.clock.fetch_add(draw.below(20), SeqCst);
            }
            12 => {
                let entries: Vec<(Vec<u8>, Entry)> = (0..5)
                    .map(|it| {
                        (
                            format!("k{}", draw.below(40)).into_bytes(),
                            Entry::new(format!("m{step}.{it}")),
                        )
                    })
                    .collect();
                store.set_many(entries.clone()).await.unwrap();
                map.extend(entries);
            }
            22 => {
                let mut keys: Vec<Vec<u8>> = (0..4)
                    .map(|_| format!("k{}", draw.below(40)).into_bytes())
                    .collect();
                keys.push(keys[0].clone());
                let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let found = store.delete_many(&lent).await.unwrap();
                for (place, key) in keys.iter().enumerate() {
                    let first = !keys[..place].contains(key);
                    let was = live(&map, key, now).is_some() && first;
                    assert!(found[place] || !was, "{key:?} in {seed}");
                    assert!(!found[place] || first, "{key:?} in {seed}");
                }
                for key in keys {
                    map.remove(&key);
                }
            }
            13 => change(&store, &mut draw, &mut joined).await,
            14..=16 => {
                store.advance(1 + draw.below(6) as usize).await.unwrap();
            }
            17 if draw.below(3) == 0 => match store.abort().await {
                Ok(()) | Err(KvError::NoChange) => {}
                Err(error) => panic!("{error}"),
            },
            18 if draw.below(2) == 0 => drop(store.pause().await),
            18 | 19 => drop(store.resume().await),
            20 => {
                drop(store);
                store = world.builder().open().await.unwrap();
            }
            21 => {
                let scanned = scan_all(&store, 1 + draw.below(9) as usize).await;
                for key in map.keys() {
                    assert!(
                        live(&map, key, now).is_none() || scanned.contains_key(key),
                        "{key:?} in {seed}"
                    );
                }
                for key in scanned.keys() {
                    assert!(map.contains_key(key), "{key:?} in {seed}");
                }
            }
            24 => {
                store.purge().await.unwrap();
                if store.progress().is_none() {
                    let held = world.copies().into_values();
                    let mut held = held.flat_map(BTreeMap::into_values);
                    assert!(held.all(|entry| entry.is_live(now)), "in {seed}");
                }
            }
            25 => {
                let repaired = store.repair().await.unwrap();
                assert_eq!(repaired.strays, 0, "in {seed}");
            }
            _ => {}
        }
        let now = world.clock.load(SeqCst);
        let keys: Vec<Vec<u8>> = (0..40).map(|it| format!("k{it}").into_bytes()).collect();
        let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let values = store.get_many(&lent).await.unwrap();
        for (key, value) in keys.iter().zip(values) {
            let entry = live(&map, key, now);
            assert_eq!(
                value.as_ref(),
                entry.map(|it| &it.value),
                "{key:?} at {step} in {seed}"
            );
            assert_eq!(store.entry(key).await.unwrap().as_ref(), entry);
        }
        if store.progress().is_none() {
            world.assert_placed(&store.nodes(), store.replicas());
        }
    }
    let _ = store.resume().await;
    finish(&store).await.unwrap();
    world.assert_placed(&store.nodes(), store.replicas());
}

async fn change(store: &Store, draw: &mut Numbers, joined: &mut u32) {
    let nodes = store.nodes();
    let some = nodes[draw.below(nodes.len() as u64) as usize].id().clone();
    let begun = match draw.below(4) {
        0 | 1 if nodes.len() < 6 => {
            *joined += 1;
            store.add(node(&format!("n{joined}"))).await
        }
        2 => store.remove(some.as_str()).await,
        3 => store.set_replicas(1 + draw.below(3) as usize).await,
        _ => {
            let weight = Weight::new(1 + draw.below(5) as u32).unwrap();
            store.reweight(some.as_str(), weight).await
        }
    };
    match begun {
        Ok(()) | Err(KvError::ChangeUnderWay | KvError::LastNode { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_store_is_a_map_whatever_changes() {
    for seed in 0..60 {
        play(seed).await;
    }
}

#[tokio::test]
async fn exactly_the_planned_keys_move() {
    for replicas in 1..=3 {
        let world = World::new();
        let nodes = ["a", "b", "c", "e"].map(node);
        let store = world
            .builder()
            .nodes(nodes)
            .replicas(replicas)
            .open()
            .await
            .unwrap();
        let keys: Vec<Vec<u8>> = (0..500)
            .map(|it| format!("user:{it}").into_bytes())
            .collect();
        for key in &keys {
            store.set(key, "v").await.unwrap();
        }
        for step in 0..3 {
            let (before, sets) = (store.nodes(), world.sets.load(SeqCst));
            match step {
                0 => store.add(node("d")).await.unwrap(),
                1 => store.reweight("a", Weight::new(3).unwrap()).await.unwrap(),
                _ => store.remove("b").await.unwrap(),
            }
            let plan = planned(&before, &store.nodes(), replicas, &keys);
            assert!(plan > 20);
            assert_eq!(finish(&store).await.unwrap(), plan);
            if replicas == 1 {
                assert_eq!(world.sets.load(SeqCst) - sets, plan); // one write each
            }
            world.assert_placed(&store.nodes(), replicas);
        }
    }
}

#[tokio::test]
async fn progress_tells_how_far_it_is() {
    let world = World::new();
    let store = of_two(&world, 100, "12345").await;
    assert_eq!(store.progress(), None);
    store.add(node("c")).await.unwrap();
    let mut last = 0;
    while let Some(progress) = store.progress() {
        assert!(!progress.paused && !progress.back && progress.error.is_none());
        assert!(progress.seen >= last && progress.bytes == 5 * progress.moved);
        assert!(last == 0 || progress.keys == 100);
        last = progress.seen;
        store.advance(7).await.unwrap();
    }
    assert!(last >= 93, "{last}"); // keys that came to a node while it was gone through are seen too
}

#[tokio::test(start_paused = true)]
async fn the_mover_keeps_to_its_rate() {
    for (rate, least, most) in [
        (
            Rate {
                keys_per_second: Some(20),
                bytes_per_second: None,
            },
            1000 / 20,
            1000 / 20,
        ),
        (
            Rate {
                keys_per_second: None,
                bytes_per_second: Some(100),
            },
            1000 / 20,
            1000 / 20,
        ),
        (Rate::default(), 0, 0),
    ] {
        let world = World::new();
        let store = of_two(&world, 200, "12345").await;
        let keys: Vec<Vec<u8>> = (0..200).map(key).collect();
        let before = store.nodes();
        store.set_rate(rate);
        store.add(node("c")).await.unwrap();
        let moves = planned(&before, &store.nodes(), 1, &keys);
        let begun = tokio::time::Instant::now();
        store.run().await;
        let time = begun.elapsed().as_millis() as u64;
        assert!(
            time >= moves.saturating_sub(64) * least && time <= moves * most + 100,
            "{time} ms for {moves}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_lasts_until_it_is_ended_and_outlives_the_process() {
    let world = World::new();
    let store = of_two(&world, 50, "v").await;
    store.add(node("c")).await.unwrap();
    store.pause().await.unwrap();
    drop(store);
    let store = world.builder().open().await.unwrap();
    assert!(store.progress().unwrap().paused);
    let hour = Duration::from_secs(3600);
    assert!(tokio::time::timeout(hour, store.run()).await.is_err());
    assert_eq!(store.progress().unwrap().moved, 0);
    let (ran, resumed) = tokio::join!(store.run(), store.resume());
    let () = ran;
    resumed.unwrap();
    world.assert_placed(&store.nodes(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_fails_is_asked_again() {
    let world = World::new();
    let store = of_two(&world, 50, "v").await;
    store.add(node("c")).await.unwrap();
    world.end.store(world.operations.load(SeqCst) + 20, SeqCst);
    let heal = async {
        tokio::time::sleep(Duration::from_secs(60)).await;
        let error = store.progress().unwrap().error.unwrap();
        assert!(error.contains("the process is no more"), "{error}");
        world.end.store(u64::MAX, SeqCst);
    };
    tokio::join!(store.run(), heal);
    world.assert_placed(&store.nodes(), 1);
}
