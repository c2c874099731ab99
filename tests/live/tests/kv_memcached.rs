//! A store over memcached servers, which cannot list their keys.

use std::collections::BTreeMap;
use std::time::Duration;

use keyroute_kv::{Entry, KvError, MemcachedShard, Next, Node, NodeId, Shard, Store, system_clock};
use keyroute_live::{Server, free_ports};
use keyroute_vector_ring::VectorRing;

struct Memcached {
    server: Server,
    address: String,
}

fn memcached() -> Memcached {
    let port = free_ports(1)[0];
    let text = port.to_string();
    let arguments = [
        "-p",
        &text,
        "-U",
        "0",
        "-l",
        "127.0.0.1",
        "-u",
        "nobody",
        "-m",
        "64",
    ];
    Memcached {
        server: Server::start("memcached", &arguments, &[port]),
        address: format!("127.0.0.1:{port}"),
    }
}

#[tokio::test]
async fn a_server_is_a_shard() {
    let memcached = memcached();
    let shard = MemcachedShard::open(&memcached.address);
    assert!(!shard.lists() && shard.scan(None, 1).await.is_err());
    assert_eq!(shard.count().await.unwrap(), Some(0));
    assert_eq!(shard.get(b"k").await.unwrap(), None);
    assert!(!shard.delete(b"k").await.unwrap());
    let soon = system_clock() + 60_000;
    for entry in [
        Entry::new(""),
        Entry::new("v"),
        Entry::new("v").until(soon),
        Entry::new("").until(u64::MAX),
        Entry::new(vec![0, 1, 13, 10, 255]).until(soon * 2),
        Entry::new(vec![7; 1_000_000]),
    ] {
        shard.set(b"k", entry.clone()).await.unwrap();
        assert_eq!(shard.get(b"k").await.unwrap(), Some(entry));
    }
    for end in [0, 1, 1000 * 3600 * 24 * 29, system_clock() - 10_000] {
        shard.set(b"k", Entry::new("v").until(end)).await.unwrap();
        let left = shard.get(b"k").await.unwrap();
        assert!(left.is_none_or(|it| it.expires_at == Some(end)), "{end}");
    }
    // Too long a value is an error, and what comes after it is as right as before.
    let large = Entry::new(vec![7; 2_000_000]);
    assert!(shard.set(b"k", large).await.is_err());
    shard.set(b"k", Entry::new("v")).await.unwrap();
    assert_eq!(shard.get(b"k").await.unwrap(), Some(Entry::new("v")));

    // Any bytes are a key, none too, up to what memcached allows as they are written.
    let mut keys: Vec<Vec<u8>> = (0..=255).map(|it| vec![it]).collect();
    keys.extend((0..100).map(|it| format!("user {it}\r\n").into_bytes()));
    keys.extend([
        Vec::new(),
        b"%".to_vec(),
        b"%25".to_vec(),
        b"%41".to_vec(),
        b"%2525".to_vec(),
    ]);
    keys.push(vec![b'k'; 250]);
    keys.push(vec![0; 83]);
    keys.sort();
    keys.dedup();
    let entries: Vec<Entry> = keys.iter().map(|key| Entry::new(key.clone())).collect();
    let pairs = keys.iter().map(Vec::as_slice).zip(&entries);
    let pairs: Vec<(&[u8], &Entry)> = pairs.collect();
    shard.set_many(&pairs).await.unwrap();
    let mut lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    lent.push(b"nothing");
    let found = shard.get_many(&lent).await.unwrap();
    for (key, found) in keys.iter().zip(&found) {
        assert_eq!(*found, Some(Entry::new(key.clone())));
    }
    assert_eq!(found.last(), Some(&None));
    assert!(shard.get_many(&[b"no", b"none"]).await.unwrap() == [None, None]);
    let twice = shard.get_many(&[lent[0], b"no", lent[0]]).await.unwrap();
    assert!(twice[0].is_some() && twice[0] == twice[2], "{twice:?}");
    for long in [vec![b'k'; 251], vec![0; 84]] {
        let error = shard.set(&long, Entry::new("v")).await.unwrap_err();
        assert!(error.to_string().contains("at most 250"), "{error}");
        assert!(shard.get(&long).await.is_err());
    }
    let deleted = shard.delete_many(&lent).await.unwrap();
    assert_eq!(deleted, [vec![true; keys.len()], vec![false]].concat());
    // But "k", which is one of them.
    assert_eq!(shard.get_many(&lent).await.unwrap(), vec![None; lent.len()]);
}

#[tokio::test]
async fn what_was_not_answered_in_time_is_not_done_after_a_later_command() {
    let memcached = memcached();
    let shard = MemcachedShard::with_timeout(&memcached.address, Duration::from_millis(200));
    shard.set(b"k", Entry::new("early")).await.unwrap();
    memcached.server.signal("STOP");
    shard.set(b"k", Entry::new("late")).await.unwrap_err();
    let waits = shard.set(b"k", Entry::new("never")).await.unwrap_err();
    assert!(
        waits.to_string().contains("no answer within 200ms"),
        "{waits}"
    );
    memcached.server.signal("CONT");
    let mut tries = 0;
    while shard.set(b"k", Entry::new("now")).await.is_err() {
        tries += 1;
        assert!(tries < 100);
    }
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        assert_eq!(shard.get(b"k").await.unwrap(), Some(Entry::new("now")));
    }
}

#[tokio::test]
async fn a_server_that_ended_is_found_again() {
    let port = free_ports(1)[0];
    let text = port.to_string();
    let arguments = ["-p", &text, "-U", "0", "-l", "127.0.0.1", "-u", "nobody"];
    let server = Server::start("memcached", &arguments, &[port]);
    let shard = MemcachedShard::open(&format!("127.0.0.1:{port}"));
    shard.set(b"k", Entry::new("v")).await.unwrap();
    drop(server);
    assert!(shard.get(b"k").await.is_err());
    assert!(shard.get(b"k").await.is_err());
    let _server = Server::start("memcached", &arguments, &[port]);
    assert_eq!(shard.get(b"k").await.unwrap(), None);
}

const KEYS: u64 = 2_000;

fn key(number: u64) -> Vec<u8> {
    format!("user {number}").into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_move_when_they_are_touched() {
    let servers: BTreeMap<String, Memcached> =
        (0..4).map(|it| (format!("m{it}"), memcached())).collect();
    let node = |id: &str| Node::new(id).unwrap();
    let mut builder = Store::builder(
        |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
        |_: &NodeId, address| Ok(MemcachedShard::open(address)),
    )
    .nodes(["m0", "m1", "m2"].map(node));
    for (id, server) in &servers {
        if id != "m3" {
            builder = builder.address(id, &server.address);
        }
    }
    let store = builder.open().await.unwrap();
    for first in (0..KEYS).step_by(100) {
        let entries = (first..first + 100).map(|it| (key(it), Entry::new(it.to_string())));
        store.set_many(entries.collect()).await.unwrap();
    }
    let error = store.scan(None, 10).await.unwrap_err();
    assert!(matches!(error, KvError::CannotList { .. }));

    let before = VectorRing::from_nodes(store.nodes()).unwrap();
    store
        .add_at(node("m3"), &servers["m3"].address)
        .await
        .unwrap();
    assert_eq!(store.advance(10).await.unwrap().next, Next::Touched);
    let unlisted = store.progress().unwrap().unlisted;
    assert_eq!(unlisted.len(), 3);
    // A third is read, a third written, a third left alone.
    let ring = VectorRing::from_nodes(store.nodes()).unwrap();
    let mut moved = 0;
    for number in 0..KEYS {
        let key = key(number);
        match number % 3 {
            0 => {
                let value = store.get(&key).await.unwrap();
                assert_eq!(value, Some(number.to_string().into_bytes()));
            }
            1 => store.set(&key, "new").await.unwrap(),
            _ => continue,
        }
        moved += u64::from(before.route_id(&key) != ring.route_id(&key));
    }
    assert_eq!(store.progress().unwrap().moved, moved);
    assert!(moved > KEYS / 12, "{moved}");
    store.close().await.unwrap();
    assert_eq!(store.progress(), None);
    for number in 0..KEYS {
        let key = key(number);
        let due = match number % 3 {
            1 => Some(b"new".to_vec()),
            // Given up, if it had to move.
            2 if before.route_id(&key) != ring.route_id(&key) => None,
            _ => Some(number.to_string().into_bytes()),
        };
        assert_eq!(store.get(&key).await.unwrap(), due, "{number}");
    }
    // What was given up lies where it was, and must not come back.
    let error = store.remove("m3").await.unwrap_err();
    assert!(matches!(error, KvError::LeftOvers { .. }), "{error}");
}
