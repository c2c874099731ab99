//! A process is killed (SIGKILL) again and again while it writes and its nodes change; nothing answered is lost, and no
//! copy is left where none should be.
//!
//! Its own main: run with an argument it is the process that is killed.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a test may panic, and its numbers are small"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread::sleep;
use std::time::Duration;

use keyroute_core::WalkExt;
use keyroute_kv::{FileJournal, KvError, NodeId, RedbShard, Shard, Store, Weight};

mod support;
use support::{Numbers, node, ring};

const KEYS: u64 = 60;
/// How often it is killed, with one replica and with two by turns.
const ROUNDS: u64 = 50;
/// After so many kills of one store its change is ended, and all files are looked into.
const SETTLE: u64 = 5;

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

async fn open(root: PathBuf, replicas: usize) -> Store {
    let journal = FileJournal::open(root.join("store.json")).unwrap();
    let shard = move |id: &NodeId, _: &str| RedbShard::open(root.join(format!("{id}.redb")));
    let store = Store::builder(ring, shard).journal(journal);
    let store = store.nodes(["a", "b"].map(node)).replicas(replicas);
    store.open().await.unwrap()
}

/// Nodes come, go and change weight, and some changes are turned round.
async fn change(store: Store, first: u64) {
    let mut draw = Numbers(first + 1);
    for round in 0.. {
        store.run().await;
        let nodes = store.nodes();
        let id = nodes[draw.below(nodes.len() as u64) as usize].id().as_str();
        match draw.below(3) {
            0 if nodes.len() > 2 => store.remove(id).await.unwrap(),
            1 => {
                let weight = Weight::new(1 + draw.below(4) as u32).unwrap();
                store.reweight(id, weight).await.unwrap();
            }
            _ if nodes.len() < 5 => {
                let name = format!("n{first}-{round}");
                store.add(node(&name)).await.unwrap();
            }
            _ => store.remove(id).await.unwrap(),
        }
        store.advance(10).await.unwrap();
        if draw.below(3) == 0 {
            match store.abort().await {
                Ok(()) | Err(KvError::NoChange) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Writes for ever, and says so before and after; every fifth version is a deletion.
async fn live(root: PathBuf, first: u64, replicas: usize) {
    let store = open(root, replicas).await;
    let changes = tokio::spawn(change(store.clone(), first));
    let mut draw = Numbers(first);
    for version in first.. {
        assert!(!changes.is_finished(), "a change failed");
        let number = draw.below(KEYS);
        println!("begun {number} {version}");
        std::io::stdout().flush().unwrap();
        if version.is_multiple_of(5) {
            store.delete(&key(number)).await.unwrap();
        } else {
            store.set(&key(number), version.to_string()).await.unwrap();
        }
        println!("done {number} {version}");
        std::io::stdout().flush().unwrap();
    }
}

/// Lets it live for a while, from its first word or from its start, and kills it; gives what it said.
fn live_and_die(
    root: &Path,
    first: u64,
    replicas: usize,
    speaking: bool,
    time: Duration,
) -> Vec<(bool, u64, u64)> {
    let mut child = Command::new(env::current_exe().unwrap())
        .arg("live")
        .arg(root)
        .arg(first.to_string())
        .arg(replicas.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = child.stdout.take().unwrap();
    let (began, begins) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(said).lines().map_while(Result::ok);
        let lines = lines.inspect(|_| began.send(()).unwrap_or_default());
        let parse = |line: String| {
            let mut words = line.split(' ').map(str::to_owned);
            let done = words.next()? == "done";
            Some((
                done,
                words.next()?.parse().ok()?,
                words.next()?.parse().ok()?,
            ))
        };
        lines.filter_map(parse).collect()
    });
    if speaking {
        begins.recv_timeout(Duration::from_secs(60)).unwrap();
    }
    sleep(time);
    assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

/// Ends the change and holds that each file has exactly what the router says.
async fn settle(store: Store, root: &Path, replicas: usize) {
    store.run().await;
    let repaired = store.repair().await.unwrap();
    assert_eq!(repaired.strays, 0);
    let again = store.repair().await.unwrap();
    assert_eq!((again.keys, again.strays), (0, 0));
    let router = ring(&store.nodes()).unwrap();
    drop(store); // the files are locked while it lives
    let mut copies: BTreeMap<Vec<u8>, BTreeSet<String>> = BTreeMap::new();
    for file in fs::read_dir(root).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|it| it != "redb") {
            continue;
        }
        let id = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let shard = RedbShard::open(&path).unwrap();
        let page = shard.scan(None, 10_000).await.unwrap();
        assert_eq!(page.next, None);
        for key in page.keys {
            copies.entry(key).or_default().insert(id.clone());
        }
    }
    assert!(copies.len() > 10);
    for (key, on) in copies {
        let holders = router.replica_ids(&key, replicas);
        let holders: BTreeSet<String> = holders.iter().map(ToString::to_string).collect();
        assert_eq!(on, holders, "of {key:?}");
    }
}

/// A store and what is known of it.
struct Life {
    root: tempfile::TempDir,
    replicas: usize,
    /// Of each key the version that was answered last, and those begun since.
    known: BTreeMap<u64, (u64, Vec<u64>)>,
}

impl Life {
    fn new(replicas: usize) -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
            replicas,
            known: BTreeMap::new(),
        }
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .unwrap();
    let arguments: Vec<String> = env::args().collect();
    if let [_, live_, root, first, replicas] = arguments.as_slice()
        && live_ == "live"
    {
        let (first, replicas) = (first.parse().unwrap(), replicas.parse().unwrap());
        return runtime.block_on(live(root.into(), first, replicas));
    }

    let mut draw = Numbers(1);
    let mut lives = [1, 2].map(Life::new);
    let (mut writes, mut midst) = (0, 0);
    for round in 0..ROUNDS {
        let life = &mut lives[round as usize % 2];
        let (root, replicas) = (life.root.path(), life.replicas);
        // Some die as they open the files; the others have time to write, however busy the machine is.
        let speaking = draw.below(4) != 0;
        let time = Duration::from_millis(draw.below(400));
        let first = round * 1_000_001 + 1;
        for (done, number, version) in live_and_die(root, first, replicas, speaking, time) {
            let of = life.known.entry(number).or_default();
            if done {
                *of = (version, Vec::new());
                writes += 1;
            } else {
                of.1.push(version);
            }
        }
        let store = runtime.block_on(open(root.to_owned(), replicas));
        midst += u64::from(store.progress().is_some());
        let check = |known: &mut BTreeMap<u64, (u64, Vec<u64>)>| {
            for (number, (done, begun)) in known {
                let value = runtime.block_on(store.get(&key(*number))).unwrap();
                let text = |version: u64| {
                    (!version.is_multiple_of(5)).then(|| version.to_string().into_bytes())
                };
                // One that was under way may be done yet; once it was seen it stays.
                match begun.iter().rposition(|&it| text(it) == value) {
                    Some(at) => {
                        *done = begun[at];
                        begun.drain(..=at);
                    }
                    None if text(*done) == value => {}
                    None => {
                        panic!(
                            "user:{number} is {value:?} after {done} and {begun:?} in round {round}"
                        )
                    }
                }
            }
        };
        check(&mut life.known);
        if round / 2 % SETTLE == SETTLE - 1 {
            runtime.block_on(store.run());
            runtime.block_on(store.repair()).unwrap();
            check(&mut life.known);
            runtime.block_on(settle(store, root, replicas));
        }
    }
    println!(
        "{writes} writes answered, {ROUNDS} kills, {midst} in the midst of a change: nothing lost"
    );
    assert!(writes > 200 && midst > 10);
}
