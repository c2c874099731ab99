//! Many keys at once, of which some fail: each has an answer of its own, and it is true.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use keyroute_core::WalkExt;
use keyroute_kv::{Entry, KvError, MAX_KEY_LEN, Store};

mod support;
use support::{World, node, ring};

const KEYS: u32 = 60;
const NODES: [&str; 4] = ["a", "b", "c", "d"];

fn key(number: u32) -> Vec<u8> {
    format!("k{number}").into_bytes()
}

async fn filled(world: &World, replicas: usize) -> Store {
    let builder = world.builder().nodes(NODES.map(node)).replicas(replicas);
    let store = builder.open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "old").await.unwrap();
    }
    store
}

/// Those that lie on this node before a change or after it.
fn on(id: &str, replicas: usize, fleets: &[&[&str]]) -> Vec<bool> {
    let rings = fleets.iter().map(|ids| {
        let nodes: Vec<_> = ids.iter().map(|id| node(id)).collect();
        ring(&nodes).unwrap()
    });
    let rings: Vec<_> = rings.collect();
    let of = |number| {
        let holds = |ring: &keyroute_kv::AnyRouter| {
            let holders = ring.replica_ids(&key(number), replicas);
            holders.iter().any(|it| **it == *id)
        };
        rings.iter().any(holds)
    };
    (0..KEYS).map(of).collect()
}

fn entries() -> Vec<(Vec<u8>, Entry)> {
    (0..KEYS).map(|it| (key(it), Entry::new("new"))).collect()
}

fn assert_node_b_failed<T: std::fmt::Debug>(answer: &Result<T, KvError>, failed: bool) {
    match answer {
        Ok(_) => assert!(!failed),
        Err(KvError::Shard { id, .. }) => assert!(failed && *id == "b"),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_node_that_fails_fails_its_own_keys_alone() {
    for replicas in [1, 2] {
        for changing in [false, true] {
            let world = World::new();
            let store = filled(&world, replicas).await;
            let mut fleets = vec![&NODES[..]];
            if changing {
                store.add(node("e")).await.unwrap();
                fleets.push(&["a", "b", "c", "d", "e"]);
            }
            let on_b = on("b", replicas, &fleets);
            // Neither all nor none: else nothing would be tried.
            assert!(on_b.contains(&true) && on_b.contains(&false));

            world.die_in("b", 0);
            let answers = store.set_each(entries()).await;
            assert_eq!(answers.len(), KEYS as usize);
            for (answer, &failed) in answers.iter().zip(&on_b) {
                assert_node_b_failed(answer, failed);
            }
            let copies = world.copies();
            let nodes = NODES.map(node);
            let before = ring(&nodes).unwrap();
            for number in 0..KEYS {
                // Written from the last replica to the first: one whose last failed is as it was for all who read.
                let key = key(number);
                let holders = before.replica_ids(&key, replicas);
                if !changing && holders.get(1).is_some_and(|it| **it == *"b") {
                    assert_eq!(copies[&key][&*holders[0].to_string()], Entry::new("old"));
                }
            }
            for (number, answer) in (0..KEYS).zip(&answers) {
                let values: Vec<&[u8]> = copies
                    .get(&key(number))
                    .into_iter()
                    .flat_map(BTreeMap::values)
                    .map(|entry| entry.value.as_slice())
                    .collect();
                if answer.is_ok() {
                    assert!(values.iter().all(|it| *it == b"new"), "{number}");
                    assert!(values.len() >= replicas, "{number}");
                }
            }

            let keys: Vec<Vec<u8>> = (0..KEYS).map(key).collect();
            let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let answers = store.delete_each(&lent).await;
            for (answer, &failed) in answers.iter().zip(&on_b) {
                assert_node_b_failed(answer, failed);
                assert!(failed || *answer.as_ref().unwrap());
            }
            // All together they are one error, and what they did stays done.
            let all = store.delete_many(&lent).await;
            assert!(matches!(all, Err(KvError::Shard { id, .. }) if id == "b"));
            let all = store.set_many(entries()).await;
            assert!(matches!(all, Err(KvError::Shard { id, .. }) if id == "b"));
        }
    }
}

#[tokio::test]
async fn a_key_that_is_too_long_fails_alone() {
    let world = World::new();
    let store = filled(&world, 2).await;
    let long = vec![b'k'; MAX_KEY_LEN + 1];
    let entry = || Entry::new("new");
    let given = || {
        vec![
            (key(1), entry()),
            (long.clone(), entry()),
            (key(2), entry()),
        ]
    };

    let refused = store.set_many(given()).await;
    assert!(matches!(refused, Err(KvError::KeyTooLong { length }) if length == long.len()));
    assert_eq!(store.get(&key(1)).await.unwrap(), Some(b"old".to_vec()));
    let refused = store.delete_many(&[&key(1), &long]).await;
    assert!(matches!(refused, Err(KvError::KeyTooLong { .. })));
    assert_eq!(store.get(&key(1)).await.unwrap(), Some(b"old".to_vec()));

    let answers = store.set_each(given()).await;
    assert!(matches!(
        &answers[..],
        [Ok(()), Err(KvError::KeyTooLong { .. }), Ok(())]
    ));
    for number in [1, 2] {
        let value = store.get(&key(number)).await.unwrap();
        assert_eq!(value, Some(b"new".to_vec()));
    }
    let answers = store.delete_each(&[&long, &key(1)]).await;
    assert!(matches!(
        &answers[..],
        [Err(KvError::KeyTooLong { .. }), Ok(true)]
    ));
    assert_eq!(store.get(&key(1)).await.unwrap(), None);
}

#[tokio::test]
async fn of_a_key_that_comes_twice_the_last_value_is_set_and_the_first_deletion_counts() {
    let world = World::new();
    let store = filled(&world, 1).await;
    let entries = ["1", "2", "3", "4", "5"].map(|value| {
        let number = u32::from(value == "2" || value == "4");
        (key(number), Entry::new(value))
    });
    let answers = store.set_each(entries.to_vec()).await;
    assert!(answers.len() == 5 && answers.iter().all(Result::is_ok));
    assert_eq!(store.get(&key(0)).await.unwrap(), Some(b"5".to_vec()));
    assert_eq!(store.get(&key(1)).await.unwrap(), Some(b"4".to_vec()));

    let keys = [
        key(1),
        key(0),
        key(1),
        b"none".to_vec(),
        key(0),
        b"none".to_vec(),
    ];
    let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let was = store.delete_many(&lent).await.unwrap();
    assert_eq!(was, [true, true, false, false, false, false]);

    // A node that failed failed each of them.
    let on_b = on("b", 1, &[&NODES]).iter().position(|&it| it).unwrap();
    let key = key(u32::try_from(on_b).unwrap());
    world.die_in("b", 0);
    let answers = store.delete_each(&[&key, &key]).await;
    assert!(answers.len() == 2 && answers.iter().all(Result::is_err));
}

#[tokio::test]
async fn of_none_there_is_none() {
    let store = World::new().builder().nodes(NODES.map(node));
    let store = store.open().await.unwrap();
    assert!(store.set_each(Vec::new()).await.is_empty());
    assert!(store.delete_each(&[]).await.is_empty());
}
