//! A running twemproxy with memcached behind it against the preset.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

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
        let mut client = Client::new(*proxy);
        let mut stores: Vec<Client> = backends.iter().map(|&port| Client::new(port)).collect();
        let mut fresh = Fresh::new();
        for number in 0..KEYS {
            // Numbers keep keys of different pools apart.
            let mut key = format!("{hash}{distribution}{number}").into_bytes();
            key.extend(fresh.key(KEY_BYTES, 40));
            client.set(&key);
            let owner = preset.route_id(&key).unwrap().as_str();
            let place = ids.iter().position(|id| id == owner).unwrap();
            assert!(
                stores[place].holds(&key),
                "{hash}, {distribution}: {owner} lacks {key:x?}"
            );
        }
    }
}
