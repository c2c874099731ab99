//! A Redis server's `CLUSTER KEYSLOT` against ours.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use keyroute_live::{Folder, Fresh, Server, free_ports};
use keyroute_slot_table::redis_slot;

/// Keys that the rule of hash tags treats in different ways.
const TAGGED: [&[u8]; 16] = [
    b"",
    b"{}",
    b"{}{x}",
    b"{a}",
    b"a{b}c",
    b"a{b}c{d}",
    b"{{a}}",
    b"{a",
    b"a}b{c",
    b"}{a}",
    b"a{}b{c}",
    b"{\0}",
    b"{user1000}.following",
    b"{\xff\xfe}tail",
    b"\r\n{\r\n}",
    b"\xd1\x8f{\xd0\xb6}",
];

/// What the server says of these keys, all in one go.
fn key_slots(port: u16, keys: &[Vec<u8>]) -> Vec<u16> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut slots = Vec::new();
    for keys in keys.chunks(500) {
        let mut request = Vec::new();
        for key in keys {
            write!(
                request,
                "*3\r\n$7\r\nCLUSTER\r\n$7\r\nKEYSLOT\r\n${}\r\n",
                key.len()
            )
            .unwrap();
            request.extend_from_slice(key);
            request.extend_from_slice(b"\r\n");
        }
        stream.write_all(&request).unwrap();
        for _ in keys {
            let answer = answers.next().unwrap().unwrap();
            let slot = answer
                .strip_prefix(':')
                .unwrap_or_else(|| panic!("{answer}"));
            slots.push(slot.parse().unwrap());
        }
    }
    slots
}

#[test]
fn key_slots_are_those_of_a_running_server() {
    let folder = Folder::new("redis");
    let ports = free_ports(2);
    let (port, bus) = (ports[0].to_string(), ports[1].to_string());
    let _server = Server::start(
        "redis-server",
        &[
            "--port",
            &port,
            "--bind",
            "127.0.0.1",
            "--cluster-enabled",
            "yes",
            "--cluster-port",
            &bus,
            "--save",
            "",
            "--appendonly",
            "no",
            "--loglevel",
            "warning",
            "--dir",
            folder.path().to_str().unwrap(),
        ],
        &ports[..1],
    );

    let mut fresh = Fresh::new();
    let every_byte: Vec<u8> = (0..=255).collect();
    let mut keys: Vec<Vec<u8>> = TAGGED.iter().map(|&key| key.into()).collect();
    for _ in 0..2000 {
        keys.push(fresh.key(&every_byte, 60));
        keys.push(fresh.key(b"{}ab", 12));
    }
    let slots = key_slots(ports[0], &keys);
    for (key, slot) in keys.iter().zip(slots) {
        assert_eq!(redis_slot(key), slot, "key {key:x?}");
    }
}
