//! A store over Redis servers: the shard, and a fleet that grows and shrinks while it serves.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test may panic, and its numbers are small"
)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use keyroute_kv::{Entry, Node, NodeId, RedisShard, Shard, Store, system_clock};
use keyroute_live::Fresh;
use keyroute_live::redis::{Line, Redis};
use keyroute_vector_ring::VectorRing;

#[tokio::test]
async fn a_server_is_a_shard() {
    let redis = Redis::start("shard");
    let shard = RedisShard::open(&redis.address()).unwrap();
    assert_eq!(shard.count().await.unwrap(), Some(0));
    assert_eq!(shard.get(b"k").await.unwrap(), None);
    assert!(!shard.delete(b"k").await.unwrap());
    let soon = system_clock() + 60_000;
    for entry in [
        Entry::new(""),
        Entry::new("v"),
        Entry::new("v").until(soon),
        Entry::new(vec![0, 1, 13, 10, 255]).until(i64::MAX as u64 - soon),
        Entry::new(vec![7; 1_000_000]),
    ] {
        shard.set(b"k", entry.clone()).await.unwrap();
        assert_eq!(shard.get(b"k").await.unwrap(), Some(entry.clone()));
        let value = shard.look(b"k").await.unwrap().map(|it| it.value);
        assert_eq!(value, Some(entry.value.clone()));
        // A new value has no end of the old one's.
        let other = Entry::new("w");
        shard.set_many(&[(b"k", &other)]).await.unwrap();
        assert_eq!(shard.get(b"k").await.unwrap(), Some(Entry::new("w")));
        shard.set_many(&[(b"k", &entry)]).await.unwrap();
        assert_eq!(shard.get(b"k").await.unwrap(), Some(entry));
    }
    // What has ended is gone at once, and leaves nothing of before.
    for end in [0, 1, system_clock() - 1] {
        shard.set(b"k", Entry::new("v").until(end)).await.unwrap();
        assert_eq!(shard.look(b"k").await.unwrap(), None, "{end}");
        shard.set(b"k", Entry::new("w")).await.unwrap();
    }
    assert!(shard.delete(b"k").await.unwrap());

    // Any bytes are a key, none too.
    let mut keys: Vec<Vec<u8>> = (0..=255).map(|it| vec![it]).collect();
    keys.extend((0..2000).map(|it| format!("user:{it:04}\r\n").into_bytes()));
    keys.push(Vec::new());
    keys.sort();
    let entry = |key: &Vec<u8>| match key.len() % 2 {
        0 => Entry::new(key.clone()),
        _ => Entry::new(key.clone()).until(soon),
    };
    let entries: Vec<Entry> = keys.iter().map(entry).collect();
    let pairs = keys.iter().map(Vec::as_slice).zip(&entries);
    let pairs: Vec<(&[u8], &Entry)> = pairs.collect();
    shard.set_many(&pairs).await.unwrap();
    assert_eq!(shard.count().await.unwrap(), Some(keys.len() as u64));
    let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let found = shard.get_many(&lent).await.unwrap();
    let looked = shard.look_many(&lent).await.unwrap();
    for ((key, found), looked) in keys.iter().zip(found).zip(looked) {
        assert_eq!(found, Some(entry(key)));
        assert_eq!(looked.map(|it| it.value), Some(key.clone()));
    }
    for limit in [0, 1, 100, 10_000] {
        let mut found = scan_all(&shard, limit).await;
        found.sort();
        found.dedup(); // a server may name one twice
        assert_eq!(found, keys);
    }
    let half = [lent.get(..100).unwrap(), &[b"nothing"]].concat();
    let deleted = shard.delete_many(&half).await.unwrap();
    assert_eq!(deleted, [vec![true; 100], vec![false]].concat());
    for nothing in [shard.get_many(&[]).await, shard.look_many(&[]).await] {
        assert!(nothing.unwrap().is_empty());
    }
    assert!(shard.delete_many(&[]).await.unwrap().is_empty());
    shard.set_many(&[]).await.unwrap();

    // Something of another type is an error, and not nothing.
    let mut connection = redis.connection();
    let pushed: i64 = redis::cmd("RPUSH")
        .arg("list")
        .arg("x")
        .query(&mut connection)
        .unwrap();
    assert_eq!(pushed, 1);
    assert!(shard.look(b"list").await.is_err() && shard.get(b"list").await.is_err());
}

async fn scan_all(shard: &dyn Shard, limit: usize) -> Vec<Vec<u8>> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let page = shard.scan(cursor, limit).await.unwrap();
        assert!(!page.keys.is_empty() || page.next.is_none());
        found.extend(page.keys);
        cursor = page.next;
        if cursor.is_none() {
            return found;
        }
    }
}

#[tokio::test]
async fn a_server_that_starts_again_is_gone_through_again() {
    let mut redis = Redis::start("again");
    let shard = RedisShard::open(&redis.address()).unwrap();
    let keys: Vec<Vec<u8>> = (0..500).map(|it| format!("k{it}").into_bytes()).collect();
    let fill = || async {
        let entry = Entry::new("v");
        let pairs = keys.iter().map(|key| (key.as_slice(), &entry));
        let pairs: Vec<(&[u8], &Entry)> = pairs.collect();
        shard.set_many(&pairs).await
    };
    fill().await.unwrap();
    let page = shard.scan(None, 100).await.unwrap();
    redis.kill();
    assert!(shard.get(b"k0").await.is_err());
    redis.start_again();
    fill().await.unwrap();
    // The keys lie in another order now: to go on where it was would pass some over.
    let (mut found, mut cursor) = (Vec::new(), page.next);
    while cursor.is_some() {
        let page = shard.scan(cursor, 100).await.unwrap();
        found.extend(page.keys);
        cursor = page.next;
    }
    found.sort();
    found.dedup();
    assert_eq!(found.len(), keys.len());
}

#[tokio::test]
async fn what_was_not_answered_in_time_is_not_done_after_a_later_command() {
    let redis = Redis::start("late");
    let line = Line::to(redis.port());
    let timeout = Duration::from_millis(200);
    let shard = RedisShard::with_timeout(&line.address(), timeout).unwrap();
    shard.set(b"k", Entry::new("early")).await.unwrap();
    line.hold(true);
    shard.set(b"k", Entry::new("late")).await.unwrap_err();
    // Another connection, on which nothing is held up.
    shard.set(b"k", Entry::new("now")).await.unwrap();
    assert_eq!(line.opened(), 2);
    line.hold(false);
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(shard.get(b"k").await.unwrap(), Some(Entry::new("now")));
    }
}

#[tokio::test]
async fn nor_is_what_a_process_sent_before_it_died() {
    let redis = Redis::start("dead");
    let line = Line::to(redis.port());
    let timeout = Duration::from_millis(200);
    let dead = RedisShard::with_timeout(&line.address(), timeout).unwrap();
    dead.set(b"k", Entry::new("early")).await.unwrap();
    line.hold(true);
    dead.set(b"k", Entry::new("late")).await.unwrap_err();
    drop(dead);
    let next = RedisShard::open(&redis.address()).unwrap();
    next.set(b"k", Entry::new("now")).await.unwrap();
    line.hold(false);
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(next.get(b"k").await.unwrap(), Some(Entry::new("now")));
    }
}

const KEYS: u64 = 100_000;
/// Those that are written meanwhile; of the others each must be where the plan says, and none else may have moved.
const HOT: u64 = 20_000;
const WRITERS: u64 = 4;

/// Of a key: the version written last, and the one that is being written. Every fifth is a deletion.
#[derive(Default)]
struct Versions {
    done: AtomicU64,
    begun: AtomicU64,
}

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

async fn write(
    store: Store,
    all: Arc<Vec<Versions>>,
    writer: u64,
    seed: u64,
    stop: Arc<AtomicBool>,
) {
    let mut draw = Numbers(seed);
    while !stop.load(SeqCst) {
        let number = draw.below(HOT / WRITERS) * WRITERS + writer; // each key has one writer
        let versions = &all[number as usize];
        let version = versions.begun.fetch_add(1, SeqCst) + 1;
        let key = key(number);
        if version.is_multiple_of(5) {
            store.delete(&key).await.unwrap();
        } else if version.is_multiple_of(3) {
            let entry = Entry::new(version.to_string());
            store.set_many(vec![(key, entry)]).await.unwrap();
        } else {
            store.set(&key, version.to_string()).await.unwrap();
        }
        versions.done.store(version, SeqCst);
    }
}

async fn read(store: Store, all: Arc<Vec<Versions>>, seed: u64, stop: Arc<AtomicBool>) -> u64 {
    let mut draw = Numbers(seed);
    let mut reads = 0;
    while !stop.load(SeqCst) {
        let numbers: Vec<u64> = (0..16).map(|_| draw.below(KEYS)).collect();
        let least: Vec<u64> = numbers
            .iter()
            .map(|&it| all[it as usize].done.load(SeqCst))
            .collect();
        let keys: Vec<Vec<u8>> = numbers.iter().map(|&it| key(it)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        let values = store.get_many(&keys).await.unwrap();
        for ((&number, least), value) in numbers.iter().zip(least).zip(values) {
            let most = all[number as usize].begun.load(SeqCst);
            match value {
                Some(value) => {
                    let version: u64 = String::from_utf8(value).unwrap().parse().unwrap();
                    let kept = version == 0 || !version.is_multiple_of(5);
                    let due = kept && least <= version && version <= most;
                    assert!(due, "{number}: {version}, {least} to {most}");
                }
                None => assert!(
                    least.max(1).next_multiple_of(5) <= most,
                    "{number}: nothing, {least} to {most}"
                ),
            }
        }
        reads += 16;
    }
    reads
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 += 1;
        keyroute_core::buckets::word(self.0, 1) % bound
    }
}

/// Of each key the servers that hold it.
fn places(servers: &BTreeMap<String, Redis>) -> BTreeMap<Vec<u8>, Vec<(String, Vec<u8>)>> {
    let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (id, server) in servers {
        for (key, value) in server.dump() {
            places.entry(key).or_default().push((id.clone(), value));
        }
    }
    places
}

/// Each key lies on its owner, with its value, and nowhere else.
fn assert_right(servers: &BTreeMap<String, Redis>, nodes: &[Node], all: &[Versions]) {
    let ring = VectorRing::from_nodes(nodes.iter().cloned()).unwrap();
    let mut places = places(servers);
    for (number, versions) in (0..KEYS).zip(all) {
        let version = versions.done.load(SeqCst);
        let key = key(number);
        let found = places.remove(&key).unwrap_or_default();
        if version > 0 && version.is_multiple_of(5) {
            assert!(found.is_empty(), "{number} was deleted, and is {found:?}");
        } else {
            let owner = ring.route_id(&key).unwrap().to_string();
            assert_eq!(
                found,
                [(owner, version.to_string().into_bytes())],
                "{number}"
            );
        }
    }
    assert!(places.is_empty(), "nobody set {places:?}");
}

/// Of the keys that nobody wrote: exactly those have moved whose owner is another, from there to there.
fn assert_moved(
    before: &BTreeMap<Vec<u8>, Vec<(String, Vec<u8>)>>,
    after: &BTreeMap<Vec<u8>, Vec<(String, Vec<u8>)>>,
    nodes: [&[Node]; 2],
) -> usize {
    let rings = nodes.map(|it| VectorRing::from_nodes(it.iter().cloned()).unwrap());
    let mut moved = 0;
    for number in HOT..KEYS {
        let key = key(number);
        let planned = rings
            .each_ref()
            .map(|ring| ring.route_id(&key).unwrap().to_string());
        let found = [before, after].map(|places| places[&key][0].0.clone());
        assert_eq!(found, planned, "{number}");
        moved += usize::from(found[0] != found[1]);
    }
    moved
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_fleet_grows_and_shrinks_while_it_serves() {
    let servers: BTreeMap<String, Redis> = Redis::start_many("fleet", 6)
        .into_iter()
        .enumerate()
        .map(|(number, server)| (format!("r{number}"), server))
        .collect();
    let node = |number: usize| Node::new(format!("r{number}")).unwrap();
    let mut builder = Store::builder(
        |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
        |_: &NodeId, address| RedisShard::open(address),
    )
    .nodes((0..5).map(node));
    for (id, server) in &servers {
        if id != "r5" {
            builder = builder.address(id, server.address());
        }
    }
    let store = builder.open().await.unwrap();
    let all: Arc<Vec<Versions>> = Arc::new((0..KEYS).map(|_| Versions::default()).collect());
    for first in (0..KEYS).step_by(1000) {
        let entries = (first..first + 1000).map(|it| (key(it), Entry::new("0")));
        store.set_many(entries.collect()).await.unwrap();
    }
    assert_right(&servers, &store.nodes(), &all);

    let mut fresh = Fresh::new();
    let stop = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    let mut readers = Vec::new();
    for it in 0..WRITERS {
        let (seed, all, stop) = (fresh.number(), all.clone(), stop.clone());
        writers.push(tokio::spawn(write(
            store.clone(),
            all.clone(),
            it,
            seed,
            stop.clone(),
        )));
        readers.push(tokio::spawn(read(store.clone(), all, seed, stop)));
    }
    let mut places_before = places(&servers);
    // And of how many it should be one that moves.
    for (change, of) in [("+r5", 6), ("-r0", 6), ("-r3", 5)] {
        let before = store.nodes();
        match change.split_at(1) {
            ("+", id) => store.add_at(node(5), &servers[id].address()).await.unwrap(),
            (_, id) => store.remove(id).await.unwrap(),
        }
        store.run().await;
        let after = store.nodes();
        let places_after = places(&servers);
        let moved = assert_moved(&places_before, &places_after, [&before, &after]);
        let cold = usize::try_from(KEYS - HOT).unwrap();
        println!("{change}: {moved} of {cold} keys that nobody wrote moved");
        assert!((moved * of).abs_diff(cold) < cold * 3 / 10);
        places_before = places_after;
    }
    stop.store(true, SeqCst);
    for writer in writers {
        writer.await.unwrap();
    }
    let mut reads = 0;
    for reader in readers {
        reads += reader.await.unwrap();
    }
    let writes: u64 = all.iter().map(|it| it.done.load(SeqCst)).sum();
    println!("{reads} reads and {writes} writes meanwhile");
    assert!(reads > 1000 && writes > 1000);
    assert_eq!(store.nodes().len(), 4);
    assert_right(&servers, &store.nodes(), &all);
}
