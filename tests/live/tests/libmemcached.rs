//! The installed libmemcached against the preset. It is asked by a small C program, `src/libmemcached.c`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashMap;

use keyroute_core::{KeyHasher, Node, Weight};
use keyroute_interop::Router;
use keyroute_interop::hash::MemcachedHash;
use keyroute_interop::libmemcached::{
    Continuum, KeyHash, Modula, ModulaRule, ketama, ketama_weighted, sort_hosts,
};
use keyroute_live::Fresh;
use keyroute_live::libmemcached::{Asker, Questions, SAFE_SERVERS, SIGNED_BYTES};
use keyroute_vector_ring::VectorRing;

const KEYS: usize = 2000;

/// Every hash that the preset takes, in libmemcached's words.
const HASHES: [&str; 10] = [
    "DEFAULT", "MD5", "CRC", "FNV1_64", "FNV1A_64", "FNV1_32", "FNV1A_32", "MURMUR", "JENKINS",
    "MURMUR3",
];

/// A server as it is added, and as the preset knows it.
struct Server {
    host: String,
    /// `None` is a unix socket added with the call for them.
    port: Option<u16>,
    weight: u32,
}

impl Server {
    fn node(&self) -> Node {
        let host = if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        };
        let id = match self.port {
            Some(port) => format!("{host}:{port}"),
            None => host,
        };
        Node::new(id)
            .unwrap()
            .with_weight(Weight::new(self.weight).unwrap())
    }

    fn add(&self, to: &mut Questions) {
        match self.port {
            Some(port) => to.server(&self.host, port, self.weight),
            None => to.socket(&self.host, self.weight),
        }
    }

    /// How the library names it.
    fn answer(&self) -> String {
        format!("{}\t{}", self.host, self.port.unwrap_or(0))
    }
}

/// So many servers with names of every kind, in no order of names.
fn servers(fresh: &mut Fresh, count: usize, heaviest: u32) -> Vec<Server> {
    (0..count)
        .map(|number| {
            let [a, b] = [fresh.below(256), fresh.below(256)];
            let (host, is_socket) = match fresh.below(8) {
                0..=2 => (format!("10.{a}.{b}.{number}"), false),
                3 => (format!("cache-{a}-{number}.example.org"), false),
                4 => (format!("fe80::{a:x}:{number:x}"), false),
                5 => (format!("Größe {a} %-{number}"), false),
                6 => (format!("/run/memcached/{a}-{number}.sock"), false),
                _ => (format!("/run/memcached/{a}-{number}.sock"), true),
            };
            let port = match fresh.below(2) {
                0 => 11211,
                _ => 1 + u16::try_from(fresh.below(65_535)).unwrap(),
            };
            Server {
                host,
                port: (!is_socket).then_some(port),
                weight: 1 + u32::try_from(fresh.below(heaviest.into())).unwrap(),
            }
        })
        .collect()
}

fn nodes(servers: &[Server]) -> Vec<Node> {
    servers.iter().map(Server::node).collect()
}

fn hash(name: &str) -> MemcachedHash {
    let name = name.to_lowercase();
    KeyHash::named(&name).unwrap().hash_function()
}

fn key_hash(name: &str) -> KeyHash {
    KeyHash::new(hash(name)).unwrap()
}

/// Any bytes, where the library's hashes take them as presets do.
fn key(fresh: &mut Fresh) -> Vec<u8> {
    let bytes: Vec<u8> = if SIGNED_BYTES {
        (0..=255).collect()
    } else {
        (0..128).collect()
    };
    // Some are too long to be hashed with a prefix.
    fresh.key(&bytes, 220)
}

/// Questions after these calls, in the order in which they are made: before the servers, and after them.
fn set_up(before: &[&str], servers: &[Server], after: &[&str]) -> Questions {
    let mut questions = Questions::default();
    for call in before {
        questions.set(call);
    }
    for server in servers {
        server.add(&mut questions);
    }
    for call in after {
        questions.set(call);
    }
    questions
}

/// Asks for fresh keys once all is set up, and compares.
fn compare(
    asker: &Asker,
    fresh: &mut Fresh,
    mut questions: Questions,
    servers: &[Server],
    preset: &dyn Router,
) {
    let about = format!("{questions:?}");
    // A key of no bytes is hashed as well.
    let mut keys = vec![Vec::new()];
    keys.extend((1..KEYS).map(|_| key(fresh)));
    for key in &keys {
        questions.key(key);
    }
    let names: HashMap<String, String> = servers
        .iter()
        .map(|server| (server.answer(), server.node().id().to_string()))
        .collect();
    let answers = asker.ask(&questions).unwrap();
    let (said, owners) = answers.split_at(answers.len() - KEYS);
    assert!(said.iter().all(|said| said == "ok"), "{said:?} to {about}");
    for (key, owner) in keys.iter().zip(owners) {
        let ours = preset.route_id(key).unwrap();
        assert_eq!(ours, names[owner].as_str(), "key {key:x?}, {about}");
    }
}

#[test]
fn every_hash_agrees_on_every_key() {
    let asker = Asker::compile("hashes");
    let mut fresh = Fresh::new();
    for name in HASHES {
        let mut keys = vec![Vec::new()];
        keys.extend((1..KEYS).map(|_| key(&mut fresh)));
        let mut questions = Questions::default();
        for key in &keys {
            questions.value(name, key);
        }
        let hash = key_hash(name);
        for (key, value) in keys.iter().zip(asker.ask(&questions).unwrap()) {
            assert_eq!(hash.hash(key).to_string(), value, "{name}, key {key:x?}");
        }
    }
}

#[test]
fn every_hash_agrees_on_every_distribution() {
    let asker = Asker::compile("distributions");
    let mut fresh = Fresh::new();
    for name in HASHES {
        let set_hash = format!("HASH={name}");
        let hash = hash(name);
        let count = 2 + usize::try_from(fresh.below(60)).unwrap();
        let equal = servers(&mut fresh, count, 1);
        let weighted = servers(&mut fresh, count, 9);

        let modula = Modula::of_servers(hash, nodes(&weighted)).unwrap();
        let questions = set_up(&[&set_hash], &weighted, &[]);
        compare(&asker, &mut fresh, questions, &weighted, &modula);

        for fleet in [&equal, &weighted] {
            let ring = ketama(hash, nodes(fleet)).unwrap();
            let questions = set_up(&[&set_hash, "KETAMA=1"], fleet, &[]);
            compare(&asker, &mut fresh, questions, fleet, &ring);
        }

        // Set once the servers are there, it clears what their weights have turned on.
        let unweighted = Continuum::ketama(hash).unwrap();
        let ring = VectorRing::from_nodes_with(unweighted.clone(), nodes(&weighted)).unwrap();
        let questions = set_up(&[&set_hash], &weighted, &["KETAMA=1"]);
        compare(&asker, &mut fresh, questions, &weighted, &ring);

        let ring = VectorRing::from_nodes_with(unweighted.clone().with_weights(), nodes(&weighted));
        let questions = set_up(
            &[&set_hash, "DISTRIBUTION=CONSISTENT_WEIGHTED"],
            &weighted,
            &[],
        );
        compare(&asker, &mut fresh, questions, &weighted, &ring.unwrap());

        let ring = VectorRing::from_nodes_with(unweighted.clone().spy(), nodes(&equal)).unwrap();
        let questions = set_up(
            &[&set_hash, "DISTRIBUTION=CONSISTENT_KETAMA_SPY"],
            &equal,
            &[],
        );
        compare(&asker, &mut fresh, questions, &equal, &ring);

        let spy = Continuum::ketama_weighted()
            .spy()
            .with_key_hash(key_hash(name));
        let ring = VectorRing::from_nodes_with(spy, nodes(&weighted)).unwrap();
        let calls = [
            "KETAMA_WEIGHTED=1",
            "DISTRIBUTION=CONSISTENT_KETAMA_SPY",
            &set_hash,
        ];
        compare(
            &asker,
            &mut fresh,
            set_up(&calls, &weighted, &[]),
            &weighted,
            &ring,
        );

        // Points stay with the hash of before.
        let late = Continuum::ketama(MemcachedHash::OneAtATime)
            .unwrap()
            .with_key_hash(key_hash(name));
        let ring = VectorRing::from_nodes_with(late, nodes(&equal)).unwrap();
        let questions = set_up(&["KETAMA=1"], &equal, &[&set_hash]);
        compare(&asker, &mut fresh, questions, &equal, &ring);

        let masked = ModulaRule::virtual_bucket(key_hash(name));
        let modula = Modula::new(masked, nodes(&equal)).unwrap();
        let questions = set_up(&[&set_hash, "DISTRIBUTION=VIRTUAL_BUCKET"], &equal, &[]);
        compare(&asker, &mut fresh, questions, &equal, &modula);
    }
}

#[test]
fn weighted_ketama_agrees_at_every_size() {
    let asker = Asker::compile("sizes");
    let mut fresh = Fresh::new();
    // At 25, 47, 50 and 100 servers of one weight, rounding costs each four points.
    for count in [1, 2, 3, 25, 47, 50, 64, SAFE_SERVERS] {
        for heaviest in [1, 3, 1000] {
            let fleet = servers(&mut fresh, count, heaviest);
            let ring = ketama_weighted(nodes(&fleet)).unwrap();
            let questions = set_up(&["KETAMA_WEIGHTED=1"], &fleet, &[]);
            compare(&asker, &mut fresh, questions, &fleet, &ring);
        }
    }
}

#[test]
fn sorted_hosts_agree() {
    let asker = Asker::compile("sorted");
    let mut fresh = Fresh::new();
    let mut fleet = servers(&mut fresh, 20, 5);
    // Hosts of one name, whose ports decide.
    for (port, server) in (9..12).zip(&mut fleet) {
        server.host = "10.9.9.9".into();
        server.port = Some(port);
    }
    let mut sorted = nodes(&fleet);
    sort_hosts(&mut sorted).unwrap();
    let modula = Modula::of_servers(MemcachedHash::OneAtATime, sorted.clone()).unwrap();
    let questions = set_up(&["SORT_HOSTS=1"], &fleet, &[]);
    compare(&asker, &mut fresh, questions, &fleet, &modula);
    // A hash of 15 bits: servers share points, and the order decides.
    let ring = ketama(MemcachedHash::Crc, sorted).unwrap();
    let questions = set_up(&["SORT_HOSTS=1", "HASH=CRC", "KETAMA=1"], &fleet, &[]);
    compare(&asker, &mut fresh, questions, &fleet, &ring);
}

#[test]
fn prefixes_are_hashed_if_that_is_set_only() {
    let asker = Asker::compile("prefixes");
    let mut fresh = Fresh::new();
    let fleet = servers(&mut fresh, 12, 1);
    let long = "p".repeat(100);
    for prefix in ["app:", &long] {
        for hashed in [false, true] {
            let flag = format!("HASH_WITH_PREFIX_KEY={}", u8::from(hashed));
            let mut questions = set_up(&[&flag, "HASH=MD5"], &fleet, &[]);
            questions.prefix(prefix);
            let mut hash = key_hash("MD5");
            if hashed {
                hash = hash.with_prefix(prefix).unwrap();
            }
            let modula = Modula::new(ModulaRule::new(hash), nodes(&fleet)).unwrap();
            compare(&asker, &mut fresh, questions, &fleet, &modula);
        }
    }
}

#[test]
fn larger_rings_agree_or_abort() {
    let asker = Asker::compile("large");
    let mut fresh = Fresh::new();
    let fleet = servers(&mut fresh, 150, 1);
    let questions = set_up(&["KETAMA=1"], &fleet, &[]);
    if asker.has_large_rings() {
        let ring = ketama(MemcachedHash::OneAtATime, nodes(&fleet)).unwrap();
        compare(&asker, &mut fresh, questions, &fleet, &ring);
    } else {
        assert_eq!(asker.ask(&questions), None);
    }
}

#[test]
fn hsiehs_hash_is_compiled_out_as_the_preset_says() {
    assert!(!Asker::compile("hsieh").has_hash("HSIEH"));
    assert!(KeyHash::named("hsieh").is_err());
}
