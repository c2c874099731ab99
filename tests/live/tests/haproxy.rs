//! A running HAProxy against the preset. Debian's 2.6 has neither `hash-key` nor the ring of 3.0 to 3.2; the test
//! `installed` says what whichever version there is lacks.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::process::Command;

use keyroute_interop::Router;
use keyroute_interop::haproxy::{Backend, HashType, Server, UriPart};
use keyroute_live::haproxy::{Feature, Haproxy};
use keyroute_live::http::{Client, HEADER_BYTES, Origin};
use keyroute_live::{Folder, Fresh, Server as Program, free_ports};

const KEYS: usize = 2000;

/// A file with these lines in its backend.
fn configuration(port: u16, hash_type: &str, balance: &str, servers: &[String]) -> String {
    let lines: String = servers
        .iter()
        .map(|server| format!("  server {server}\n"))
        .collect();
    format!(
        "global\n  nbthread 1\n\
         defaults\n  mode http\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n\
         frontend f\n  bind 127.0.0.1:{port}\n  default_backend b\n\
         backend b\n  balance {balance}\n  hash-type {hash_type}\n{lines}"
    )
}

/// Compares if this version has the feature; if not, sees that it refuses the lines.
fn compare_or_be_refused(feature: Feature, name: &str, hash_type: &str, servers: &[String]) {
    if Haproxy::installed().has(feature) {
        return compare(name, hash_type, "hdr(x-key)", None, servers);
    }
    let folder = Folder::new(&format!("haproxy-refused-{name}"));
    let config = folder.path().join("haproxy.cfg");
    fs::write(&config, configuration(1, hash_type, "hdr(x-key)", servers)).unwrap();
    let output = Command::new("haproxy")
        .args(["-c", "-f", config.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(!output.status.success(), "it has {feature}");
}

/// Sends fresh keys through HAProxy under these lines of a backend, and compares.
fn compare(name: &str, hash_type: &str, balance: &str, uri: Option<UriPart>, servers: &[String]) {
    let folder = Folder::new(&format!("haproxy-{name}"));
    let port = free_ports(1)[0];
    let config = folder.path().join("haproxy.cfg");
    fs::write(&config, configuration(port, hash_type, balance, servers)).unwrap();
    let config = config.to_str().unwrap();
    let _haproxy = Program::start("haproxy", &["-db", "-f", config], &[port]);
    let hashed_twice = Haproxy::installed().has(Feature::IdsHashedTwice);
    let read = servers.iter().map(|line| {
        let server = line.parse::<Server>().unwrap();
        if hashed_twice {
            server.with_id_hashed_twice()
        } else {
            server
        }
    });
    let backend = Backend::new(hash_type.parse::<HashType>().unwrap(), read).unwrap();
    let mut client = Client::new(port);
    let mut fresh = Fresh::new();
    for _ in 0..KEYS {
        // What is hashed, and the header if that is something else.
        let (target, key, header) = match uri {
            None => (b"/".to_vec(), fresh.key(HEADER_BYTES, 40), None),
            Some(part) => {
                let mut target = b"/".to_vec();
                target.extend(fresh.key(b"/?ab=&cdef", 24));
                let key = part.of(&target).to_vec();
                (target, key, Some(b"k".to_vec()))
            }
        };
        let address = client.ask(&target, header.as_deref().unwrap_or(&key));
        let name = backend.route_id(&key).unwrap();
        let server = servers
            .iter()
            .find(|line| line.starts_with(&format!("{name} ")))
            .unwrap();
        let host = server.split([' ', ':']).nth(1).unwrap();
        assert_eq!(host, address, "target {target:x?}, key {key:x?}");
    }
}

fn servers(
    origin: &Origin,
    network: u8,
    count: u8,
    parameters: impl Fn(u8) -> String,
) -> Vec<String> {
    let port = origin.port();
    (1..=count)
        .map(|host| format!("s{host} 127.{network}.0.{host}:{port} {}", parameters(host)))
        .collect()
}

#[test]
fn every_function_agrees_on_a_ring() {
    let origin = Origin::start();
    let lines = servers(&origin, 41, 12, |host| match host {
        3 => "weight 5 disabled".into(),
        5 => "id 300".into(),
        7 => "id 2 weight 9".into(),
        9 => "weight 0".into(),
        host => format!("weight {}", 1 + host % 3),
    });
    for function in [
        "",
        "sdbm",
        "djb2",
        "wt6",
        "crc32",
        "djb2 avalanche",
        "wt6 avalanche",
        "crc32 avalanche",
    ] {
        let hash_type = format!("consistent {function}");
        compare("ring", hash_type.trim(), "hdr(x-key)", None, &lines);
    }
}

#[test]
fn a_map_agrees() {
    let origin = Origin::start();
    let lines = servers(&origin, 42, 9, |host| match host {
        2 => "weight 6 disabled".into(),
        host => format!("weight {}", 2 * (1 + host % 4)),
    });
    for hash_type in ["map-based", "map-based crc32", "map-based wt6 avalanche"] {
        compare("map", hash_type, "hdr(x-key)", None, &lines);
    }
}

#[test]
fn parts_of_the_target_agree() {
    let origin = Origin::start();
    let lines = servers(&origin, 43, 10, |host| format!("weight {}", 1 + host % 3));
    let all = UriPart::default();
    for (balance, part) in [
        ("uri", all),
        ("uri whole", UriPart { whole: true, ..all }),
        ("uri len 9", UriPart { length: 9, ..all }),
        ("uri depth 2", UriPart { depth: 2, ..all }),
        (
            "uri whole len 12 depth 3",
            UriPart {
                whole: true,
                length: 12,
                depth: 3,
                ..all
            },
        ),
    ] {
        compare("uri", "consistent", balance, Some(part), &lines);
    }
}

#[test]
fn what_later_versions_have_agrees_or_is_refused() {
    let origin = Origin::start();
    let lines = |parameter: fn(u8) -> String| {
        servers(&origin, 44, 10, |host| {
            format!("weight {} {}", 1 + host % 3, parameter(host))
        })
    };
    for (feature, lines) in [
        (Feature::HashKeyOfAddress, lines(|_| "hash-key addr".into())),
        (
            Feature::HashKeyOfAddress,
            lines(|_| "hash-key addr-port".into()),
        ),
        (
            Feature::HashKeyOfId32OrGuid,
            lines(|_| "hash-key id32".into()),
        ),
        (
            Feature::HashKeyOfId32OrGuid,
            lines(|host| format!("hash-key guid guid g-{host}")),
        ),
    ] {
        compare_or_be_refused(feature, "hash-key", "consistent", &lines);
    }
    let plain = lines(|_| String::new());
    compare_or_be_refused(
        Feature::KeysAsNumbers,
        "none",
        "consistent none avalanche",
        &plain,
    );
}
