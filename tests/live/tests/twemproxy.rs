//! A running twemproxy with memcached behind it against the preset, and against its own file as the command reads
//! it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use keyroute_cli::config::Source;
use keyroute_interop::Router;
use keyroute_interop::twemproxy::{self, KeyHash, Modula};
use keyroute_live::{Folder, Fresh, Server as Program, free_ports};

const KEYS: usize = 2000;

/// Keys as memcached takes them: no blanks, no control characters.
const KEY_BYTES: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789{}:-_/.\xc3\xa9\xff\x80";

/// A connection that speaks memcached's text protocol.
struct Client(BufReader<TcpStream>);

impl Client {
    fn new(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        Self(BufReader::new(stream))
    }

    fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        assert!(
            self.0.read_until(b'\n', &mut line).unwrap() > 0,
            "the connection ended"
        );
        line
    }

    fn set(&mut self, key: &[u8]) {
        let request = [b"set ", key, b" 0 0 1\r\nx\r\n"].concat();
        self.0.get_mut().write_all(&request).unwrap();
        assert_eq!(self.line(), b"STORED\r\n");
    }

    fn holds(&mut self, key: &[u8]) -> bool {
        self.0
            .get_mut()
            .write_all(&[b"get ", key, b"\r\n"].concat())
            .unwrap();
        if self.line() == b"END\r\n" {
            return false;
        }
        assert_eq!(
            (self.line(), self.line()),
            (b"x\r\n".into(), b"END\r\n".into())
        );
        true
    }
}

#[test]
fn every_hash_and_distribution_agrees() {
    let ports = free_ports(6);
    let (proxy, backends) = ports.split_first().unwrap();
    let _backends: Vec<Program> = backends
        .iter()
        .map(|port| {
            let number = port.to_string();
            let arguments = [
                "-u",
                "nobody",
                "-l",
                "127.0.0.1",
                "-p",
                &number,
                "-U",
                "0",
                "-t",
                "1",
                "-m",
                "16",
            ];
            Program::start("memcached", &arguments, &[*port])
        })
        .collect();
    // Identities of several lengths, with and without an alias; the order of the file decides nothing.
    let names = ["", " zz", " a", "", " bbb"];
    let lines: Vec<String> = (1..)
        .zip(backends)
        .zip(names)
        .map(|((weight, port), alias)| format!("127.0.0.1:{port}:{weight}{alias}"))
        .collect();
    for (hash, distribution, tag) in [
        ("fnv1a_64", "ketama", ""),
        ("md5", "ketama", ""),
        ("one_at_a_time", "ketama", "{}"),
        ("crc16", "ketama", ""),
        ("crc32", "ketama", ""),
        ("crc32a", "ketama", "::"),
        ("fnv1_64", "ketama", ""),
        ("fnv1_32", "modula", ""),
        ("fnv1a_32", "modula", "{}"),
        ("hsieh", "modula", ""),
        ("murmur", "ketama", "{}"),
        ("jenkins", "ketama", ""),
        ("crc16", "modula", ""),
        ("crc32", "modula", ""),
        ("md5", "modula", ""),
    ] {
        let folder = Folder::new("twemproxy");
        let config = folder.path().join("pool.yml");
        let servers: String = lines.iter().map(|line| format!("   - {line}\n")).collect();
        let tag_line = if tag.is_empty() {
            String::new()
        } else {
            format!("  hash_tag: \"{tag}\"\n")
        };
        fs::write(
            &config,
            format!(
                "p:\n  listen: 127.0.0.1:{proxy}\n  hash: {hash}\n  distribution: {distribution}\n{tag_line}  \
                 auto_eject_hosts: false\n  servers:\n{servers}"
            ),
        )
        .unwrap();
        let stats = free_ports(1)[0].to_string();
        let arguments = [
            "-c",
            config.to_str().unwrap(),
            "-v",
            "0",
            "-a",
            "127.0.0.1",
            "-s",
            &stats,
        ];
        let _proxy = Program::start("nutcracker", &arguments, &[*proxy]);

        let mut key_hash = KeyHash::named(hash).unwrap();
        if !tag.is_empty() {
            key_hash = key_hash.with_hash_tag(tag).unwrap();
        }
        let nodes: Vec<_> = lines
            .iter()
            .map(|line| twemproxy::server(line).unwrap())
            .collect();
        let ids: Vec<String> = nodes.iter().map(|node| node.id().to_string()).collect();
        let preset: Box<dyn Router> = match distribution {
            "ketama" => Box::new(twemproxy::ketama(key_hash, nodes).unwrap()),
            _ => Box::new(Modula::of_servers(key_hash, nodes).unwrap()),
        };
        let read = source(&config).read().unwrap();
        let read = read.router.build(&read.nodes).unwrap();
        let mut client = Client::new(*proxy);
        let mut stores: Vec<Client> = backends.iter().map(|&port| Client::new(port)).collect();
        let mut fresh = Fresh::new();
        for number in 0..KEYS {
            // Numbers keep keys of different pools apart.
            let mut key = format!("{hash}{distribution}{number}").into_bytes();
            key.extend(fresh.key(KEY_BYTES, 40));
            client.set(&key);
            let owner = preset.route_id(&key).unwrap().as_str();
            assert_eq!(read.router().route_id(&key).unwrap(), owner, "{key:x?}");
            let place = ids.iter().position(|id| id == owner).unwrap();
            assert!(
                stores[place].holds(&key),
                "{hash}, {distribution}: {owner} lacks {key:x?}"
            );
        }
    }
}

/// A file as the command is given it.
fn source(config: &Path) -> Source {
    format!("twemproxy:{}", config.display()).parse().unwrap()
}

/// Whether twemproxy takes a file, and whether the command does.
fn taken(folder: &Folder, text: &str) -> (bool, bool) {
    let config = folder.path().join("pool.yml");
    fs::write(&config, text).unwrap();
    let tested = Command::new("nutcracker")
        .args(["-t", "-c", config.to_str().unwrap()])
        .output()
        .unwrap_or_else(|error| panic!("nutcracker: {error}; `.ci/run live` installs it"));
    (tested.status.success(), source(&config).read().is_ok())
}

#[test]
fn what_it_takes_is_read_and_what_it_refuses_is_refused() {
    let folder = Folder::new("twemproxy-files");
    let pool = |lines: &str, servers: &[&str]| {
        let lines: String = lines.lines().map(|line| format!("  {line}\n")).collect();
        let servers: String = servers
            .iter()
            .map(|line| format!("   - {line}\n"))
            .collect();
        format!("p:\n  listen: 127.0.0.1:1\n{lines}  servers:\n{servers}")
    };
    let lines = [
        "",
        "tcpkeepalive: true",
        "timeout: 400",
        "timeout: 0400",
        "timeout: '400'",
        "timeout: -1",
        "timeout: x",
        "timeout: ''",
        "timeout:",
        "timeout: 1\ntimeout: 1",
        "redis: true",
        "redis: yes",
        "redis: true\nredis_auth: x",
        "redis_auth: x",
        "redis_db: 3",
        "hash: md5",
        "hash: MD5",
        "hash: ''",
        "hash: ~",
        "distribution: modula",
        "distribution: rand",
        "hash_tag: '{}'",
        "hash_tag: {}",
        "hash_tag: é",
        "hash_tag: 'é}'",
        "hash_tag: ''",
        "server_connections: 0",
        "server_connections: 2",
        "backlog: 1",
        "client_connections: 3",
        "commands: 1",
        "preconnect: true",
        "auto_eject_hosts: 1",
        "server_failure_limit: 1",
        "server_retry_timeout: 1",
        "timeout: &a 1",
        "timeout: !!int 1",
        "q:\n  r: s",
        "hash: |-\n  md5",
        "? hash\n: md5",
    ];
    let servers = [
        "a:1:1",
        "a:11211:1",
        "a:0:1",
        "a:65535:1",
        "a:65536:1",
        "a:1:0",
        "a:1:+1",
        "a:1:-1",
        "a:1:1 n",
        "a:1:1  n",
        "a:1:1 my n",
        "' a:1:1'",
        "/tmp/a:1",
        "/tmp/a:b:1",
        "/tmp/a:1 n",
        "/tmp/a b:1",
        "[::1]:11211:1",
        "::1:11211:1",
        "a:0080:1",
        "a:1",
        "a",
        "''",
        "a::1",
        "\"a:1:1\\tn\"",
        "a:1:1 n:x",
        "~",
        "x: y",
        "- a:1:1",
        "a:1:x",
        "a:x:1",
        "'a:1: 1'",
    ];
    let whole = [
        pool("", &["a:1:1", "a:1:2"]),
        pool("", &["a:1:1 n", "b:1:1 n"]),
        pool("", &["a:1:1 n", "a:1:1 m"]),
        pool("", &[]),
        format!("---\n{}", pool("", &["a:1:1"])),
        format!("{}...\n", pool("", &["a:1:1"])),
        format!("%YAML 1.1\n{}", pool("", &["a:1:1"])),
        format!("# c\n{}", pool("", &["a:1:1"])),
        "p:\n  servers:\n  - a:1:1\n".into(),
        "p:\n  listen: 127.0.0.1:1\n  servers: [a:1:1]\n".into(),
        "p:\n  listen: 127.0.0.1:1\n  servers: a:1:1\n".into(),
        "p: x\n".into(),
        String::new(),
    ];
    let lines = lines.iter().map(|lines| pool(lines, &["b:2:2"]));
    let servers = servers.iter().map(|server| pool("", &[server]));
    let mut counts = [0, 0];
    for text in lines.chain(servers).chain(whole) {
        let (theirs, ours) = taken(&folder, &text);
        assert_eq!(theirs, ours, "{text}");
        counts[usize::from(theirs)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 25), "{counts:?}");
}
