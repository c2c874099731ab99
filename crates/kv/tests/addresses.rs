//! A node's id is its identity; its address is where its shard is.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::time::Duration;

use keyroute_kv::{
    Edit, Entry, KvError, MemoryJournal, MemoryShard, NodeId, Page, Pending, RouteError, Shard,
    ShardError, Store,
};
use tokio::sync::watch;

mod support;
use support::{World, finish, node, owner};

const KEYS: u32 = 300;

fn key(number: u32) -> Vec<u8> {
    format!("user:{number}:session").into_bytes()
}

async fn fill(store: &Store) {
    for number in 0..KEYS {
        store.set(&key(number), number.to_string()).await.unwrap();
    }
}

async fn assert_all_readable(store: &Store) {
    for number in 0..KEYS {
        let value = store.get(&key(number)).await.unwrap();
        assert_eq!(value, Some(number.to_string().into_bytes()));
    }
}

/// What is moved by hand, with its server.
async fn carry(world: &World, from: &str, to: &str) {
    for (key, entry) in world.shard(from).snapshot() {
        world.shard(to).set(&key, entry).await.unwrap();
        world.shard(from).delete(&key).await.unwrap();
    }
}

/// Of each node's keys how many lie where.
fn assert_at(world: &World, store: &Store) {
    let copies = world.copies();
    for number in 0..KEYS {
        let id = owner(&store.nodes(), &key(number));
        let address = store.address_of(&id).unwrap();
        assert!(copies[&key(number)].keys().eq([&address]));
    }
}

#[tokio::test]
async fn a_member_that_is_added_again_elsewhere_is_refused_and_readdress_replaces_it_everywhere() {
    let world = World::new();
    let nodes = [(node("A"), "old"), (node("B"), "10.0.0.2:6379")];
    let store = world.builder().nodes_at(nodes).open().await.unwrap();
    fill(&store).await;
    for address in ["old", "new"] {
        let again = store.add_at(node("A"), address).await.unwrap_err();
        assert!(matches!(again, KvError::Route(RouteError::AlreadyMember { id }) if id == "A"));
    }
    assert_eq!(store.address_of("A").as_deref(), Some("old"));
    assert_at(&world, &store);

    let held = world.shard("old").len();
    assert!(held > 100);
    carry(&world, "old", "new").await;
    store.readdress("A", "new").await.unwrap();
    assert_all_readable(&store).await;
    fill(&store).await;
    assert!(world.shard("old").is_empty());
    assert_eq!(world.shard("new").len(), held);
    assert_at(&world, &store);
    let addresses = store.addresses();
    let expected = [("A", "new"), ("B", "10.0.0.2:6379")];
    assert_eq!(
        addresses,
        expected.map(|(id, at)| (node(id).id().clone(), at.to_owned()))
    );

    // Also for whoever opens the store after this.
    drop(store);
    let store = world.builder().open().await.unwrap();
    assert_eq!(store.addresses(), addresses);
    assert_all_readable(&store).await;
}

#[tokio::test]
async fn an_address_goes_with_its_node_and_is_forgotten_with_it() {
    let world = World::new();
    let nodes = ["a", "b"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    fill(&store).await;
    assert_eq!(store.address_of("a").as_deref(), Some("a"));
    assert_eq!(store.address_of("c"), None);

    store.add_at(node("c"), "first").await.unwrap();
    store.advance(100).await.unwrap();
    drop(store); // in the midst of it
    let store = world.builder().open().await.unwrap();
    assert_eq!(store.address_of("c").as_deref(), Some("first"));
    assert!(world.journal_text().contains("first"));
    store.abort().await.unwrap();
    finish(&store).await.unwrap();
    assert_eq!(store.address_of("c"), None);
    assert!(world.shard("first").is_empty());
    assert!(!world.journal_text().contains("first"));

    store.add(node("c")).await.unwrap();
    finish(&store).await.unwrap();
    assert_eq!(store.address_of("c").as_deref(), Some("c"));
    assert_at(&world, &store);
    store.remove("c").await.unwrap();
    finish(&store).await.unwrap();
    let edit = Edit::add(node("c")).at("third").again();
    store.begin(edit).await.unwrap();
    finish(&store).await.unwrap();
    assert_at(&world, &store);
    assert!(world.shard("c").is_empty() && !world.shard("third").is_empty());
    assert_all_readable(&store).await;
}

#[tokio::test]
async fn no_two_nodes_have_one_address() {
    let world = World::new();
    let taken = |error: KvError| {
        assert_eq!(
            error.to_string(),
            "node \"a\" is at \"there\" already: two nodes need two addresses"
        );
    };
    let nodes = || [(node("a"), "there"), (node("b"), "b")];
    let twice = [(node("a"), "there"), (node("b"), "there")];
    taken(world.builder().nodes_at(twice).open().await.unwrap_err());
    let store = world.builder().nodes_at(nodes()).open().await.unwrap();
    fill(&store).await;
    let copies = world.copies();
    taken(store.add_at(node("c"), "there").await.unwrap_err());
    taken(store.add(node("there")).await.unwrap_err());
    taken(store.readdress("b", "there").await.unwrap_err());
    drop(store);
    let builder = world.builder().address("b", "there");
    taken(builder.open().await.unwrap_err());
    let store = world.builder().open().await.unwrap();
    assert_eq!(store.address_of("b").as_deref(), Some("b"));
    assert_eq!(world.copies(), copies);
}

#[tokio::test]
async fn a_node_moves_only_while_none_changes_and_only_if_it_is_there() {
    let world = World::new();
    let nodes = ["a", "b"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    fill(&store).await;
    let unknown = store.readdress("c", "x").await.unwrap_err();
    assert!(matches!(unknown, KvError::Route(RouteError::NotMember { id }) if id == "c"));
    store.add(node("c")).await.unwrap();
    let busy = store.readdress("a", "x").await.unwrap_err();
    assert!(matches!(busy, KvError::ChangeUnderWay));
    drop(store);

    // While it is closed a node may move in the midst of a change.
    let unknown = world.builder().address("d", "x").open().await.unwrap_err();
    assert!(matches!(unknown, KvError::Route(RouteError::NotMember { id }) if id == "d"));
    carry(&world, "c", "x").await;
    carry(&world, "a", "y").await;
    let moved = world.builder().address("c", "x").address("a", "y");
    let store = moved.open().await.unwrap();
    finish(&store).await.unwrap();
    assert_all_readable(&store).await;
    drop(store);
    let store = world.builder().open().await.unwrap();
    assert_at(&world, &store);
    assert!(world.shard("a").is_empty() && world.shard("c").is_empty());
}

/// A shard whose operations wait at a gate.
struct Gated {
    within: Arc<MemoryShard>,
    gate: watch::Receiver<bool>,
}

impl Gated {
    async fn pass(&self) {
        let mut gate = self.gate.clone();
        gate.wait_for(|open| *open).await.unwrap();
    }
}

impl Shard for Gated {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move {
            self.pass().await;
            self.within.get(key).await
        })
    }
    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            self.pass().await;
            self.within.set(key, entry).await
        })
    }
    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        self.within.delete(key)
    }
    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        self.within.scan(cursor, limit)
    }
}

#[tokio::test(start_paused = true)]
async fn operations_under_way_end_before_a_node_is_exchanged_and_later_ones_wait() {
    for dropped in [false, true] {
        let server = Arc::new(MemoryShard::new()); // one, which has two addresses
        let (old, gate) = watch::channel(true);
        let (_new, open) = watch::channel(true);
        let of = server.clone();
        let connect = move |_: &NodeId, address: &str| -> Result<Arc<dyn Shard>, ShardError> {
            let gate = if address == "old" { &gate } else { &open };
            Ok(Arc::new(Gated {
                within: of.clone(),
                gate: gate.clone(),
            }))
        };
        let journal = MemoryJournal::default();
        let store = Store::builder_of_any(support::ring, connect)
            .journal(journal)
            .nodes_at([(node("a"), "old")])
            .open()
            .await
            .unwrap();
        store.set(b"k", "first").await.unwrap();
        old.send_replace(false);
        let spawn = |value: &'static str| {
            let store = store.clone();
            tokio::spawn(async move { store.set(b"k", value).await })
        };
        let moment = Duration::from_millis(10);
        let early = spawn("second");
        tokio::time::sleep(moment).await;

        let exchange = store.readdress("a", "new");
        if dropped {
            assert!(tokio::time::timeout(moment, exchange).await.is_err());
            assert_eq!(store.nodes(), [node("a")]);
            let late = spawn("third");
            let read = tokio::time::timeout(moment, store.get(b"k")).await;
            assert!(read.is_err(), "it must not overtake what is under way");
            let listed = tokio::time::timeout(moment, store.scan(None, 9)).await;
            let several = tokio::time::timeout(moment, store.get_many(&[b"k"])).await;
            assert!(listed.is_err() && several.is_err());
            assert!(!early.is_finished() && !late.is_finished());
            old.send_replace(true);
            early.await.unwrap().unwrap();
            late.await.unwrap().unwrap();
            assert_eq!(store.get(b"k").await.unwrap(), Some(b"third".to_vec()));
        } else {
            let release = async {
                tokio::time::sleep(moment).await;
                old.send_replace(true);
            };
            let (exchanged, ()) = tokio::join!(exchange, release);
            exchanged.unwrap();
            assert!(early.is_finished(), "it went by the old shard");
            early.await.unwrap().unwrap();
        }
        assert_eq!(store.address_of("a").as_deref(), Some("new"));
        old.send_replace(false); // nothing asks there any more
        store.set(b"k", "fourth").await.unwrap();
        let held = server.get(b"k").await.unwrap();
        assert_eq!(held, Some(Entry::new("fourth")));
    }
}

#[tokio::test]
async fn a_node_that_cannot_be_opened_elsewhere_stays() {
    let journal = MemoryJournal::default();
    let connect = |_: &NodeId, address: &str| match address {
        "down" => Err(ShardError::new("connection refused")),
        _ => Ok(MemoryShard::new()),
    };
    let store = Store::builder(support::ring, connect)
        .journal(journal)
        .nodes([node("a")])
        .open()
        .await
        .unwrap();
    store.set(b"k", "v").await.unwrap();
    let error = store.readdress("a", "down").await.unwrap_err();
    assert_eq!(error.to_string(), "node \"a\" failed: connection refused");
    assert_eq!(store.address_of("a").as_deref(), Some("a"));
    assert_eq!(store.get(b"k").await.unwrap(), Some(b"v".to_vec()));
}
