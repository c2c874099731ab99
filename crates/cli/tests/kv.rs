//! `keyroute kv serve`: started, used, changed under load, ended, and started again.

#![cfg(all(unix, feature = "kv"))]
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::{command, file, keyroute, path};

const PATIENCE: Duration = Duration::from_secs(60);

/// A server that is killed when the test fails.
struct Running {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    address: String,
    /// What it said at its start.
    said: String,
}

impl Running {
    fn start(args: &str) -> Self {
        let args: Vec<&str> = args.split_whitespace().collect();
        let mut child = command(&["kv", "serve", "--listen", "127.0.0.1:0"])
            .args(args)
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        stdout.read_line(&mut said).unwrap();
        if said.is_empty() {
            let mut error = String::new();
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut error)
                .unwrap();
            panic!("{error}");
        }
        let address = said.trim_end().rsplit(' ').next().unwrap().to_owned();
        Self {
            child,
            stdout,
            address,
            said,
        }
    }

    fn client(&self) -> Client {
        Client::new(&self.address)
    }

    /// Sends a signal and waits for the end; gives the exit code, if there is one, and the rest of the output.
    fn end(&mut self, signal: &str) -> (Option<i32>, String) {
        // The shell's own: a program of this name need not be there.
        let kill = format!("kill {signal} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success(), "{kill}");
        let status = self.child.wait().unwrap();
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (status.code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn new(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    /// The answer to an inline command: a line, or the bulk string that it announces.
    fn ask(&mut self, question: &str) -> String {
        self.0
            .get_mut()
            .write_all(format!("{question}\r\n").as_bytes())
            .unwrap();
        let mut line = String::new();
        assert!(
            self.0.read_line(&mut line).unwrap() > 0,
            "the connection ended"
        );
        let line = line.trim_end();
        let Some(length) = line.strip_prefix('$').filter(|length| *length != "-1") else {
            return line.to_owned();
        };
        let mut bytes = vec![0; length.parse::<usize>().unwrap() + 2];
        self.0.read_exact(&mut bytes).unwrap();
        bytes.truncate(bytes.len() - 2);
        String::from_utf8(bytes).unwrap()
    }

    fn until_steady(&mut self) {
        let began = Instant::now();
        loop {
            let info = self.ask("INFO keyroute");
            if info.contains("change:none") {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{info}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn check(&mut self, values: &BTreeMap<String, String>) {
        for (key, value) in values {
            assert_eq!(self.ask(&format!("GET {key}")), *value, "{key}");
        }
        assert_eq!(self.ask("DBSIZE"), format!(":{}", values.len()));
    }
}

fn dir() -> String {
    let dir = path("data");
    let _ = std::fs::remove_dir_all(&dir); // of an earlier run
    dir.to_str().unwrap().to_owned()
}

#[test]
fn a_node_joins_under_load_and_all_is_there_after_the_next_start() {
    let dir = dir();
    let mut server = Running::start(&format!(
        "--dir {dir} --node a --node b,weight=2 --rate 2000"
    ));
    assert!(
        server
            .said
            .starts_with("2 nodes, 1 of each key; listening on 127.0.0.1:"),
        "{}",
        server.said
    );
    let values = Arc::new(Mutex::new(BTreeMap::new()));
    let mut client = server.client();
    for number in 0..500 {
        let (key, value) = (format!("k{number}"), format!("first-{number}"));
        assert_eq!(client.ask(&format!("SET {key} {value}")), "+OK");
        values.lock().unwrap().insert(key, value);
    }
    // Each of two clients writes and reads keys of its own while the nodes change.
    let going = Arc::new(AtomicBool::new(true));
    let load: Vec<_> = (0..2)
        .map(|own| {
            let (going, values, mut client) = (going.clone(), values.clone(), server.client());
            thread::spawn(move || {
                let mut number = own;
                while going.load(Relaxed) {
                    number += 2;
                    let (key, value) = (format!("k{}", number % 600), format!("then-{number}"));
                    assert_eq!(client.ask(&format!("SET {key} {value}")), "+OK");
                    assert_eq!(client.ask(&format!("GET {key}")), value);
                    values.lock().unwrap().insert(key, value);
                }
            })
        })
        .collect();
    assert_eq!(client.ask("KEYROUTE ADD c"), "+OK");
    client.until_steady();
    assert_eq!(client.ask("KEYROUTE REMOVE a"), "+OK");
    client.until_steady();
    going.store(false, Relaxed);
    load.into_iter().for_each(|thread| thread.join().unwrap());
    let values = values.lock().unwrap().clone();
    client.check(&values);
    assert!(
        client
            .ask("KEYROUTE ADD a")
            .starts_with("-ERR a node named \"a\" has left")
    );
    assert_eq!(server.end("-TERM"), (Some(0), "stopped\n".to_owned()));

    let mut server = Running::start(&format!("--dir {dir}"));
    assert!(server.said.starts_with("2 nodes, "), "{}", server.said);
    server.client().check(&values);
    assert_eq!(server.end("-INT"), (Some(0), "stopped\n".to_owned()));
}

#[test]
fn a_server_that_is_killed_in_a_change_goes_on_with_it() {
    let dir = dir();
    let mut server = Running::start(&format!("--dir {dir} --node a --node b --rate 50"));
    let mut client = server.client();
    let values: BTreeMap<String, String> = (0..300)
        .map(|number| (format!("k{number}"), format!("v{number}")))
        .collect();
    for (key, value) in &values {
        assert_eq!(client.ask(&format!("SET {key} {value}")), "+OK");
    }
    assert_eq!(client.ask("KEYROUTE ADD c"), "+OK");
    assert!(client.ask("INFO keyroute").contains("change:moving"));
    assert_eq!(server.end("-KILL").0, None);

    let server = Running::start(&format!("--dir {dir}"));
    let mut client = server.client();
    client.until_steady();
    assert!(client.ask("INFO keyroute").contains("nodes:3"));
    client.check(&values);
}

#[test]
fn what_disagrees_with_the_journal_is_refused_by_name() {
    let dir = dir();
    drop(Running::start(&format!(
        "--dir {dir} --node a --node b,zone=z --replicas 2"
    )));
    for (flags, part) in [
        (
            "--node a --node c",
            "node \"c\" is not in the journal; node \"b\" is in the journal alone",
        ),
        (
            "--node a --node b",
            "node \"b\" has zone \"z\" in the journal, none is given",
        ),
        (
            "--node a,weight=2 --node b,zone=z",
            "node \"a\" has weight 1 in the journal, 2 is given",
        ),
        (
            "--node a=redb:x --node b,zone=z",
            "node \"a\" has address \"a\" in the journal, \"redb:x\" is given",
        ),
        ("--replicas 1", "--replicas 1: the journal has 2"),
        (
            "--strategy rendezvous",
            "give the --strategy, and the settings, of the first start",
        ),
    ] {
        let refused = keyroute(&format!(
            "kv serve --listen 127.0.0.1:0 --dir {dir} {flags}"
        ))
        .refused();
        assert!(refused.contains(part), "{flags}: {refused}");
    }
    // The same flags once more are no disagreement.
    let first = Running::start(&format!(
        "--dir {dir} --node b,zone=z --node a --replicas 2"
    ));
    let second = keyroute(&format!("kv serve --listen 127.0.0.1:0 --dir {dir}")).refused();
    assert!(
        second.contains("another process serves this store"),
        "{second}"
    );
    let taken = keyroute(&format!(
        "kv serve --listen {} --node a=memory:a",
        first.address
    ))
    .refused();
    assert!(taken.contains(&first.address), "{taken}");
}

#[test]
fn flags_that_cannot_be_used_say_what_to_do() {
    let dir = dir();
    for (flags, part) in [
        ("", "give --node ID[=ADDRESS] for each, or --nodes FILE"),
        ("--node a", "need --dir"),
        (
            "--node a=10.0.0.1:6379 --dir DIR",
            "is none of: redis://HOST",
        ),
        ("--node a=memory:x --node b=memory:x", "memory:x"),
        ("--node a=memory:x --node a=memory:y", "\"a\""),
        (
            "--node a=memory:a --strategy jump",
            "jump: has no order of nodes",
        ),
        ("--node a=memory:a --replicas 9", "1 to 8 are allowed"),
        (
            "--node a=memory:a --max-bulk 1GiB",
            "--max-bulk: 1.0 GiB is over 512.0 MiB",
        ),
        ("--node a,weight=0", "weight 0"),
        ("--node a=memory:a --nodes x.toml", "cannot be used with"),
        ("--node a=memory:a --threads 0", "--threads"),
        ("--listen nowhere --node a=memory:a", "--listen"),
    ] {
        let flags = flags.replace("DIR", &dir);
        let refused = keyroute(&format!("kv serve --listen 127.0.0.1:0 {flags}"));
        let refused = if flags.starts_with("--listen") {
            keyroute(&format!("kv serve {flags}")).refused()
        } else {
            refused.refused()
        };
        assert!(refused.contains(part), "{flags}: {refused}");
    }
}

#[test]
fn a_fleet_file_says_nodes_addresses_and_strategy() {
    let fleet = file(
        "fleet.toml",
        "[router]\nstrategy = \"rendezvous\"\n[[nodes]]\nid = \"a\"\naddress = \"memory:1\"\n\
         [[nodes]]\nid = \"b\"\nweight = 3\nzone = \"z\"\naddress = \"memory:2\"\n",
    );
    let mut server = Running::start(&format!("--nodes {fleet} --replicas 2 --threads 2"));
    assert!(
        server.said.starts_with("2 nodes, 2 of each key; "),
        "{}",
        server.said
    );
    let mut client = server.client();
    assert_eq!(client.ask("SET k v"), "+OK");
    assert_eq!(client.ask("GET k"), "v");
    assert_eq!(client.ask("DBSIZE"), ":1");
    assert_eq!(client.ask("KEYROUTE NODES"), "*2");
    assert_eq!(server.end("-TERM"), (Some(0), "stopped\n".to_owned()));
}
