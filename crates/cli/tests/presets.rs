//! The presets of other systems under the names that the command has for them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use common::{file, keyroute};
use keyroute::hash::{Crc32, Fnv1a64};
use keyroute::{Node, Router, VectorRing, Weight};
use keyroute_interop::hash::{MemcachedHash, SpyHash};
use keyroute_interop::{
    GoKetama, GoMpchash, GoRedisRing, GoRendezvous, GoZero, Groupcache, HashFunc1, Hashring,
    HashringValue, Lafikl, PingoraKetama, PyMemcache, Serialx, Serialx2019, SerialxHash, Stathat,
    dalli, envoy, haproxy, hash_ring, libmemcached, nginx, node_hashring, pecl_memcache,
    spymemcached, twemproxy, uhashring,
};
use serde_json::Value;

/// Not in the order of their names.
const EQUAL: [(&str, u32); 5] = [
    ("10.0.0.4:8080", 1),
    ("10.0.0.1:8080", 1),
    ("10.0.0.5:8080", 1),
    ("10.0.0.2:8080", 1),
    ("10.0.0.3:8081", 1),
];

const WEIGHTED: [(&str, u32); 5] = [
    ("10.0.0.4:8080", 1),
    ("10.0.0.1:8080", 3),
    ("10.0.0.5:8080", 1),
    ("10.0.0.2:8080", 2),
    ("10.0.0.3:8081", 1),
];

const KEYS: &str = "--keys-pattern user:{} --count 500";

type Servers = [(&'static str, u32)];

fn fleet(servers: &Servers) -> String {
    let lines: String = servers
        .iter()
        .map(|(id, weight)| format!("{id}\t{weight}\n"))
        .collect();
    file("servers", lines)
}

fn nodes(servers: &Servers) -> Vec<Node> {
    let node = |&(id, weight): &(&str, u32)| {
        Node::new(id)
            .unwrap()
            .with_weight(Weight::new(weight).unwrap())
    };
    servers.iter().map(node).collect()
}

/// The servers' lines, as a configuration has them.
fn lines<T>(servers: &Servers, read: impl Fn(&str, u32) -> T) -> Vec<T> {
    servers
        .iter()
        .map(|&(id, weight)| read(id, weight))
        .collect()
}

fn haproxy(method: &str, servers: &Servers, hashed_twice: bool) -> Box<dyn Router> {
    let servers = lines(servers, |id, weight| {
        let line = format!("{id} {id} weight {weight}");
        let server: haproxy::Server = line.parse().unwrap();
        if hashed_twice {
            server.with_id_hashed_twice()
        } else {
            server
        }
    });
    Box::new(haproxy::Backend::new(method.parse().unwrap(), servers).unwrap())
}

fn envoy(servers: &Servers) -> envoy::Cluster {
    let hosts = lines(servers, |id, weight| {
        envoy::Host::new(id).unwrap().with_weight(weight).unwrap()
    });
    envoy::Cluster::new(hosts).unwrap()
}

/// The presets that have weights, or ignore them.
fn with_weights(servers: &Servers) -> BTreeMap<&'static str, Box<dyn Router>> {
    let nginx = || {
        lines(servers, |id, weight| {
            format!("{id} weight={weight}").parse().unwrap()
        })
    };
    let twemproxy = || {
        lines(servers, |id, weight| {
            twemproxy::server(&format!("{id}:{weight}")).unwrap()
        })
    };
    let dalli = lines(servers, |id, weight| {
        dalli::server(&format!("{id}:{weight}")).unwrap()
    });
    let one = MemcachedHash::OneAtATime;
    let pecl = pecl_memcache::KeyHash::default;
    let all: [(&str, Box<dyn Router>); 28] = [
        (
            "nginx-consistent",
            Box::new(nginx::Consistent::new(nginx()).unwrap()),
        ),
        (
            "nginx-modulo",
            Box::new(nginx::Modulo::new(nginx()).unwrap()),
        ),
        ("haproxy-consistent", haproxy("consistent", servers, false)),
        (
            "haproxy-consistent-3.0",
            haproxy("consistent", servers, true),
        ),
        ("haproxy-map-based", haproxy("map-based", servers, false)),
        (
            "envoy-ring-hash",
            Box::new({
                let (sizes, xx) = (envoy::RingSizes::default(), envoy::HashFunction::XxHash);
                envoy::RingHash::new(&envoy(servers), sizes, xx).unwrap()
            }),
        ),
        (
            "envoy-maglev",
            Box::new(envoy::Maglev::new(&envoy(servers), 65_537).unwrap()),
        ),
        (
            "twemproxy-ketama",
            Box::new({
                let hash = twemproxy::KeyHash::named("fnv1a_64").unwrap();
                twemproxy::ketama(hash, twemproxy()).unwrap()
            }),
        ),
        (
            "twemproxy-modula",
            Box::new({
                let hash = twemproxy::KeyHash::named("fnv1a_64").unwrap();
                twemproxy::Modula::of_servers(hash, twemproxy()).unwrap()
            }),
        ),
        (
            "libmemcached-ketama",
            Box::new(libmemcached::ketama(one, nodes(servers)).unwrap()),
        ),
        (
            "libmemcached-ketama-weighted",
            Box::new(libmemcached::ketama_weighted(nodes(servers)).unwrap()),
        ),
        (
            "libmemcached-modula",
            Box::new(libmemcached::Modula::of_servers(one, nodes(servers)).unwrap()),
        ),
        (
            "spymemcached-ketama",
            Box::new(spymemcached::ketama(SpyHash::Ketama, nodes(servers)).unwrap()),
        ),
        (
            "spymemcached-ketama-weighted",
            Box::new(spymemcached::weighted_ketama(SpyHash::Ketama, nodes(servers)).unwrap()),
        ),
        (
            "spymemcached-array-mod",
            Box::new(spymemcached::ArrayMod::of_nodes(SpyHash::Native, nodes(servers)).unwrap()),
        ),
        (
            "dalli",
            Box::new(dalli::ring(dalli::KeyManager::default(), dalli).unwrap()),
        ),
        (
            "pecl-memcache-consistent",
            Box::new(pecl_memcache::Consistent::of_servers(pecl(), nodes(servers)).unwrap()),
        ),
        (
            "pecl-memcache-standard",
            Box::new(pecl_memcache::Standard::of_servers(pecl(), nodes(servers)).unwrap()),
        ),
        (
            "uhashring",
            Box::new(
                VectorRing::from_nodes_with(uhashring::Meta::default(), nodes(servers)).unwrap(),
            ),
        ),
        (
            "uhashring-ketama",
            Box::new(
                VectorRing::from_nodes_with(uhashring::Ketama::default(), nodes(servers)).unwrap(),
            ),
        ),
        (
            "node-hashring",
            Box::new({
                let scheme = node_hashring::HashRing::default();
                VectorRing::from_nodes_with(scheme, nodes(servers)).unwrap()
            }),
        ),
        (
            "hash_ring",
            Box::new(VectorRing::from_nodes_with(hash_ring::HashRing, nodes(servers)).unwrap()),
        ),
        (
            "pingora-ketama-v1",
            Box::new(PingoraKetama::v1(servers.iter().copied()).unwrap()),
        ),
        (
            "pingora-ketama-v2",
            Box::new(PingoraKetama::v2(160, servers.iter().copied()).unwrap()),
        ),
        (
            "serialx",
            Box::new(Serialx::weighted(SerialxHash::Md5, nodes(servers)).unwrap()),
        ),
        (
            "serialx-2019",
            Box::new(VectorRing::from_nodes_with(Serialx2019, nodes(servers)).unwrap()),
        ),
        (
            "go-ketama",
            Box::new(GoKetama::continuum(HashFunc1, servers.iter().copied()).unwrap()),
        ),
        // Its weights are fields of nodes here too.
        (
            "libketama",
            Box::new(keyroute::Ketama::libketama(nodes(servers)).unwrap()),
        ),
    ];
    all.into_iter().collect()
}

/// The presets that have no weights.
fn without_weights() -> BTreeMap<&'static str, Box<dyn Router>> {
    let names = || EQUAL.map(|(id, _)| id);
    let mut go_zero = GoZero::new(100).unwrap();
    for name in names() {
        go_zero.add(name).unwrap();
    }
    let all: [(&str, Box<dyn Router>); 9] = [
        (
            "pymemcache",
            Box::new(PyMemcache::from_servers(0, names()).unwrap()),
        ),
        (
            "hashring-rs",
            Box::new(Hashring::ring(HashringValue::Text, nodes(&EQUAL)).unwrap()),
        ),
        (
            "groupcache",
            Box::new(Groupcache::ring(Crc32, 50, names()).unwrap()),
        ),
        (
            "stathat",
            Box::new(Stathat::new(Crc32, 20, names()).unwrap()),
        ),
        ("lafikl", Box::new(Lafikl::new(names()).unwrap())),
        ("go-zero", Box::new(go_zero)),
        (
            "go-redis-ring",
            Box::new(GoRedisRing::from_names(names()).unwrap()),
        ),
        (
            "go-mpchash",
            Box::new(GoMpchash::from_names(21, [1, 2], names()).unwrap()),
        ),
        (
            "go-rendezvous",
            Box::new(GoRendezvous::from_names(Fnv1a64, names()).unwrap()),
        ),
    ];
    all.into_iter().collect()
}

/// The names that `keyroute strategies` lists as presets.
fn listed() -> Vec<String> {
    let output = keyroute("strategies").ok();
    let mut lines = output.lines().skip_while(|line| !line.is_empty()).skip(1);
    assert!(lines.next().unwrap().starts_with("Presets"));
    let name = |line: &str| {
        assert!(line.starts_with("  "), "{line}");
        line.split_whitespace().next().unwrap().to_owned()
    };
    lines.map(name).collect()
}

fn answers_as(name: &str, servers: &Servers, router: &dyn Router) {
    let args = format!("--fleet {} --strategy {name}", fleet(servers));
    let print = keyroute(&format!("fingerprint {args}")).ok();
    assert_eq!(print, format!("{}\n", router.fingerprint()), "{name}");
    let routed = keyroute(&format!("route {args} {KEYS}")).ok();
    assert_eq!(routed.lines().count(), 500, "{name}");
    for line in routed.lines() {
        let (key, owner) = line.split_once('\t').unwrap();
        assert_eq!(
            router.route_id(key.as_bytes()).unwrap(),
            owner,
            "{name} {key}"
        );
    }
}

#[test]
fn each_answers_as_the_librarys_preset() {
    let mut known: BTreeSet<String> = listed().into_iter().collect();
    assert_eq!(known.len(), listed().len());
    for servers in [&EQUAL, &WEIGHTED] {
        for (name, router) in with_weights(servers) {
            answers_as(name, servers, &*router);
            known.remove(name);
        }
    }
    for (name, router) in without_weights() {
        answers_as(name, &EQUAL, &*router);
        known.remove(name);
        let refused = keyroute(&format!(
            "route --fleet {} -s {name} {KEYS}",
            fleet(&WEIGHTED)
        ));
        let message = refused.refused();
        for part in ["node \"10.0.0.1:8080\" has weight 3", "give it weight 1"] {
            assert!(message.contains(part), "{message}");
        }
    }
    assert!(known.is_empty(), "{known:?}");
}

/// A name stands for one rule for ever: its fingerprint of one fleet is written down.
const FINGERPRINTS: &str = include_str!("data/preset-fingerprints.txt");

#[test]
fn names_and_fingerprints_are_those_written_down_and_no_two_are_alike() {
    let fleet = fleet(&EQUAL);
    let print = |name: &String| {
        let print = keyroute(&format!("fingerprint --fleet {fleet} -s {name}")).ok();
        format!("{name}\t{print}")
    };
    let found: Vec<String> = listed().iter().map(print).collect();
    assert_eq!(found.concat(), FINGERPRINTS);
    let prints: BTreeSet<&str> = FINGERPRINTS
        .lines()
        .map(|line| line.split_once('\t').unwrap().1)
        .collect();
    assert_eq!(prints.len(), found.len());
}

#[test]
fn the_hash_that_is_shown_is_the_routers() {
    let fleet = fleet(&EQUAL);
    let output = keyroute(&format!(
        "compare --no-timing --format json --fleet {fleet} --strategies presets --add 10.0.0.9:1 {KEYS}"
    ));
    let document: Value = serde_json::from_str(&output.ok()).unwrap();
    for strategy in document["strategies"].as_array().unwrap() {
        let [name, hash] = ["strategy", "hash"].map(|field| strategy[field].as_str().unwrap());
        let long = keyroute(&format!("fingerprint --long --fleet {fleet} -s {name}")).ok();
        let hasher = long.lines().find_map(|line| line.strip_prefix("hasher: "));
        match hasher {
            Some(hasher) => assert!(
                hasher.starts_with(hash) || hasher.contains(hash),
                "{name}: {hasher}"
            ),
            // Scores of a node and a key together, and rules that have no other hash.
            None => assert!(
                ["envoy-maglev", "go-mpchash", "nginx-modulo", "pymemcache"].contains(&name),
                "{name}: {long}"
            ),
        }
    }
}

fn compared(args: &str) -> Vec<String> {
    let output = keyroute(&format!("compare --no-timing --format csv {args} {KEYS}")).ok();
    let mut names: Vec<String> = csv::Reader::from_reader(output.as_bytes())
        .records()
        .map(|row| row.unwrap()[0].to_owned())
        .collect();
    names.dedup();
    names
}

#[test]
fn presets_are_compared_when_they_are_named() {
    let presets = listed();
    for args in ["", "--strategies all"] {
        let names = compared(args);
        assert!(!names.iter().any(|name| presets.contains(name)), "{args}");
    }
    assert_eq!(compared("--strategies presets"), presets);
    let two = compared("--strategies go-ketama,ketama,go-ketama");
    assert_eq!(two, ["go-ketama", "ketama"]);
    // A file's own is compared beside ours.
    let own = file(
        "own.toml",
        "[router]\nstrategy = \"hash_ring\"\n[[nodes]]\nid = \"a\"\n",
    );
    let with_own = compared(&format!("--fleet {own} --add b"));
    assert_eq!(with_own.len(), compared("").len() + 1);
    assert_eq!(with_own.last().unwrap(), "hash_ring");
}

fn needless(args: &str) -> u64 {
    let output = keyroute(&format!("compare --no-timing --format json {args}")).ok();
    let document: Value = serde_json::from_str(&output).unwrap();
    let movement = &document["strategies"][0]["changes"][0]["movement"];
    movement["needless"].as_u64().unwrap()
}

#[test]
fn weighted_ketama_moves_keys_between_servers_that_stay_and_that_is_shown() {
    let args = format!(
        "--fleet {} --add 10.0.0.9:8080=2 --keys-pattern user:{{}} --count 10000 --strategies",
        fleet(&WEIGHTED)
    );
    let ketama = format!("{args} libmemcached-ketama-weighted");
    let moved = needless(&ketama);
    assert!((100..1000).contains(&moved), "{moved}");
    let table = keyroute(&format!("compare --no-timing {ketama}")).ok();
    let row = table
        .lines()
        .skip_while(|line| !line.starts_with("Change 1"))
        .find(|line| line.contains("libmemcached-ketama-weighted"))
        .unwrap();
    let share = format!("{}.{:02} %", moved / 100, moved % 100);
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[5..7].join(" "), share, "{row}");
    // Points that follow from one server alone stay.
    assert_eq!(needless(&format!("{args} pingora-ketama-v1")), 0);
}

#[test]
fn haproxys_ids_are_places_so_that_a_line_less_in_the_middle_moves_others() {
    let args = |id| {
        format!(
            "--fleet {} --remove {id} --strategies haproxy-consistent {KEYS}",
            fleet(&EQUAL)
        )
    };
    assert!(needless(&args("10.0.0.1:8080")) > 100);
    assert_eq!(needless(&args("10.0.0.3:8081")), 0); // the last
}

#[test]
fn stathat_takes_shared_points_away_with_either_element() {
    // Point 1d of "a" is point 1 of "da": "a", listed later, has all ten, and loses them.
    let digits: String = (0..10).map(|digit| format!("{digit}a\n")).collect();
    let servers = file("elements", format!("{digits}a\nx\ny\n"));
    let leave: String = (0..10).map(|digit| format!(" --remove {digit}a")).collect();
    let args =
        format!("--fleet {servers}{leave} --keys-pattern user:{{}} --count 2000 --strategies");
    assert!(needless(&format!("{args} stathat")) > 20);
    assert_eq!(needless(&format!("{args} groupcache")), 0);
    for (change, part) in [
        ("--add x", "already a member"),
        ("--remove z", "not a member"),
        ("--reweight x=2", "has no weights"),
    ] {
        let run = keyroute(&format!(
            "compare --no-timing --fleet {servers} {change} --strategies stathat {KEYS}"
        ));
        let output = [run.stdout, run.stderr.into_bytes()].concat();
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains(part), "{output}");
    }
}

#[test]
fn ids_that_a_system_would_hash_as_another_text_are_refused() {
    for (id, names, part) in [
        ("cache-1", "dalli pymemcache", "give HOST:PORT"),
        (
            "cache-1",
            "spymemcached-ketama spymemcached-ketama-weighted spymemcached-array-mod \
             pecl-memcache-consistent pecl-memcache-standard",
            "has no port",
        ),
        ("cache-1:70000", "pecl-memcache-standard", "has no port"),
        (
            "cache-1:11211",
            "twemproxy-ketama twemproxy-modula",
            "the host alone",
        ),
        ("/run/a.sock", "twemproxy-ketama", "a colon"),
        ("[::1]:11211", "dalli pymemcache", "give HOST:PORT"),
        ("cache-1:1:3", "dalli", "give HOST:PORT"),
        (
            "cache-1",
            "pingora-ketama-v1 pingora-ketama-v2",
            "no socket address",
        ),
        ("a down", "nginx-consistent nginx-modulo", "one word"),
        (
            "a disabled",
            "haproxy-consistent haproxy-consistent-3.0 haproxy-map-based",
            "one word",
        ),
        (
            "a:70000",
            "libmemcached-ketama libmemcached-ketama-weighted",
            "16 bits",
        ),
    ] {
        let fleet = file("one", format!("{id}\n"));
        for name in names.split_whitespace() {
            let message = keyroute(&format!("fingerprint --fleet {fleet} -s {name}")).refused();
            assert!(
                message.contains(part) && message.contains(&format!("{id:?}")),
                "{message}"
            );
        }
        // It is measured as a refusal beside others.
        let name = names.split_whitespace().next().unwrap();
        let table = keyroute(&format!(
            "compare --no-timing --fleet {fleet} --add other:1 --strategies {name},modulo {KEYS}"
        ));
        let table = table.ok();
        assert!(
            table.contains(&format!("n/a: {name}: node {id:?}")),
            "{table}"
        );
    }
    // As these systems hash them.
    for (id, names) in [
        (
            "cache-1",
            "twemproxy-ketama nginx-consistent libmemcached-ketama envoy-maglev",
        ),
        ("/run/a.sock", "dalli pymemcache libmemcached-ketama"),
        ("/run/a.sock:", "twemproxy-ketama"),
        (
            "cache-1:11211",
            "dalli pymemcache spymemcached-ketama pecl-memcache-standard",
        ),
        ("::1:11211", "dalli pymemcache"),
    ] {
        let fleet = file("one", format!("{id}\n"));
        for name in names.split_whitespace() {
            keyroute(&format!("fingerprint --fleet {fleet} -s {name}")).ok();
        }
    }
    let heavy = file("heavy", "a\t257\n");
    let message = keyroute(&format!(
        "fingerprint --fleet {heavy} -s haproxy-consistent"
    ))
    .refused();
    assert!(
        message.contains("257") && message.contains("0 to 256"),
        "{message}"
    );
}

/// The needless movement that a change costs each preset, as docs/interop.md writes it.
fn costs(args: &str) -> BTreeMap<String, Vec<String>> {
    let output = keyroute(&format!(
        "compare --no-timing --format json --strategies presets {args}"
    ));
    let document: Value = serde_json::from_str(&output.ok()).unwrap();
    let cost = |change: &Value| {
        let movement = &change["movement"];
        match (movement["needless"].as_u64(), &movement["reason"]) {
            (Some(0), _) => "0".into(),
            (Some(_), _) => {
                let share = movement["needless_share"].as_f64().unwrap();
                format!("{:.2} %", share * 100.0)
            }
            (None, reason) => {
                assert!(reason.as_str().unwrap().contains("no weights"), "{reason}");
                "no weights".into()
            }
        }
    };
    let strategies = document["strategies"].as_array().unwrap().iter();
    let costs = strategies.map(|strategy| {
        let changes = strategy["changes"].as_array().unwrap();
        let name = strategy["strategy"].as_str().unwrap().to_owned();
        (name, changes.iter().map(cost).collect())
    });
    costs.collect()
}

#[test]
fn the_documented_figures_are_those_of_the_documented_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/interop.md");
    let page = std::fs::read_to_string(path).unwrap();
    let ids: Vec<String> = (1..=10).map(|i| format!("10.0.0.{i}:8080")).collect();
    let equal = file("equal", ids.join("\n"));
    let weights = [1, 1, 2, 1, 3, 1, 1, 2, 1, 1];
    let lines: Vec<String> = ids
        .iter()
        .zip(weights)
        .map(|(id, weight)| format!("{id}\t{weight}"))
        .collect();
    let weighted = file("weighted", lines.join("\n"));
    let changes = [
        (equal, "--each --add 10.0.0.11:8080 --remove 10.0.0.5:8080"),
        (weighted, "--add 10.0.0.11:8080=2"),
    ];
    let [both, heavy] = changes.map(|(fleet, changes)| {
        assert!(page.contains(changes), "{changes}");
        costs(&format!("--fleet {fleet} {changes}"))
    });
    let mut rows = 0;
    for name in listed() {
        let row = page
            .lines()
            .find(|line| line.contains(&format!("| `{name}` |")));
        let cells: Vec<&str> = row.unwrap().split('|').map(str::trim).collect();
        let measured = [&both[&name][..], &heavy[&name][..]].concat();
        assert_eq!(cells[4..7], measured, "{name}");
        rows += 1;
    }
    assert_eq!(rows, 36);
}
