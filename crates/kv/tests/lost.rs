//! A node that dies for good, at any instant, takes nothing with it that was answered, if keys lie on two.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use keyroute_core::{Router, WalkExt};
use keyroute_kv::{
    AnyRouter, KvError, MemoryJournal, MemoryShard, Next, Node, NodeId, RouteError, Shard,
    ShardError, Store, Weight,
};

mod support;
use support::{World, finish, moody, node, owner, ring};

const KEYS: u32 = 30;

type Make = fn(&[Node]) -> Result<AnyRouter, RouteError>;
type Value = Option<Vec<u8>>;

fn key(number: u32) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

/// Of each key what was answered last, and what failed writes since may have made of it.
#[derive(Default)]
struct Known(BTreeMap<Vec<u8>, (Value, Vec<Value>)>);

impl Known {
    async fn set(&mut self, store: &Store, number: u32, value: &str) {
        let done = store.set(&key(number), value).await;
        self.note(number, Some(value.into()), done);
    }

    async fn delete(&mut self, store: &Store, number: u32) {
        let done = store.delete(&key(number)).await.map(drop);
        self.note(number, None, done);
    }

    fn note(&mut self, number: u32, value: Value, done: Result<(), KvError>) {
        let known = self.0.entry(key(number)).or_default();
        match done {
            Ok(()) => *known = (value, Vec::new()),
            Err(error) => {
                assert_clear(&error);
                known.1.push(value);
            }
        }
    }

    async fn check(&self, store: &Store, when: &str) {
        for (key, (value, pending)) in &self.0 {
            let found = store.get(key).await;
            let found = found.unwrap_or_else(|error| panic!("{key:?} {when}: {error}"));
            assert!(
                found == *value || pending.contains(&found),
                "{key:?} is {found:?} {when}, not {value:?} nor of {pending:?}"
            );
        }
    }
}

/// It says who failed and how.
fn assert_clear(error: &KvError) {
    let KvError::Shard { id, .. } = error else {
        panic!("{error}");
    };
    let text = format!("node {:?} failed: connection refused", id.as_str());
    assert_eq!(error.to_string(), text);
}

#[derive(Clone, Copy, Debug)]
enum What {
    Nothing,
    Add,
    Remove,
    Reweight,
    Replicas(usize),
}

async fn begin(store: &Store, what: What) {
    let begun = match what {
        What::Nothing => return,
        What::Add => store.add(node("d")).await,
        What::Remove => store.remove("b").await,
        What::Reweight => store.reweight("a", Weight::new(5).unwrap()).await,
        What::Replicas(replicas) => store.set_replicas(replicas).await,
    };
    if let Err(error) = begun {
        assert_clear(&error); // it died as it joined
    }
}

async fn steps(store: &Store, count: usize) {
    for _ in 0..count {
        if let Err(error) = store.advance(3).await {
            assert_clear(&error);
            let noted = store.progress().unwrap().error;
            assert_eq!(noted, Some(error.to_string()));
        }
    }
}

/// A change with writes before, in and after it, of which those fail that the dead node has a part in.
async fn play(store: &Store, known: &mut Known, what: What, abort: bool) {
    for number in (0..KEYS).step_by(5) {
        known.set(store, number, "second").await;
    }
    begin(store, what).await;
    steps(store, 2).await;
    for number in 0..KEYS {
        match number % 4 {
            0 => known.set(store, number, "third").await,
            1 => known.delete(store, number).await,
            _ => {}
        }
    }
    steps(store, 3).await;
    if abort {
        let _ = store.abort().await; // it may be over, or not have begun
        steps(store, 2).await;
    }
    for number in 0..KEYS {
        match number % 5 {
            0 => known.delete(store, number).await,
            1 => known.set(store, number, "fourth").await,
            _ => {}
        }
    }
    steps(store, 40).await;
    known.set(store, KEYS, "new").await;
}

struct Case {
    make: Make,
    replicas: usize,
    what: What,
    abort: bool,
    dies: &'static str,
}

/// The node dies at the n-th operation; gives whether there were so many.
async fn die_at(n: u64, case: &Case) -> bool {
    let &Case {
        make,
        replicas,
        what,
        abort,
        dies,
    } = case;
    let world = World::new();
    let nodes: Vec<Node> = ["a", "b", "c"].map(node).to_vec();
    let builder = world.builder_over(make).nodes(nodes).replicas(replicas);
    let store = builder.open().await.unwrap();
    let mut known = Known::default();
    for number in 0..KEYS {
        known.set(&store, number, "first").await;
    }
    world.die_in(dies, n);
    play(&store, &mut known, what, abort).await;
    if !world.is_dead(dies) {
        return false;
    }
    let when = format!("as {dies} is dead since {n} in {what:?}, {abort}");
    known.check(&store, &when).await;

    // It may have left in time.
    let there = store.address_of(dies).is_some();
    let lost = store.remove_lost(dies).await;
    assert_eq!(lost.is_ok(), there, "{when}");
    let asked = world.asked_dead.load(SeqCst);
    known.check(&store, &when).await;
    for number in 0..KEYS {
        match number % 3 {
            0 => known.set(&store, number, "fifth").await,
            1 => known.delete(&store, number).await,
            _ => {}
        }
    }
    // The change is what it is for another process too. It may have to be turned round.
    let store = if n.is_multiple_of(2) {
        drop(store);
        world.builder_over(make).open().await.unwrap()
    } else {
        store
    };
    if n.is_multiple_of(5) && store.progress().is_some() {
        store.advance(5).await.unwrap();
        store.abort().await.unwrap();
    }
    known.check(&store, &when).await;
    finish(&store).await.unwrap();
    known.check(&store, &when).await;
    assert_eq!(store.progress(), None);
    if there {
        assert_eq!(world.asked_dead.load(SeqCst), asked, "{when}");
    }
    assert!(store.nodes().iter().all(|node| *node.id() != *dies));
    // Each key lies where it should; copies differ only if a write was cut short.
    for number in 0..=KEYS {
        if !known.0[&key(number)].1.is_empty() {
            known.set(&store, number, "sixth").await;
        }
    }
    known.check(&store, &when).await;
    let router = make(&store.nodes()).unwrap();
    world.assert_placed_by(&router, store.replicas());
    true
}

async fn die_everywhere(case: Case) {
    let (step, mut n) = (3, 0);
    while die_at(n, &case).await {
        n += step;
    }
    let of_all = match case.what {
        What::Nothing => 50,
        _ if case.dies == "d" => 20,
        _ => 100,
    };
    assert!(n > of_all, "{n} operations are too few to be what is meant");
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_dies_without_a_change() {
    for dies in ["a", "b"] {
        for make in [ring, moody] {
            let abort = false;
            let what = What::Nothing;
            for replicas in [2, 3] {
                die_everywhere(Case {
                    make,
                    replicas,
                    what,
                    abort,
                    dies,
                })
                .await;
            }
        }
    }
}

async fn in_a_change(make: Make, what: What, dies: &'static str) {
    for abort in [false, true] {
        let replicas = 2;
        die_everywhere(Case {
            make,
            replicas,
            what,
            abort,
            dies,
        })
        .await;
    }
}

#[tokio::test]
async fn nothing_is_lost_when_the_node_that_joins_dies() {
    in_a_change(ring, What::Add, "d").await;
    in_a_change(moody, What::Add, "d").await;
}

#[tokio::test]
async fn nothing_is_lost_when_the_node_that_leaves_dies() {
    in_a_change(ring, What::Remove, "b").await;
    in_a_change(moody, What::Remove, "b").await;
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_dies_as_another_joins() {
    for dies in ["a", "c"] {
        in_a_change(ring, What::Add, dies).await;
        in_a_change(moody, What::Add, dies).await;
    }
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_dies_as_another_leaves() {
    for dies in ["a", "c"] {
        in_a_change(ring, What::Remove, dies).await;
        in_a_change(moody, What::Remove, dies).await;
    }
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_dies_as_weights_change() {
    for dies in ["a", "b"] {
        in_a_change(ring, What::Reweight, dies).await;
    }
}

#[tokio::test]
async fn nothing_is_lost_when_a_node_dies_as_replicas_are_added() {
    for dies in ["a", "b"] {
        in_a_change(ring, What::Replicas(3), dies).await;
    }
}

/// Two die, one after the other, at the worst of times: each in the midst of what the other's death made.
#[tokio::test]
async fn nothing_is_lost_when_two_of_three_die() {
    for make in [ring, moody] {
        for seed in 0..40 {
            let world = World::new();
            let nodes = ["a", "b", "c", "e", "f"].map(node);
            let builder = world.builder_over(make).nodes(nodes).replicas(3);
            let mut store = builder.open().await.unwrap();
            let mut known = Known::default();
            for number in 0..KEYS {
                known.set(&store, number, "first").await;
            }
            begin(&store, [What::Add, What::Remove][seed % 2]).await;
            steps(&store, seed / 2 % 5).await;
            let others = ["a", "c", "e", "f", "d"];
            for (nth, dies) in [others[seed % 5], others[(seed + 1 + seed / 10) % 5]]
                .into_iter()
                .enumerate()
            {
                let there = store.address_of(dies).is_some();
                world.die_in(dies, 0);
                for number in 0..KEYS {
                    match (number as usize + seed + nth) % 6 {
                        0 => known.set(&store, number, "second").await,
                        1 => known.delete(&store, number).await,
                        _ => {}
                    }
                }
                let when = format!("{dies} in {seed}");
                known.check(&store, &when).await;
                assert_eq!(store.remove_lost(dies).await.is_ok(), there, "{when}");
                known.check(&store, &when).await;
                for number in 0..KEYS {
                    if (number as usize + seed + nth).is_multiple_of(7) {
                        known.set(&store, number, "third").await;
                    }
                }
                for _ in 0..seed % 7 {
                    store.advance(3).await.unwrap();
                }
                if seed % 3 == 0 {
                    drop(store);
                    store = world.builder_over(make).open().await.unwrap();
                }
                known.check(&store, &when).await;
            }
            finish(&store).await.unwrap();
            for number in 0..KEYS {
                known.set(&store, number, "last").await;
            }
            known.check(&store, "at last").await;
            let router = make(&store.nodes()).unwrap();
            world.assert_placed_by(&router, 3);
        }
    }
}

#[tokio::test]
async fn with_one_replica_the_keys_of_the_lost_node_are_lost_and_no_others() {
    let world = World::new();
    let nodes = ["a", "b", "c"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "v").await.unwrap();
    }
    let before = store.nodes();
    world.die_in("b", 0);
    for number in 0..KEYS {
        let found = store.get(&key(number)).await;
        if owner(&before, &key(number)) == "b" {
            assert_clear(&found.unwrap_err());
        } else {
            assert_eq!(found.unwrap(), Some(b"v".to_vec()));
        }
    }
    store.remove_lost("b").await.unwrap();
    let gone = finish(&store).await.unwrap();
    assert_eq!(gone, 0); // there was nowhere to move keys from
    for number in 0..KEYS {
        let was_there = owner(&before, &key(number)) == "b";
        let found = store.get(&key(number)).await.unwrap();
        assert_eq!(found, (!was_there).then(|| b"v".to_vec()));
        store.set(&key(number), "again").await.unwrap();
    }
    world.assert_placed(&store.nodes(), 1);
    let back = store.add(node("b")).await.unwrap_err();
    assert!(matches!(back, KvError::Retired { id }if id == "b"));
}

/// Also those stay that were about to move to it.
#[tokio::test]
async fn with_one_replica_what_lies_elsewhere_stays_also_in_a_change() {
    let mut about_to_move = 0;
    for make in [ring, moody] {
        for (what, dies) in [
            (What::Add, "a"),
            (What::Add, "d"),
            (What::Remove, "a"),
            (What::Remove, "b"),
            (What::Reweight, "a"),
            (What::Reweight, "c"),
        ] {
            for count in 0..8 {
                let world = World::new();
                let nodes = ["a", "b", "c"].map(node);
                let store = world.builder_over(make).nodes(nodes);
                let store = store.open().await.unwrap();
                for number in 0..KEYS {
                    store.set(&key(number), "v").await.unwrap();
                }
                begin(&store, what).await;
                steps(&store, count).await;
                let to = make(&store.nodes()).unwrap();
                world.die_in(dies, 0);
                let _ = store.get(&key(0)).await;
                let left = world.copies();
                about_to_move += left
                    .keys()
                    .filter(|key| to.route_id(key).unwrap() == dies)
                    .count();
                if store.remove_lost(dies).await.is_err() {
                    continue; // it had left
                }
                for half in 0..2 {
                    for key in left.keys() {
                        let found = store.get(key).await.unwrap();
                        assert_eq!(found, Some(b"v".to_vec()), "{key:?} in {what:?}, {half}");
                    }
                    store.advance(5).await.unwrap();
                }
                finish(&store).await.unwrap();
                assert_eq!(world.copies().len(), left.len());
                for key in left.keys() {
                    assert_eq!(store.get(key).await.unwrap(), Some(b"v".to_vec()));
                }
                world.assert_placed_by(&make(&store.nodes()).unwrap(), 1);
            }
        }
    }
    assert!(about_to_move > 50, "{about_to_move}");
}

#[tokio::test]
async fn a_node_that_does_not_answer_is_waited_for_and_may_be_given_up_then() {
    let world = World::new();
    let nodes = ["a", "b", "c"].map(node);
    let builder = world.builder().nodes(nodes).replicas(2);
    let store = builder.open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "v").await.unwrap();
    }
    world.die_in("b", 0);
    store.remove("b").await.unwrap();
    let second = Duration::from_secs(1);
    let ran = tokio::time::timeout(second, store.run()).await;
    assert!(ran.is_err(), "it waits");
    let error = store.progress().unwrap().error.unwrap();
    assert_eq!(error, "node \"b\" failed: connection refused");
    store.remove_lost("b").await.unwrap();
    store.remove_lost("b").await.unwrap(); // again, it does nothing
    store.run().await;
    world.assert_placed(&["a", "c"].map(node), 2);
    let gone = store.remove_lost("b").await.unwrap_err();
    assert!(matches!(gone, KvError::Route(RouteError::NotMember { id }) if id == "b"));
    let unknown = store.remove_lost("x").await.unwrap_err();
    assert!(matches!(unknown, KvError::Route(RouteError::NotMember { id }) if id == "x"));
}

#[tokio::test]
async fn a_store_opens_without_a_node_that_is_lost() {
    let world = World::new();
    let nodes = ["a", "b", "c"].map(node);
    let builder = world.builder().nodes(nodes).replicas(2);
    let store = builder.open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "v").await.unwrap();
    }
    drop(store);
    world.die_in("c", 0);
    let unknown = world.builder().lost("x").open().await.unwrap_err();
    assert!(matches!(unknown, KvError::Route(RouteError::NotMember { id }) if id == "x"));
    for _ in 0..2 {
        let store = world.builder().lost("c").open().await.unwrap();
        assert_eq!(store.nodes(), ["a", "b"].map(node));
        store.advance(5).await.unwrap();
        for number in 0..KEYS {
            let found = store.get(&key(number)).await.unwrap();
            assert_eq!(found, Some(b"v".to_vec()));
        }
    }
    let store = world.builder().open().await.unwrap();
    finish(&store).await.unwrap();
    world.assert_placed(&["a", "b"].map(node), 2);
    assert_eq!(world.asked_dead.load(SeqCst), 0);
}

#[tokio::test]
async fn a_shard_that_cannot_be_opened_is_not_asked_for_once_it_is_lost() {
    let gone = Arc::new(AtomicBool::new(false));
    let shards: Vec<_> = ["a", "b", "c"].map(|_| Arc::new(MemoryShard::new())).into();
    let journal = MemoryJournal::default();
    let open = || {
        let (gone, shards) = (gone.clone(), shards.clone());
        let connect = move |id: &NodeId, _: &str| -> Result<Arc<dyn Shard>, ShardError> {
            match id.as_str() {
                "a" => Ok(shards[0].clone()),
                "b" => Ok(shards[1].clone()),
                _ if gone.load(SeqCst) => Err(ShardError::new("no such file")),
                _ => Ok(shards[2].clone()),
            }
        };
        let builder = Store::builder_of_any(ring, connect).journal(journal.clone());
        builder.nodes(["a", "b", "c"].map(node)).replicas(2)
    };
    let store = open().open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "v").await.unwrap();
    }
    drop(store);
    gone.store(true, SeqCst);
    let error = open().open().await.unwrap_err();
    assert_eq!(error.to_string(), "node \"c\" failed: no such file");
    drop(open().lost("c").open().await.unwrap());
    let store = open().open().await.unwrap(); // it is noted
    finish(&store).await.unwrap();
    for number in 0..KEYS {
        let found = store.get(&key(number)).await.unwrap();
        assert_eq!(found, Some(b"v".to_vec()));
    }
    assert_eq!(shards[0].len() + shards[1].len(), 2 * KEYS as usize);
}

#[tokio::test]
async fn the_last_node_is_not_given_up() {
    let world = World::new();
    let nodes = ["a"].map(node);
    let store = world.builder().nodes(nodes).open().await.unwrap();
    store.set(&key(1), "v").await.unwrap();
    let last = store.remove_lost("a").await.unwrap_err();
    assert!(matches!(last, KvError::LastNode { id } if id == "a"));
    // With one that joins it may be: what had moved is there, and the rest is lost.
    store.add(node("b")).await.unwrap();
    finish(&store).await.unwrap();
    assert_eq!(store.get(&key(1)).await.unwrap(), Some(b"v".to_vec()));
    store.remove("b").await.unwrap();
    store.remove_lost("a").await.unwrap(); // so the other stays
    finish(&store).await.unwrap();
    assert_eq!(store.nodes(), ["b"].map(node));
    let last = store.remove_lost("b").await.unwrap_err();
    assert!(matches!(last, KvError::LastNode { id } if id == "b"));
}

/// Keys of nodes that cannot list move when they are touched, so none may follow on a change that left some behind.
#[tokio::test]
async fn nodes_that_cannot_list_lose_one_without_a_second_change() {
    let world = World::new().that_cannot_list();
    let nodes = ["a", "b", "c"].map(node);
    let builder = world.builder().nodes(nodes).replicas(2);
    let store = builder.open().await.unwrap();
    for number in 0..KEYS {
        store.set(&key(number), "v").await.unwrap();
    }
    store.reweight("a", Weight::new(3).unwrap()).await.unwrap();
    world.die_in("b", 0);
    let two = store.remove_lost("b").await.unwrap_err();
    assert!(matches!(two, KvError::CannotList { id } if id == "a"));
    let step = store.advance(9).await.unwrap();
    assert_eq!(step.next, Next::Touched);
    let mut kept = Vec::new(); // the others are given up with the change
    for number in 0..KEYS {
        if store.set(&key(number), "v").await.is_ok() {
            kept.push(number);
        }
    }
    assert!(kept.len() > 3);
    store.close().await.unwrap();
    let left = store.remove_lost("b").await.unwrap_err();
    assert!(matches!(left, KvError::LeftOvers { id } if id == "a"));
    store.emptied("a").await.unwrap();
    store.emptied("c").await.unwrap();
    store.remove_lost("b").await.unwrap();
    let back = store.abort().await.unwrap_err();
    assert!(matches!(back, KvError::CannotList { .. }));
    for number in kept {
        let found = store.get(&key(number)).await.unwrap();
        assert_eq!(found, Some(b"v".to_vec()));
    }
    for number in 0..KEYS {
        store.set(&key(number), "w").await.unwrap();
    }
    store.advance(9).await.unwrap();
    store.close().await.unwrap();
    let router = ring(&store.nodes()).unwrap();
    assert_eq!(router.replica_ids(&key(0), 2).len(), 2);
    world.assert_placed_by(&router, 2);
}

/// Nothing is changed then: it would never be ended.
#[test]
fn without_a_runtime_nodes_do_not_change() {
    let world = World::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let store = runtime
        .block_on(world.builder().nodes(["a", "b"].map(node)).open())
        .unwrap();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut begin = Box::pin(store.add(node("c")));
    let std::task::Poll::Ready(refused) = begin.as_mut().poll(&mut context) else {
        panic!("it waits");
    };
    assert!(matches!(refused, Err(KvError::NoRuntime)));
    drop(begin);
    assert_eq!(store.progress(), None);
    runtime.block_on(async {
        store.add(node("c")).await.unwrap();
        store.run().await;
    });
    assert_eq!(store.nodes().len(), 3);
}
