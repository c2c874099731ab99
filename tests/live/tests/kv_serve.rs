//! `keyroute kv serve` over four Redis servers, asked by `redis-cli` and `redis-benchmark`: the answers, the places of
//! keys, a node that joins under load; and its figures beside one Redis server's and beside twemproxy's over the same
//! four. A program without a harness, whose output is seen.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use keyroute_core::NodeId;
use keyroute_live::redis::Redis;
use keyroute_live::{Folder, Server, command, free_ports};
use keyroute_vector_ring::VectorRing;

/// Numbers that `redis-benchmark` makes keys of.
const KEYS: usize = 20_000;
/// Where the store's keys are on the Redis servers. The others' are in database 0.
const DATABASE: u32 = 1;
/// How often each is measured; the best counts, since what disturbs a run only slows it.
const ROUNDS: usize = 3;

fn main() {
    let folder = Folder::new("kv-serve");
    let fronts = free_ports(3);
    let [served, proxied, statistics] = &fronts[..] else {
        panic!("{fronts:?}")
    };
    let servers = Redis::start_many("kv-serve", 5);
    let backends: Vec<u16> = servers.iter().map(Redis::port).collect();
    let (backends, first) = (&backends[..], &backends[..4]);
    let _proxy = twemproxy(*proxied, *statistics, first, &folder);
    let _served = keyroute(*served, first, &folder);

    answers(*served);
    every_key_is_where_the_router_says(*served, first);
    a_node_joins_under_load(*served, backends);
    cli(*served, &["KEYROUTE", "REMOVE", "e"]);
    until_steady(*served);
    assert_eq!(keys_of(backends[4]).len(), 0);
    figures(&[
        ("one Redis, direct", backends[4]),
        ("twemproxy", *proxied),
        ("keyroute kv serve", *served),
    ]);
}

fn twemproxy(port: u16, statistics: u16, backends: &[u16], folder: &Folder) -> Server {
    let servers: String = backends
        .iter()
        .map(|backend| format!("   - 127.0.0.1:{backend}:1\n"))
        .collect();
    let config = folder.path().join("pool.yml");
    let text = format!(
        "p:\n  listen: 127.0.0.1:{port}\n  hash: fnv1a_64\n  distribution: ketama\n  redis: true\n  \
         auto_eject_hosts: false\n  servers:\n{servers}"
    );
    fs::write(&config, text).unwrap();
    let statistics = statistics.to_string();
    let arguments = [
        "-c",
        config.to_str().unwrap(),
        "-v",
        "0",
        "-a",
        "127.0.0.1",
        "-s",
        &statistics,
    ];
    Server::start("nutcracker", &arguments, &[port])
}

fn keyroute(port: u16, backends: &[u16], folder: &Folder) -> Server {
    let program = command();
    let listen = format!("127.0.0.1:{port}");
    let dir = folder.path().join("kv");
    let mut arguments = vec![
        "kv",
        "serve",
        "--listen",
        &listen,
        "--dir",
        dir.to_str().unwrap(),
    ];
    let nodes: Vec<String> = ["a", "b", "c", "d"]
        .iter()
        .zip(backends)
        .map(|(id, backend)| format!("{id}=redis://127.0.0.1:{backend}/{DATABASE}"))
        .collect();
    for node in &nodes {
        arguments.extend(["--node", node.as_str()]);
    }
    Server::start(program.to_str().unwrap(), &arguments, &[port])
}

/// The output of a program that must have gone well.
fn good(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

/// What `redis-cli` prints.
fn cli(port: u16, arguments: &[&str]) -> String {
    let output = Command::new("redis-cli")
        .args(["-p", &port.to_string()])
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("redis-cli: {error}; `.ci/run live` installs it"));
    good(&output)
}

/// Each command by `redis-cli`, as people use it.
fn answers(port: u16) {
    for (arguments, printed) in [
        (&["PING"][..], "PONG\n"),
        (&["SET", "a key", "a value"], "OK\n"),
        (&["GET", "a key"], "a value\n"),
        (&["SET", "brief", "v", "PX", "100000"], "OK\n"),
        (&["TTL", "brief"], "100\n"),
        (&["MSET", "x", "1", "y", "2", "z", "3"], "OK\n"),
        (&["MGET", "x", "y", "no", "z"], "1\n2\n\n3\n"),
        (&["EXISTS", "x", "y", "no"], "2\n"),
        (&["DBSIZE"], "5\n"),
        (&["DEL", "x", "y", "no"], "2\n"),
        (&["GET", "x"], "\n"),
        (&["--scan", "--pattern", "[xyz]"], "z\n"),
        (&["DEL", "z", "brief", "a key"], "3\n"),
        (&["KEYROUTE", "STATUS"], "change\nnone\n"),
        (
            &["LPUSH", "a", "b"],
            "ERR unknown command 'LPUSH', with args beginning with: 'a' 'b' \n\n",
        ),
    ] {
        assert_eq!(cli(port, arguments), printed, "redis-cli {arguments:?}");
    }
    assert!(cli(port, &["INFO"]).contains("keyroute_version:"));
    assert!(cli(port, &["KEYROUTE", "NODES"]).contains("redis://127.0.0.1:"));
    println!("redis-cli: all answers as expected");
}

/// What `redis-benchmark` says, in requests a second, by the command's name.
fn benchmark(port: u16, pipeline: usize, requests: usize) -> BTreeMap<String, f64> {
    let output = Command::new("redis-benchmark")
        .args([
            "-p",
            &port.to_string(),
            "-t",
            "set,get",
            "-c",
            "50",
            "-d",
            "3",
            "--csv",
        ])
        .args([
            "-r",
            &KEYS.to_string(),
            "-P",
            &pipeline.to_string(),
            "-n",
            &requests.to_string(),
        ])
        .output()
        .unwrap_or_else(|error| panic!("redis-benchmark: {error}; `.ci/run live` installs it"));
    let lines = good(&output);
    let lines = lines.lines().skip(1).map(|line| {
        let mut fields = line.split(',').map(|field| field.trim_matches('"'));
        let name = fields.next().unwrap().to_owned();
        (name, fields.next().unwrap().parse().unwrap())
    });
    let figures: BTreeMap<String, f64> = lines.collect();
    assert_eq!(figures.len(), 2, "{figures:?}");
    figures
}

/// A connection to a server, whose answers are lines.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Self(BufReader::new(stream))
    }

    fn say(&mut self, question: &str) {
        self.0.get_mut().write_all(question.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(
            self.0.read_line(&mut line).unwrap() > 0,
            "the connection ended"
        );
        line.trim_end().to_owned()
    }

    /// The next bulk string; `None` for null.
    fn bulk(&mut self) -> Option<String> {
        let line = self.line();
        let length: i64 = line
            .strip_prefix('$')
            .unwrap_or_else(|| panic!("{line}"))
            .parse()
            .unwrap();
        let mut bytes = vec![0; usize::try_from(length).ok()? + 2];
        self.0.read_exact(&mut bytes).unwrap();
        bytes.truncate(bytes.len() - 2);
        Some(String::from_utf8(bytes).unwrap())
    }

    fn get_all<'a>(&mut self, keys: impl Iterator<Item = &'a String>) -> Vec<Option<String>> {
        let mut values = Vec::new();
        let keys: Vec<&String> = keys.collect();
        for keys in keys.chunks(1_000) {
            let questions: String = keys.iter().map(|key| format!("GET {key}\r\n")).collect();
            self.say(&questions);
            values.extend(keys.iter().map(|_| self.bulk()));
        }
        values
    }
}

/// What a Redis server holds, asked of itself.
fn keys_of(port: u16) -> BTreeMap<String, String> {
    let mut client = Client::new(port);
    client.say(&format!("SELECT {DATABASE}\r\n"));
    assert_eq!(client.line(), "+OK");
    client.say("KEYS *\r\n");
    let count: usize = client.line().strip_prefix('*').unwrap().parse().unwrap();
    let mut keys: Vec<String> = (0..count).map(|_| client.bulk().unwrap()).collect();
    keys.retain(|key| key != "keyroute-kv:mark"); // by which the store knows its server
    let values = client.get_all(keys.iter());
    keys.into_iter()
        .zip(values.into_iter().map(Option::unwrap))
        .collect()
}

/// `redis-benchmark` writes, and then each key is looked for at the server that a router of our own names, and read
/// through the port: there, and nowhere else, and the same value.
fn every_key_is_where_the_router_says(port: u16, backends: &[u16]) {
    benchmark(port, 16, 4 * KEYS);
    let found = check_places(port, backends);
    // Of so many draws of as many keys about 98 of 100 were drawn.
    assert!((KEYS * 9 / 10..=KEYS).contains(&found), "{found}");
    println!("redis-benchmark: {found} keys, each at its server and nowhere else, each read back");
}

fn check_places(port: u16, backends: &[u16]) -> usize {
    let ids = ["a", "b", "c", "d", "e"];
    let ring = VectorRing::from_ids(&ids[..backends.len()]).unwrap();
    let mut all = BTreeMap::new();
    for (id, &backend) in ids.iter().zip(backends) {
        for (key, value) in keys_of(backend) {
            let owner = ring.route_id(key.as_bytes()).map(NodeId::as_str);
            assert_eq!(owner, Some(*id), "{key}");
            assert_eq!(value.len(), 3, "{key}: {value}");
            assert_eq!(all.insert(key, value), None);
        }
    }
    let read = Client::new(port).get_all(all.keys());
    for ((key, value), read) in all.iter().zip(read) {
        assert_eq!(Some(value), read.as_ref(), "{key}");
    }
    all.len()
}

fn a_node_joins_under_load(port: u16, backends: &[u16]) {
    let before: usize = backends.iter().map(|&port| keys_of(port).len()).sum();
    let load = std::thread::spawn(move || benchmark(port, 4, 10 * KEYS));
    std::thread::sleep(Duration::from_millis(200));
    let address = format!("redis://127.0.0.1:{}/{DATABASE}", backends[4]);
    assert_eq!(cli(port, &["KEYROUTE", "ADD", "e", &address]), "OK\n");
    until_steady(port);
    load.join().unwrap();
    let found = check_places(port, backends);
    assert!(found >= before, "{found} of {before} keys are left");
    let moved = keys_of(backends[4]).len();
    // A fifth of the keys, as a ring shares them.
    assert!(
        (found / 10..found * 3 / 10).contains(&moved),
        "{moved} of {found}"
    );
    println!("a node joined under load: {moved} of {found} keys moved to it, and no other");
}

fn until_steady(port: u16) {
    let began = Instant::now();
    while cli(port, &["KEYROUTE", "STATUS"]) != "change\nnone\n" {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{}",
            cli(port, &["KEYROUTE", "STATUS"])
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Prints them. They are of this machine, on which everything runs at once: no number is held to anything.
fn figures(contestants: &[(&str, u16)]) {
    println!("\nredis-benchmark -c 50 -d 3 -r {KEYS}, requests a second, the best of {ROUNDS}:");
    println!(
        "{:<20} {:>10} {:>10} {:>10} {:>10}",
        "", "SET -P 1", "GET -P 1", "SET -P 16", "GET -P 16"
    );
    let mut best: BTreeMap<(usize, usize, &str), f64> = BTreeMap::new();
    for _ in 0..ROUNDS {
        for (number, &(_, port)) in contestants.iter().enumerate() {
            for (pipeline, requests) in [(1, 40_000), (16, 300_000)] {
                for (name, figure) in benchmark(port, pipeline, requests) {
                    let name = if name == "SET" { "SET" } else { "GET" };
                    let best = best.entry((number, pipeline, name)).or_insert(0.0);
                    *best = best.max(figure);
                }
            }
        }
    }
    for (number, (name, _)) in contestants.iter().enumerate() {
        let of = |pipeline, name| best[&(number, pipeline, name)];
        println!(
            "{name:<20} {:>10.0} {:>10.0} {:>10.0} {:>10.0}",
            of(1, "SET"),
            of(1, "GET"),
            of(16, "SET"),
            of(16, "GET")
        );
    }
}
