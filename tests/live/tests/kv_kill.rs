//! The process that moves keys between Redis servers is killed (SIGKILL) at 50 points; every key is right after each.
//!
//! Its own main: run with arguments it is the process that is killed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use keyroute_core::WalkExt;
use keyroute_core::buckets::word;
use keyroute_kv::{Edit, Entry, FileJournal, Node, NodeId, Rate, RedisShard, Store};
use keyroute_live::redis::Redis;
use keyroute_live::{Folder, Fresh};
use keyroute_vector_ring::VectorRing;

const KEYS: u64 = 2_000;
const WRITERS: u64 = 4;
const SERVERS: usize = 6;
/// With one replica, and with two.
const KILLS: [u64; 2] = [25, 25];

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

fn node(number: usize) -> Node {
    Node::new(format!("r{number}")).unwrap()
}

async fn open(root: &Path, addresses: &[String], replicas: usize) -> Store {
    let journal = FileJournal::open(root.join("store.json")).unwrap();
    let nodes = addresses.iter().enumerate().take(3);
    Store::builder(
        |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
        |_: &NodeId, address| RedisShard::open(address),
    )
    .nodes_at(nodes.map(|(number, address)| (node(number), address)))
    .replicas(replicas)
    .journal(journal)
    .open()
    .await
    .unwrap()
}

fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").unwrap();
    out.flush().unwrap();
}

/// Writes for ever, and says so before and after; every fifth version is a deletion. Nodes come and go meanwhile.
async fn live(root: PathBuf, addresses: Vec<String>, replicas: usize, first: u64) {
    let store = open(&root, &addresses, replicas).await;
    // So slow that most are killed in the midst of a change.
    store.set_rate(Rate {
        keys_per_second: Some(10_000),
        ..Rate::default()
    });
    say("open 0 0");
    let writers = (0..WRITERS).map(|writer| {
        let store = store.clone();
        tokio::spawn(async move {
            for version in first.. {
                // A third of the keys; the others move only.
                let number = word(version, writer) % (KEYS / 3 / WRITERS) * WRITERS + writer;
                say(&format!("begun {number} {version}"));
                if version.is_multiple_of(5) {
                    store.delete(&key(number)).await.unwrap();
                } else if version.is_multiple_of(3) {
                    let entries = vec![(key(number), Entry::new(version.to_string()))];
                    store.set_many(entries).await.unwrap();
                } else {
                    store.set(&key(number), version.to_string()).await.unwrap();
                }
                say(&format!("done {number} {version}"));
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    for round in first.. {
        store.run().await;
        let nodes = store.nodes();
        let absent = (0..SERVERS).find(|&it| nodes.iter().all(|is| is.id() != node(it).id()));
        let edit = match absent {
            Some(number) if nodes.len() < 5 => {
                Edit::add(node(number)).at(&addresses[number]).again()
            }
            _ => Edit::Remove {
                id: nodes[0].id().to_string(),
            },
        };
        store.begin(edit).await.unwrap();
        store.advance(200).await.unwrap();
        if round % 3 == 2 {
            store.abort().await.unwrap();
        }
    }
    for writer in writers {
        writer.await.unwrap();
    }
}

/// Lets it live for a while and kills it; gives what it said.
fn live_and_die(arguments: &[String], time: Duration) -> Vec<(bool, u64, u64)> {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = child.stdout.take().unwrap();
    let mut lines = BufReader::new(said).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("open 0 0"));
    let reader = std::thread::spawn(move || {
        let parse = |line: String| {
            let mut words = line.split(' ').map(str::to_owned);
            let done = words.next()? == "done";
            let (number, version) = (words.next()?, words.next()?);
            Some((done, number.parse().ok()?, version.parse().ok()?))
        };
        lines.filter_map(parse).collect()
    });
    sleep(time);
    assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

fn text(version: u64) -> Option<Vec<u8>> {
    (version == 0 || !version.is_multiple_of(5)).then(|| version.to_string().into_bytes())
}

fn kill_again_and_again(
    runtime: &tokio::runtime::Runtime,
    replicas: usize,
    kills: u64,
    fresh: &mut Fresh,
) {
    let folder = Folder::new(&format!("kill-{replicas}"));
    let servers = Redis::start_many("kill", SERVERS);
    let addresses: Vec<String> = servers.iter().map(Redis::address).collect();
    let filled = async {
        let store = open(folder.path(), &addresses, replicas).await;
        let entries = (0..KEYS).map(|it| (key(it), Entry::new("0")));
        store.set_many(entries.collect()).await.unwrap();
    };
    runtime.block_on(filled);

    // Of each key the version that was answered last, and those begun since.
    let mut known: BTreeMap<u64, (u64, Vec<u64>)> =
        (0..KEYS).map(|it| (it, (0, Vec::new()))).collect();
    let (mut writes, mut midst) = (0, 0);
    let keys: Vec<Vec<u8>> = (0..KEYS).map(key).collect();
    let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    for round in 0..kills {
        let first = round * 1_000_001 + 1;
        let root = folder.path().to_string_lossy().into_owned();
        let mut arguments = vec![
            "live".to_owned(),
            root,
            replicas.to_string(),
            first.to_string(),
        ];
        arguments.extend(addresses.iter().cloned());
        let time = Duration::from_micros(fresh.below(250_000));
        for (done, number, version) in live_and_die(&arguments, time) {
            let of = known.get_mut(&number).unwrap();
            if done {
                *of = (version, Vec::new());
                writes += 1;
            } else {
                of.1.push(version);
            }
        }
        let store = runtime.block_on(open(folder.path(), &addresses, replicas));
        midst += u64::from(store.progress().is_some());
        // What is read before the repair is right too, but a write that was cut short may show only by it.
        for repaired in [false, true] {
            if repaired {
                runtime.block_on(store.repair()).unwrap();
            }
            let values = runtime.block_on(store.get_many(&lent)).unwrap();
            for ((number, (done, begun)), value) in known.iter_mut().zip(values) {
                let mut versions = [*done].into_iter().chain(begun.iter().copied());
                let seen = versions.find(|&it| text(it) == value).unwrap_or_else(|| {
                    panic!("user:{number} is {value:?} after {done} in round {round}")
                });
                if repaired {
                    (*done, *begun) = (seen, Vec::new());
                }
            }
        }
    }

    // In the end each key lies on its holders, with the same value, and nowhere else.
    let store = runtime.block_on(open(folder.path(), &addresses, replicas));
    runtime.block_on(async {
        store.run().await;
        store.repair().await.unwrap();
    });
    let ring = VectorRing::from_nodes(store.nodes()).unwrap();
    let dumps: Vec<_> = servers.iter().map(Redis::dump).collect();
    for (number, (version, _)) in &known {
        let key = key(*number);
        let of = |(at, dump): (usize, &BTreeMap<Vec<u8>, Vec<u8>>)| {
            Some((format!("r{at}"), dump.get(&key)?.clone()))
        };
        let found: BTreeMap<String, Vec<u8>> = dumps.iter().enumerate().filter_map(of).collect();
        let holders = ring.replica_ids(&key, replicas).into_iter();
        let due = holders.filter_map(|id| Some((id.to_string(), text(*version)?)));
        assert_eq!(found, due.collect(), "user:{number}");
    }
    let all: usize = dumps.iter().map(BTreeMap::len).sum();
    let due = known
        .values()
        .filter(|(version, _)| text(*version).is_some());
    assert_eq!(all, due.count() * replicas, "nothing else is there");
    println!(
        "replicas {replicas}: {writes} writes answered, {kills} kills, {midst} in the midst of a change"
    );
    assert!(writes > 100 && midst > kills / 5);
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [live_, root, replicas, first, addresses @ ..] = arguments.as_slice()
        && live_ == "live"
    {
        let replicas = replicas.parse().unwrap();
        let (root, first) = (PathBuf::from(root), first.parse().unwrap());
        return runtime.block_on(live(root, addresses.to_vec(), replicas, first));
    }
    let mut fresh = Fresh::new();
    for (replicas, kills) in (1..).zip(KILLS) {
        kill_again_and_again(&runtime, replicas, kills, &mut fresh);
    }
}
