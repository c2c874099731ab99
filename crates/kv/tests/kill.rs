//! A process is killed (SIGKILL) again and again while it writes and its nodes change; nothing answered is lost.
//!
//! Its own main: run with an argument it is the process that is killed.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use keyroute_kv::{FileJournal, NodeId, RedbShard, Store};

mod support;
use support::{Numbers, node};

const KEYS: u64 = 60;
const ROUNDS: u64 = 12;

fn key(number: u64) -> Vec<u8> {
    format!("user:{number}").into_bytes()
}

async fn open(root: PathBuf) -> Store {
    let journal = FileJournal::open(root.join("store.json")).unwrap();
    let shard = move |id: &NodeId, _: &str| RedbShard::open(root.join(format!("{id}.redb")));
    let store = Store::builder(support::ring, shard).journal(journal);
    store.nodes(["a", "b"].map(node)).open().await.unwrap()
}

/// Writes for ever, and says so before and after; every fifth version is a deletion. Nodes come and go meanwhile.
async fn live(root: PathBuf, first: u64) {
    let store = open(root).await;
    let changing = store.clone();
    tokio::spawn(async move {
        for round in 0.. {
            changing.run().await;
            let nodes = changing.nodes();
            if nodes.len() < 4 {
                changing
                    .add(node(&format!("n{first}-{round}")))
                    .await
                    .unwrap();
            } else {
                changing.remove(nodes[0].id().as_str()).await.unwrap();
            }
            changing.advance(10).await.unwrap();
            if round % 3 == 2 {
                changing.abort().await.unwrap();
            }
        }
    });
    let mut draw = Numbers(first);
    for version in first.. {
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

/// Lets it live for a while and kills it; gives what it said.
fn live_and_die(root: &Path, first: u64, time: Duration) -> Vec<(bool, u64, u64)> {
    let mut child = Command::new(env::current_exe().unwrap())
        .arg("live")
        .arg(root)
        .arg(first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(said).lines().map_while(Result::ok);
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
    sleep(time);
    assert_eq!(child.try_wait().unwrap(), None, "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap()
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_time()
        .build()
        .unwrap();
    let arguments: Vec<String> = env::args().collect();
    if let [_, live_, root, first] = arguments.as_slice()
        && live_ == "live"
    {
        return runtime.block_on(live(root.into(), first.parse().unwrap()));
    }

    let directory = tempfile::tempdir().unwrap();
    let mut draw = Numbers(1);
    // Of each key the version that was answered last, and those begun since.
    let mut known: BTreeMap<u64, (u64, Vec<u64>)> = BTreeMap::new();
    let (mut writes, mut midst) = (0, 0);
    for round in 0..ROUNDS {
        let time = Duration::from_millis(250 + draw.below(500));
        for (done, number, version) in live_and_die(directory.path(), round * 1_000_001 + 1, time) {
            let of = known.entry(number).or_default();
            if done {
                *of = (version, Vec::new());
                writes += 1;
            } else {
                of.1.push(version);
            }
        }
        let store = runtime.block_on(open(directory.path().to_owned()));
        midst += u64::from(store.progress().is_some());
        for (number, (done, begun)) in &mut known {
            let value = runtime.block_on(store.get(&key(*number))).unwrap();
            let text = |version: u64| {
                (!version.is_multiple_of(5)).then(|| version.to_string().into_bytes())
            };
            let seen = [*done]
                .into_iter()
                .chain(begun.drain(..))
                .find(|&it| text(it) == value);
            let seen = seen.unwrap_or_else(|| {
                panic!("user:{number} is {value:?} after {done} in round {round}")
            });
            *done = seen;
        }
    }
    println!(
        "{writes} writes answered, {ROUNDS} kills, {midst} in the midst of a change: nothing lost"
    );
    assert!(writes > 50 && midst > 0);
}
