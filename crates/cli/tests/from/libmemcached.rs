//! `libmemcached:OPTIONS`. That the library takes and refuses the same is tested live.

use keyroute::{Node, Weight};
use keyroute_interop::Router;
use keyroute_interop::VectorRing;
use keyroute_interop::hash::MemcachedHash;
use keyroute_interop::libmemcached::{Continuum, KeyHash, Modula, ModulaRule, ketama};

use super::common::{Run, file, with_args};

const SERVERS: &str = "--SERVER=10.0.0.1 --SERVER=10.0.0.2:11212 --SERVER=cache-3.example/?3";

fn nodes() -> Vec<Node> {
    let third = Node::new("cache-3.example").unwrap();
    vec![
        Node::new("10.0.0.1").unwrap(),
        Node::new("10.0.0.2:11212").unwrap(),
        third.with_weight(Weight::new(3).unwrap()),
    ]
}

fn run(options: &str) -> Run {
    let from = format!("libmemcached:{options}");
    with_args(&[
        "route",
        "--from",
        &from,
        "--keys-pattern",
        "k{}",
        "--count",
        "500",
    ])
}

/// That the options route as the preset does.
fn agree(options: &str, preset: &dyn Router) {
    let answers = run(options).ok();
    assert_eq!(answers.lines().count(), 500);
    for line in answers.lines() {
        let (key, node) = line.split_once('\t').unwrap();
        assert_eq!(
            preset.route_id(key.as_bytes()).unwrap(),
            node,
            "{options}: {key}"
        );
    }
}

#[test]
fn modula_is_the_default() {
    let modula = Modula::of_servers(MemcachedHash::OneAtATime, nodes()).unwrap();
    agree(SERVERS, &modula);
    agree(&format!("--DISTRIBUTION=modula {SERVERS}"), &modula);
    let crc = Modula::of_servers(MemcachedHash::Crc, nodes()).unwrap();
    agree(&format!("--hash=CRC {SERVERS}"), &crc);
}

#[test]
fn the_order_of_options_counts() {
    let weighted = ketama(MemcachedHash::OneAtATime, nodes()).unwrap();
    agree(&format!("--DISTRIBUTION=consistent {SERVERS}"), &weighted);
    let md5 = ketama(MemcachedHash::Md5, nodes()).unwrap();
    agree(
        &format!("--HASH=MD5 --DISTRIBUTION=consistent {SERVERS}"),
        &md5,
    );
    // Set after the servers, it forgets their weights…
    let continuum = Continuum::ketama(MemcachedHash::OneAtATime).unwrap();
    let plain = VectorRing::from_nodes_with(continuum.clone(), nodes()).unwrap();
    agree(&format!("{SERVERS} --DISTRIBUTION=consistent"), &plain);
    let again = format!("--DISTRIBUTION=consistent {SERVERS} --DISTRIBUTION=consistent");
    agree(&again, &plain);
    // …and a hash after it leaves the points.
    let late = continuum.with_key_hash(KeyHash::new(MemcachedHash::Md5).unwrap());
    let late = VectorRing::from_nodes_with(late, nodes()).unwrap();
    agree(
        &format!("{SERVERS} --DISTRIBUTION=consistent --HASH=MD5"),
        &late,
    );
}

#[test]
fn namespaces_count_if_told_so() {
    let hash = KeyHash::named("default").unwrap();
    let plain = Modula::new(ModulaRule::new(hash.clone()), nodes()).unwrap();
    agree(&format!("{SERVERS} --NAMESPACE=app1"), &plain);
    let prefixed = hash.with_prefix("app:").unwrap();
    let prefixed = Modula::new(ModulaRule::new(prefixed), nodes()).unwrap();
    agree(
        &format!("{SERVERS} --HASH-WITH-NAMESPACE --NAMESPACE=\"app:\""),
        &prefixed,
    );
}

#[test]
fn files_hold_lines_of_options() {
    let lines = SERVERS.replace(' ', "\n");
    let path = file("options", format!("# servers\n\n{lines}\n--HASH=CRC\n"));
    let crc = Modula::of_servers(MemcachedHash::Crc, nodes()).unwrap();
    agree(&format!("--CONFIGURE-FILE=\"{path}\""), &crc);
    agree(
        &format!("--SERVER=lost RESET INCLUDE \"{path}\" END --SERVER=more"),
        &crc,
    );
    let circle = file("circle", "");
    let again = file("circle", format!("INCLUDE \"{circle}\""));
    let said = run(&format!("INCLUDE \"{again}\"")).refused();
    assert!(said.contains("include one another over 16 deep"), "{said}");
}

#[test]
fn what_counts_elsewhere_is_said() {
    let run = run(&format!(
        "{SERVERS} --TCP-NODELAY --NUMBER-OF-REPLICAS=2 --REMOVE-FAILED-SERVERS=1 \
         --DISTRIBUTION=consistent,MD5 --SOCKET=\"/tmp/s/?2\""
    ));
    for note in [
        "--TCP-NODELAY changes no key's server",
        "--NUMBER-OF-REPLICAS=2: replicas go to",
        "--REMOVE-FAILED-SERVERS=1: counts only while",
        "consistent,MD5: the library never asks this hash",
        "takes all of it for the path",
    ] {
        assert!(run.stderr.contains(note), "{note}: {}", run.stderr);
    }
    run.ok();
    let many: Vec<String> = (0..101).map(|i| format!("--SERVER=10.0.0.{i}")).collect();
    let run = self::run(&format!("--DISTRIBUTION=consistent {}", many.join(" ")));
    assert!(
        run.stderr.contains("Debian's build of 1.1.4 aborts"),
        "{}",
        run.stderr
    );
    run.ok();
}

#[test]
fn refusals_name_the_option() {
    for (options, says) in [
        ("", "there are no options"),
        ("--TCP-NODELAY", "there is no server"),
        ("--FOO", "--FOO: libmemcached has no such option"),
        ("FOO", "FOO: is no option"),
        ("--SERVER=ab", "\"ab\" is no host"),
        ("--SERVER=md5", "\"md5\" is no host"),
        ("--SERVER=abc:65536", "port 65536: 0 to 65535"),
        ("--SERVER=abc:x", "port \"x\" is no number"),
        ("--SERVER=abc/?-1", "weight \"-1\" is no number"),
        ("--SERVER=abc --SERVER=abc", "is listed twice"),
        (
            "--SERVER=abc  --SERVER=abd",
            "one space stands between options",
        ),
        (
            "--SERVER=abc --DISTRIBUTION=random",
            "no key decides the server",
        ),
        (
            "--SERVER=abc --DISTRIBUTION=ketama",
            "none of consistent, modula, random",
        ),
        ("--SERVER=abc --HASH=hsieh", "HASH is hsieh"),
        ("--SERVER=abc --HASH=murmur3", "no hash here"),
        ("--SERVER=abc --HASH=MD5 --HASH=CRC", "can be set once"),
        ("--SERVER=abc --NAMESPACE=\"a b\"", "holds blanks"),
        ("--SERVER=abc --NAMESPACE=a:", "put it in quotes"),
        ("--SERVER=abc --SOCKET=/tmp/s", "double quotes"),
        ("--SERVER=abc --SOCKET=\"s\"", "no path from the root"),
        ("--SERVER=abc --SOCKET=\"/s", "a quote is not closed"),
        (
            "--CONFIGURE-FILE=\"/nowhere/options\"",
            "/nowhere/options: ",
        ),
    ] {
        let said = run(options).refused();
        assert!(said.contains(says), "{options}: {said}");
    }
}

#[test]
fn keys_that_the_client_refuses_are_errors() {
    let from = format!("libmemcached:{SERVERS}");
    for (key, says) in [
        ("".into(), "the empty key"),
        ("k".repeat(251), "over 250 bytes"),
    ] {
        let keys = file("keys", format!("{key}\n"));
        let said = with_args(&["route", &keys, "--from", &from]).refused();
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn weighted_rings_move_bystanders_and_compare_shows_it() {
    let from = format!("libmemcached:--DISTRIBUTION=consistent {SERVERS}");
    let args = [
        "compare",
        "--from",
        &from,
        "--strategies",
        "vector-ring",
        "--no-timing",
    ];
    let table = with_args(&[&args[..], &["--add", "cache-4.example=2"]].concat()).ok();
    assert!(table.contains("libmemcached"), "{table}");
    let json = [
        &args[..],
        &["--add", "cache-4.example=2", "--format", "json"],
    ]
    .concat();
    let compared: serde_json::Value = serde_json::from_str(&with_args(&json).ok()).unwrap();
    let needless = |at: usize| {
        let movement = &compared["strategies"][at]["changes"][0]["movement"];
        movement["needless"].as_u64().unwrap()
    };
    assert!(needless(0) > 0, "{compared}");
    assert_eq!(needless(1), 0, "{compared}");
}
