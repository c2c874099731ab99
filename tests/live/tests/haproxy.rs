//! A running HAProxy against the preset, and against the command, which reads HAProxy's own configuration. Debian's
//! 2.6 has neither `hash-key` nor the ring of 3.0 to 3.2; the test `installed` says what whichever version there is
//! lacks.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use keyroute_cli::config::Source;
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

/// What is sent in requests that a configuration is asked with, made of fresh keys.
#[derive(Clone, Copy)]
enum Sent {
    /// Targets; these are the keys.
    Target,
    /// Values of the header `x-key`, with commas and blanks.
    Header,
    /// IP addresses of both kinds, in that header.
    Address,
    /// Numbers, in that header.
    Number,
}

impl Sent {
    fn key(self, fresh: &mut Fresh) -> Vec<u8> {
        match self {
            Self::Target => {
                let mut target = b"/".to_vec();
                target.extend(fresh.key(b"/?ab=&cdef", 24));
                target
            }
            Self::Header => {
                let mut value = b"k".to_vec();
                value.extend(fresh.key(b"abc123 ,", 24));
                value.push(b'k');
                value
            }
            Self::Address => {
                let octet = |fresh: &mut Fresh| fresh.below(256);
                let address = if fresh.below(2) == 0 {
                    let octets = [(); 4].map(|()| octet(fresh).to_string());
                    octets.join(".")
                } else {
                    let words = [(); 8].map(|()| format!("{:x}", octet(fresh) << 8 | octet(fresh)));
                    words.join(":")
                };
                address.into_bytes()
            }
            Self::Number => {
                let sign = if fresh.below(2) == 0 { "-" } else { "" };
                format!("{sign}{}", fresh.below(1 << 31)).into_bytes()
            }
        }
    }
}

/// Gives HAProxy a file of these lines of `defaults` and of a backend, in which `PORT` is the origin's; reads the
/// same file as the command does, and compares where fresh keys go.
fn compare_file(name: &str, sent: Sent, defaults: &str, backend: &str) {
    let origin = Origin::start();
    let folder = Folder::new(&format!("haproxy-file-{name}"));
    let port = free_ports(1)[0];
    let text = format!(
        "global\n  nbthread 1\n  setenv WEIGHT 3\n\
         defaults\n  mode http\n  timeout connect 5s\n  timeout client 60s\n  timeout server 60s\n{defaults}\n\
         frontend f\n  bind 127.0.0.1:{port}\n  http-request set-src req.hdr(x-key)\n  default_backend b\n\
         backend b\n{backend}\nbackend other\n  server s1 127.0.0.1:1\n"
    );
    let text = text.replace("PORT", &origin.port().to_string());
    let config = folder.path().join("haproxy.cfg");
    fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();
    let _haproxy = Program::start("haproxy", &["-db", "-f", config], &[port]);

    let system = if Haproxy::installed().has(Feature::IdsHashedTwice) {
        "haproxy-3.0"
    } else {
        "haproxy"
    };
    let source: Source = format!("{system}:{config}#b").parse().unwrap();
    let configuration = source.read().unwrap();
    let router = configuration.router.build(&configuration.nodes).unwrap();
    let mut client = Client::new(port);
    let mut fresh = Fresh::new();
    let mut answers = BTreeSet::new();
    for _ in 0..KEYS {
        let key = sent.key(&mut fresh);
        let address = match sent {
            Sent::Target => client.ask(&key, b"1.2.3.4"),
            Sent::Header | Sent::Address | Sent::Number => client.ask(b"/", &key),
        };
        // A server's address ends with the number in its name.
        let name = router.router().route_id(&key).unwrap().as_str();
        let number = name.trim_start_matches(|character: char| !character.is_ascii_digit());
        let shown = String::from_utf8_lossy(&key);
        assert_eq!(
            address,
            format!("127.45.0.{number}"),
            "{source}: key {shown:?}"
        );
        answers.insert(address);
    }
    assert_eq!(answers.len(), configuration.nodes.len());
}

#[test]
fn the_command_reads_rings_as_haproxy_does() {
    let backend = "  balance uri depth 3 len 12 whole\n  hash-type consistent djb2 avalanche\n\
                   # server s9 127.45.0.9:PORT\n  option httpchk\n\
                   \x20 server s1 127.45.0.1:PORT weight \"$WEIGHT\"\n\
                   \x20 server s2 127.45.0.2:PORT id 9 #weight 9\n\
                   \x20 default-server weight 2 inter 3s\n\
                   \x20 server 's3' \"127.45.0.3\":PORT\n\
                   \x20 server s4 127.45.0.4:PORT disabled\n\
                   \x20 server s5 127.45.0.5:PORT backup weight 9\n\
                   \x20 server-template s 6-8 127.45.0.1:PORT disabled weight \"${NOWHERE-5}\" id 3\n\
                   \x20 server s10 127.45.0.10:PORT weight 1 id 2\n\
                   \x20 server s11 127.45.0.11:PORT";
    compare_file("ring", Sent::Target, "", backend);
    let plain = "  server s1 127.45.0.1:PORT\n  server s2 127.45.0.2:PORT weight 30\n  server s3 127.45.0.3:PORT";
    let defaults = "  balance uri\n  hash-type consistent\n  default-server weight 20";
    compare_file("defaults", Sent::Target, defaults, plain);
}

#[test]
fn the_command_reads_maps_as_haproxy_does() {
    // A backup counts when weights are divided by what they have in common.
    let backend = "  server s1 127.45.0.1:PORT weight 4\n  server s2 127.45.0.2:PORT weight 8\n\
                   \x20 server s3 127.45.0.3:PORT weight 6 backup\n  server s4 127.45.0.4:PORT weight 12\n\
                   \x20 server s5 127.45.0.5:PORT weight 0\n  server s6 127.45.0.6:PORT weight 20 disabled";
    for (balance, hash_type) in [
        ("uri", "map-based"),
        ("uri depth 1", "map-based wt6 avalanche"),
    ] {
        let defaults = format!("  balance {balance}\n  hash-type {hash_type}");
        compare_file("map", Sent::Target, &defaults, backend);
    }
    let backups = "  balance uri\n  option allbackups\n  server s1 127.45.0.1:PORT disabled\n\
                   \x20 server s2 127.45.0.2:PORT backup weight 2\n  server s3 127.45.0.3:PORT backup";
    compare_file("backups", Sent::Target, "", backups);
    let first = backups.replace("option allbackups", "no option allbackups");
    compare_file("backup", Sent::Target, "  option allbackups", &first);
}

#[test]
fn the_command_reads_keys_as_haproxy_does() {
    let servers = "  server s1 127.45.0.1:PORT\n  server s2 127.45.0.2:PORT weight 2\n  server s3 127.45.0.3:PORT\n\
                   \x20 server s4 127.45.0.4:PORT weight 3";
    for (sent, balance, hash_type) in [
        (Sent::Header, "hdr(x-key)", "consistent"),
        (Sent::Address, "source", "consistent"),
        (Sent::Address, "source", "map-based djb2"),
        (Sent::Address, "source", "map-based sdbm avalanche"),
        (Sent::Address, "hash src", "consistent"),
        (Sent::Address, "hash src", "map-based djb2"),
        (
            Sent::Number,
            "hash req.hdr_val(x-key)",
            "consistent djb2 avalanche",
        ),
        (Sent::Target, "hash url", "consistent wt6"),
    ] {
        let lines = format!("  balance {balance}\n  hash-type {hash_type}\n{servers}");
        compare_file("keys", sent, "", &lines);
    }
}
