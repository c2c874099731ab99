//! What another key-value system over a hash ring does wrong, and what is refused here.
//!
//! | it | and here |
//! | --- | --- |
//! | gives a node that joins none of its keys | `a_node_that_joins_gets_its_keys_and_none_becomes_unreadable` |
//! | names a node that joins like one that is there, which loses its keys | `no_name_is_taken_twice` |
//! | panics if an unknown node leaves, if there is none, or the last one goes | `who_is_not_there_cannot_leave_nor_the_last`, `a_store_without_nodes_says_so` |
//! | asks two addresses for one node that was added twice | `a_node_has_one_address` |
//! | shows a node before its store is there, and locks nothing | `a_node_joins_under_writes_of_many_threads`, and `concurrent.rs` |
//! | gives out its own map, to be read while it is written | `what_was_listed_stays_as_it_was_while_writes_go_on` |
//! | leaves it to chance who owns a point of two nodes | `who_shares_points_gives_back_what_it_took` |

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::Ordering::SeqCst;

use keyroute_kv::{KvError, RouteError, Shard, Store};

mod support;
use support::{Numbers, World, article_ring, finish, node, owner, planned, scan_all};

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
async fn a_node_has_one_address() {
    let world = World::new();
    let nodes = [(node("A"), "old"), (node("B"), "there")];
    let builder = world.builder_over(article_ring).nodes_at(nodes);
    let store = builder.open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), number.to_string()).await.unwrap();
    }
    let held = world.shard("old").snapshot();
    assert_eq!(held.len(), 543); // there 266 of them stayed with the old address, 277 went to the new
    let again = store.add_at(node("A"), "new").await.unwrap_err();
    assert!(matches!(again, KvError::Route(RouteError::AlreadyMember { id }) if id == "A"));
    assert_all_readable(&store).await;
    assert!(world.shard("new").is_empty());

    for (key, entry) in &held {
        world.shard("new").set(key, entry.clone()).await.unwrap();
        world.shard("old").delete(key).await.unwrap();
    }
    store.readdress("A", "new").await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), number.to_string()).await.unwrap();
    }
    assert_all_readable(&store).await;
    assert!(world.shard("old").is_empty());
    assert_eq!(world.shard("new").snapshot(), held);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_node_joins_under_writes_of_many_threads() {
    let world = World::new().that_yields();
    let store = filled(&world, &["Node0", "Node1"]).await;
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for number in (0..KEYS).filter(|number| number % 4 == writer) {
                    let value = format!("new {number}");
                    store.set(&key(number), value).await.unwrap();
                }
            })
        })
        .collect();
    store.add(node("Node2")).await.unwrap();
    store.run().await;
    for writer in writers {
        writer.await.unwrap();
    }
    for number in 0..KEYS {
        let value = store.get(&key(number)).await.unwrap();
        assert_eq!(value, Some(format!("new {number}").into_bytes()));
    }
    world.assert_placed(&store.nodes(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_listed_stays_as_it_was_while_writes_go_on() {
    let world = World::new();
    let store = filled(&world, &["a", "b"]).await;
    let written = world.operations.clone();
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            let mut draw = Numbers(7);
            for version in 0..20_000u32 {
                let number = u32::try_from(draw.below(u64::from(KEYS))).unwrap();
                let value = format!("{number} again, {version}");
                store.set(&key(number), value).await.unwrap();
            }
        })
    };
    let mut rounds = 0;
    while !writer.is_finished() || rounds == 0 {
        let page = store.scan(None, 100).await.unwrap();
        let snapshot = world.shard("a").snapshot();
        let (listed, held) = (page.clone(), snapshot.clone());
        let before = written.load(SeqCst);
        while written.load(SeqCst) == before && !writer.is_finished() {
            tokio::task::yield_now().await;
        }
        assert_eq!((page, snapshot), (listed, held));
        // All keys are always there, each with a value of its own.
        assert_eq!(scan_all(&store, 300).await.len(), KEYS as usize);
        for (key, entry) in world.shard("a").snapshot() {
            let value = String::from_utf8(entry.value).unwrap();
            let number = value.split(' ').next().unwrap();
            assert_eq!(key, format!("user:{number}:session").into_bytes());
        }
        rounds += 1;
    }
    writer.await.unwrap();
}

#[tokio::test]
async fn who_shares_points_gives_back_what_it_took() {
    let of = async |ids: &[&str], then: &[&str]| {
        let world = World::new();
        let nodes = ids.iter().map(|id| node(id));
        let builder = world.builder_over(article_ring).nodes(nodes);
        let store = builder.open().await.unwrap();
        for number in 0..20_000 {
            store.set(&key(number), "v").await.unwrap();
        }
        for change in then {
            match change.strip_prefix('-') {
                Some(id) => store.remove(id).await.unwrap(),
                None => store.add(node(change)).await.unwrap(),
            }
            while store.advance(500).await.unwrap().next != keyroute_kv::Next::Done {}
        }
        world.copies()
    };
    // 56 points of 2048 are shared by the first two, and 106 of these keys lie before one.
    let all = of(&["Node4634", "Node4820", "Node0"], &[]).await;
    assert_eq!(of(&["Node0", "Node4820", "Node4634"], &[]).await, all);
    assert_eq!(of(&["Node0", "Node4820"], &["Node4634"]).await, all);
    assert_eq!(of(&["Node4634", "Node0"], &["Node4820"]).await, all);
    for other in ["Node4634", "Node4820"] {
        let without = of(&[other, "Node0"], &[]).await;
        let one = if other == "Node4634" {
            "Node4820"
        } else {
            "Node4634"
        };
        let gone = format!("-{one}");
        assert_eq!(of(&[one, other, "Node0"], &[gone.as_str()]).await, without);
        assert_eq!(of(&[other, "Node0"], &[one, gone.as_str()]).await, without);
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
    use keyroute_kv::Entry;
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
