//! What another key-value system over a hash ring does wrong, and what is refused here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::Ordering::SeqCst;

use keyroute_kv::{KvError, RouteError, Store};

mod support;
use support::{World, finish, node, owner, planned};

const KEYS: u32 = 1000;

fn key(number: u32) -> Vec<u8> {
    format!("user:{number}:session").into_bytes()
}

async fn filled(world: &World, ids: &[&str]) -> Store {
    let nodes = ids.iter().map(|id| node(id));
    let store = world.builder().nodes(nodes).open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), number.to_string()).await.unwrap();
    }
    store
}

async fn assert_all_readable(store: &Store) {
    for number in 0..KEYS {
        let value = store.get(&key(number)).await.unwrap();
        assert_eq!(value, Some(number.to_string().into_bytes()));
    }
}

#[tokio::test]
async fn a_node_that_joins_gets_its_keys_and_none_becomes_unreadable() {
    let world = World::new();
    let store = filled(&world, &["Node0", "Node1", "Node2"]).await;
    store.add(node("Node3")).await.unwrap();
    assert_all_readable(&store).await; // before any has moved
    store.advance(100).await.unwrap();
    assert_all_readable(&store).await;
    finish(&store).await.unwrap();
    assert_all_readable(&store).await;
    let copies = world.copies();
    for number in 0..KEYS {
        let on = owner(&store.nodes(), &key(number));
        assert!(copies[&key(number)].keys().eq([&on]));
    }
}

#[tokio::test]
async fn no_name_is_taken_twice() {
    for leaver in ["Node0", "Node1"] {
        let world = World::new();
        let store = filled(&world, &["Node0", "Node1", "Node2"]).await;
        store.remove(leaver).await.unwrap();
        finish(&store).await.unwrap();
        let present = store.add(node("Node2")).await.unwrap_err();
        assert!(
            matches!(present, KvError::Route(RouteError::AlreadyMember { id }) if id == "Node2")
        );
        let retired = store.add(node(leaver)).await.unwrap_err();
        assert!(matches!(retired, KvError::Retired { id } if id == leaver));
        assert_all_readable(&store).await;

        // Who asks for it by name may have it back, also in another process; then it is a name as any.
        drop(store);
        let store = world.builder().open().await.unwrap();
        assert!(matches!(
            store.add(node(leaver)).await,
            Err(KvError::Retired { .. })
        ));
        store.add_again(node(leaver)).await.unwrap();
        finish(&store).await.unwrap();
        assert_all_readable(&store).await;
        world.assert_placed(&store.nodes(), 1);
    }
}

#[tokio::test]
async fn an_aborted_newcomer_may_come_again() {
    let world = World::new();
    let store = filled(&world, &["a", "b"]).await;
    store.add(node("c")).await.unwrap();
    store.advance(300).await.unwrap();
    store.abort().await.unwrap();
    store.abort().await.unwrap();
    assert_eq!(store.nodes(), ["a", "b"].map(node));
    finish(&store).await.unwrap();
    world.assert_placed(&["a", "b"].map(node), 1);
    store.add(node("c")).await.unwrap();
    finish(&store).await.unwrap();
    assert_all_readable(&store).await;
}

#[tokio::test]
async fn who_is_not_there_cannot_leave_nor_the_last() {
    let world = World::new();
    let store = filled(&world, &["a"]).await;
    let unknown = store.remove("nope").await.unwrap_err();
    assert!(matches!(unknown, KvError::Route(RouteError::NotMember { id }) if id == "nope"));
    let last = store.remove("a").await.unwrap_err();
    assert_eq!(
        last.to_string(),
        "node \"a\" is the last one, and its keys have nowhere to go: add another first"
    );
    assert!(store.progress().is_none());
    assert_all_readable(&store).await;
}

#[tokio::test]
async fn a_store_without_nodes_says_so() {
    let world = World::new();
    let store = world.builder().open().await.unwrap();
    assert!(matches!(store.get(b"k").await, Err(KvError::NoNodes)));
    assert!(matches!(store.set(b"k", "v").await, Err(KvError::NoNodes)));
    assert!(matches!(store.delete(b"k").await, Err(KvError::NoNodes)));
    assert!(matches!(
        store.get_many(&[b"k"]).await,
        Err(KvError::NoNodes)
    ));
    store.add(node("a")).await.unwrap();
    store.set(b"k", "v").await.unwrap();
    finish(&store).await.unwrap();
    assert_eq!(store.get(b"k").await.unwrap(), Some(b"v".to_vec()));
}

#[tokio::test]
async fn what_is_refused_changes_nothing() {
    let world = World::new();
    let store = filled(&world, &["a", "b"]).await;
    let (operations, copies) = (world.operations.load(SeqCst), world.copies());
    assert!(matches!(
        store.set_replicas(0).await,
        Err(KvError::Replicas { given: 0 })
    ));
    assert!(matches!(
        store.set_replicas(9).await,
        Err(KvError::Replicas { given: 9 })
    ));
    assert!(matches!(store.abort().await, Err(KvError::NoChange)));
    assert!(matches!(store.pause().await, Err(KvError::NoChange)));
    assert!(matches!(store.close().await, Err(KvError::NoChange)));
    let long = vec![0; keyroute_kv::MAX_KEY_LEN + 1];
    assert!(matches!(
        store.set(&long, "v").await,
        Err(KvError::KeyTooLong { length: 65537 })
    ));
    assert!(matches!(
        store.scan(Some(b"?"), 1).await,
        Err(KvError::Cursor)
    ));
    assert_eq!(world.operations.load(SeqCst), operations);

    world.shard("c"); // empty
    store.add(node("c")).await.unwrap();
    assert!(matches!(
        store.add(node("d")).await,
        Err(KvError::ChangeUnderWay)
    ));
    assert!(matches!(
        store.remove("a").await,
        Err(KvError::ChangeUnderWay)
    ));
    assert!(matches!(store.close().await, Err(KvError::StillMoving)));
    store.abort().await.unwrap();
    finish(&store).await.unwrap();
    assert_eq!(world.copies(), copies);
}

#[tokio::test]
async fn a_newcomer_with_keys_of_its_own_is_refused() {
    use keyroute_kv::{Entry, Shard};
    let world = World::new();
    let store = filled(&world, &["a", "b"]).await;
    let stale = world.shard("c");
    stale.set(&key(1), Entry::new("stale")).await.unwrap();
    assert!(matches!(store.add(node("c")).await, Err(KvError::NotEmpty { id }) if id == "c"));
    assert!(store.progress().is_none());
    assert_all_readable(&store).await;
    stale.delete(&key(1)).await.unwrap();
    store.add(node("c")).await.unwrap();
}

#[tokio::test]
async fn another_router_is_refused() {
    let world = World::new();
    drop(filled(&world, &["a", "b"]).await);
    let nodes = ["a", "b"].map(node);
    let journal = keyroute_kv::MemoryJournal::default();
    let other = |nodes: &[_]| -> Result<keyroute_kv::AnyRouter, RouteError> {
        Ok(Box::new(keyroute_rendezvous::Rendezvous::from_nodes(
            nodes.iter().cloned(),
        )?))
    };
    let shard = |_: &_, _: &str| Ok(keyroute_kv::MemoryShard::new());
    let open = |journal| {
        Store::builder(support::ring, shard)
            .nodes(nodes.clone())
            .journal(journal)
            .open()
    };
    drop(open(journal.clone()).await.unwrap());
    drop(open(journal.clone()).await.unwrap());
    let wrong = Store::builder(other, shard)
        .journal(journal)
        .open()
        .await
        .unwrap_err();
    assert!(matches!(wrong, KvError::OtherRouter { .. }), "{wrong}");
}

#[tokio::test]
async fn keys_of_nodes_that_cannot_list_move_when_they_are_written() {
    let world = World::new().that_cannot_list();
    let store = filled(&world, &["a", "b"]).await;
    let before = store.nodes();
    assert!(matches!(
        store.scan(None, 10).await,
        Err(KvError::CannotList { .. })
    ));
    store.add(node("c")).await.unwrap();
    assert_eq!(
        store.advance(10).await.unwrap().next,
        keyroute_kv::Next::Touched
    );
    assert_eq!(
        store.progress().unwrap().unlisted,
        ["a", "b"].map(|id| node(id).id().clone())
    );
    assert_all_readable(&store).await;
    for number in 0..KEYS {
        store.set(&key(number), number.to_string()).await.unwrap();
    }
    let keys: Vec<Vec<u8>> = (0..KEYS).map(key).collect();
    assert_eq!(
        store.progress().unwrap().moved,
        planned(&before, &store.nodes(), 1, &keys)
    );
    store.close().await.unwrap();
    assert!(store.progress().is_none());
    assert_all_readable(&store).await;
    world.assert_placed(&store.nodes(), 1);

    // They may hold keys that nobody touched, so the next change waits until someone looked.
    assert!(matches!(store.add(node("d")).await, Err(KvError::LeftOvers { id }) if id == "a"));
    store.emptied("a").await.unwrap();
    assert!(matches!(store.add(node("d")).await, Err(KvError::LeftOvers { id }) if id == "b"));
    assert!(matches!(store.remove("b").await, Ok(())));
}
