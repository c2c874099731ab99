//! `keyroute route`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::io::{Read, Write};
use std::process::Stdio;

use common::{command, file, keyroute, keyroute_on, with_args};
use keyroute::{Jump, Node, VectorRing, WalkExt, Weight, Zone, ZoneAware};
use serde_json::Value;

const FLEET: &str = "a:1\nb:2\nc:3\n";

fn nodes() -> impl Iterator<Item = Node> {
    FLEET.lines().map(|id| Node::new(id).unwrap())
}

#[test]
fn each_key_comes_back_with_its_owner() {
    let fleet = file("fleet", FLEET);
    let output = keyroute_on(&format!("route --fleet {fleet}"), b"user:1\n\nuser:2").ok();
    let ring = VectorRing::from_nodes(nodes()).unwrap();
    let expected: String = ["user:1", "", "user:2"]
        .iter()
        .map(|key| format!("{key}\t{}\n", ring.route_id(key.as_bytes()).unwrap()))
        .collect();
    assert_eq!(output, expected);

    let output = keyroute_on(&format!("route --fleet {fleet} -s jump"), b"user:1\nuser:2").ok();
    let jump = Jump::from_nodes(nodes()).unwrap();
    for line in output.lines() {
        let (key, node) = line.split_once('\t').unwrap();
        assert_eq!(jump.route_id(key.as_bytes()).unwrap(), node);
    }
}

#[test]
fn flags_override_the_file() {
    let fleet = file(
        "fleet.toml",
        "[router]\nstrategy = \"jump\"\nhash = \"crc32\"\n[[nodes]]\nid = \"a\"\n[[nodes]]\nid = \"b\"\n",
    );
    let args =
        |more: &str| format!("route --fleet {fleet} --keys-pattern k{{}} --count 100 {more}");
    let jump = keyroute(&args("")).ok();
    let ring = keyroute(&args("--strategy vector-ring")).ok();
    let other_hash = keyroute(&args("--hash xxh3")).ok();
    assert_ne!(jump, ring);
    assert_ne!(jump, other_hash);
    assert_eq!(jump, keyroute(&args("--strategy jump --hash crc32")).ok());
}

#[test]
fn replicas_are_the_first_of_the_order() {
    let fleet = file("fleet", FLEET);
    let ring = VectorRing::from_nodes(nodes()).unwrap();
    let keys = "--keys-pattern k{} --count 50";
    let text = keyroute(&format!("route --fleet {fleet} -r 2 {keys}")).ok();
    for line in text.lines() {
        let (key, nodes) = line.split_once('\t').unwrap();
        let expected: Vec<&str> = ring
            .replica_ids(key.as_bytes(), 2)
            .into_iter()
            .map(keyroute::NodeId::as_str)
            .collect();
        assert_eq!(nodes.split(',').collect::<Vec<_>>(), expected);
    }
    let json = keyroute(&format!("route --fleet {fleet} -r 2 --format json {keys}")).ok();
    for (line, object) in text.lines().zip(json.lines()) {
        let object: Value = serde_json::from_str(object).unwrap();
        let nodes: Vec<&str> = object["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|node| node.as_str().unwrap())
            .collect();
        assert_eq!(
            line,
            format!("{}\t{}", object["key"].as_str().unwrap(), nodes.join(","))
        );
    }
    // More than there are: all of them, once each.
    let all = keyroute(&format!(
        "route --fleet {fleet} -r 9 --keys-pattern k{{}} --count 1"
    ))
    .ok();
    let mut all: Vec<&str> = all
        .trim_end()
        .split_once('\t')
        .unwrap()
        .1
        .split(',')
        .collect();
    all.sort_unstable();
    assert_eq!(all, ["a:1", "b:2", "c:3"]);
}

/// Three nodes in zone x, one in y, and two that say no zone.
const ZONED: &str = "a\t1\tx\nb\t1\tx\nc\t1\tx\nd\t2\ty\ne\nf\n";

fn zoned() -> ZoneAware<VectorRing> {
    let node = |line: &str| {
        let mut fields = line.split('\t');
        let node = Node::new(fields.next().unwrap()).unwrap();
        let node = match fields.next() {
            Some(weight) => node.with_weight(Weight::new(weight.parse().unwrap()).unwrap()),
            None => node,
        };
        match fields.next() {
            Some(zone) => node.with_zone(Zone::new(zone).unwrap()),
            None => node,
        }
    };
    ZoneAware::new(VectorRing::from_nodes(ZONED.lines().map(node)).unwrap())
}

#[test]
fn replicas_with_zones_stand_apart_while_there_are_zones() {
    let fleet = file("fleet", ZONED);
    let router = zoned();
    let keys = "--keys-pattern k{} --count 60";
    let plain = keyroute(&format!("route --fleet {fleet} -r 4 {keys}")).ok();
    for count in [1, 2, 3, 4, 9] {
        let args = format!("route --fleet {fleet} -r {count} --zones {keys}");
        let text = keyroute(&args).ok();
        if count == 4 {
            assert_ne!(text, plain);
        }
        let json = keyroute(&format!("{args} --format json")).ok();
        for (line, object) in text.lines().zip(json.lines()) {
            let (key, nodes) = line.split_once('\t').unwrap();
            let placement = router.place(key.as_bytes(), count);
            let expected: Vec<&str> = placement.ids().map(keyroute::NodeId::as_str).collect();
            assert_eq!(nodes.split(',').collect::<Vec<_>>(), expected);
            let object: Value = serde_json::from_str(object).unwrap();
            assert_eq!(object["key"], key);
            let spread = placement.spread();
            assert_eq!(
                object["spread"],
                serde_json::json!({"asked": count, "nodes": spread.nodes, "zones": spread.zones})
            );
            assert_eq!((spread.nodes, spread.zones), (count.min(6), count.min(3)));
        }
        assert_eq!((text.lines().count(), json.lines().count()), (60, 60));
    }
}

#[test]
fn strict_refuses_replicas_that_share_a_zone() {
    let fleet = file("fleet", ZONED);
    let run = |more: &str| {
        let args = format!("route --fleet {fleet} --keys-pattern k{{}} --count 60 {more}");
        keyroute(&args)
    };
    let apart = run("-r 3 --zones --strict").ok();
    assert_eq!(apart, run("-r 3 --zones").ok());
    // Nothing is routed, and the key, what was wanted and what there is are named.
    let message = run("-r 4 --zones --strict").refused();
    assert!(
        message.contains("key \"k0\": 4 replicas in zones of their own, but there are 3"),
        "{message}"
    );
    let message = run("-r 7 --zones --strict").refused();
    assert!(
        message.contains("key \"k0\": 7 replicas on 6 nodes"),
        "{message}"
    );
    let message = run("-r 2 --strict").refused();
    assert!(message.contains("--zones"), "{message}");
    let message = run("-r 2 --zones -s maglev").refused();
    assert!(
        message.contains("maglev: has no order of replicas: leave --zones out"),
        "{message}"
    );
}

#[test]
fn replicas_of_strategies_without_an_order_are_refused() {
    for strategy in ["jump", "modulo"] {
        let message = keyroute(&format!("route -s {strategy} -r 2")).refused();
        assert!(message.contains(strategy), "{message}");
        assert!(message.contains("has no order of replicas"), "{message}");
        keyroute(&format!(
            "route -s {strategy} -r 1 --keys-pattern k{{}} --count 3"
        ))
        .ok();
    }
}

#[test]
fn keys_that_text_cannot_carry_are_refused_and_json_carries_them() {
    for (key, shown) in [("a\tb", "\"a\\tb\""), ("a\nb", "\"a\\nb\"")] {
        let input = format!("{key}\0");
        let run = keyroute_on("route -0 -", input.as_bytes());
        assert_eq!(run.code, 2);
        assert!(run.stderr.contains(shown), "{}", run.stderr);
        assert!(run.stderr.contains("--format json"), "{}", run.stderr);
        let output = keyroute_on("route -0 --format json -", input.as_bytes()).ok();
        let object: Value = serde_json::from_str(&output).unwrap();
        assert_eq!(object["key"], key);
    }
    let run = keyroute_on("route -", b"a\0b\n");
    assert!(run.stderr.contains("NUL"), "{}", run.stderr);

    // Not text at all: as hex.
    let output = keyroute_on("route --format json -", b"\xff\x00\n").ok();
    let object: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(object["key_hex"], "ff00");
    assert!(object.get("key").is_none());
}

#[test]
fn what_was_routed_before_an_error_is_said() {
    let run = keyroute_on("route -", b"a\nb\nc\td\ne\n");
    assert_eq!(run.code, 2, "{}", run.stderr);
    let text = String::from_utf8(run.stdout).unwrap();
    let keys: Vec<_> = text.lines().map(|line| &line[..2]).collect();
    assert_eq!(keys, ["a\t", "b\t"]);
}

#[test]
fn ids_that_text_cannot_carry_are_refused_too() {
    let tab = file("tab.json", r#"{"nodes": [{"id": "a\tb"}, {"id": "c"}]}"#);
    let message = keyroute(&format!("route --fleet {tab} --keys-pattern k{{}}")).refused();
    assert!(message.contains("\"a\\tb\""), "{message}");
    // A comma is a separator only where several nodes are listed.
    let comma = file("comma", "a,b\nc\n");
    keyroute(&format!(
        "route --fleet {comma} --keys-pattern k{{}} --count 9"
    ))
    .ok();
    let message = keyroute(&format!("route --fleet {comma} --keys-pattern k{{}} -r 2")).refused();
    assert!(message.contains("\"a,b\""), "{message}");
    keyroute(&format!(
        "route --fleet {comma} --keys-pattern k{{}} --count 9 -r 2 --format json"
    ))
    .ok();
}

#[test]
fn the_same_keys_in_lines_in_nul_and_in_hex_have_the_same_owners() {
    let lines = keyroute_on("route -", b"user:1\nk\xc3\xa4se\n").ok();
    assert_eq!(
        lines,
        keyroute_on("route -0 -", b"user:1\0k\xc3\xa4se\0").ok()
    );
    assert_eq!(
        lines,
        keyroute_on("route --hex -", b"757365723a31\n6BC3A47365\n").ok()
    );
    assert_eq!(lines, keyroute_on("route -", b"user:1\r\nk\xc3\xa4se").ok());
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = command(&["route", "--keys-pattern", "key-{}", "--count", "2000000"])
        .spawn()
        .unwrap();
    let mut first = [0; 64];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stderr.is_empty(), "{output:?}");
}

#[test]
fn answers_stream_before_the_input_ends() {
    // 200,000 keys fill every buffer on the way; then the writer waits for an answer.
    let mut child = command(&["route", "-"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut keys = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for number in 0..200_000 {
            writeln!(keys, "key-{number}").unwrap();
        }
        keys
    });
    let mut first = [0; 6];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    assert_eq!(&first, b"key-0\t");
    let mut rest = String::new();
    let reader = std::thread::spawn({
        let mut stdout = child.stdout.take().unwrap();
        move || {
            stdout.read_to_string(&mut rest).unwrap();
            rest
        }
    });
    drop(writer.join().unwrap());
    assert_eq!(reader.join().unwrap().lines().count(), 200_000);
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_input_is_refused_by_name() {
    let drained = file("drained", "a\t0\nb\t0\n");
    let toml = |name: &str, text: &str| format!("--fleet {}", file(&format!("{name}.toml"), text));
    for (args, part) in [
        ("--replicas 0".into(), "1 or more"),
        ("--replicas -1".into(), "-1"),
        (
            "--strategy nope".into(),
            "unknown strategy \"nope\": one of vector-ring",
        ),
        ("--hash nope".into(), "unknown hash \"nope\": one of xxh3"),
        ("--points 0".into(), "0 points per unit of weight"),
        ("--points 16777217".into(), "16777217"),
        ("--points -3".into(), "-3"),
        ("--points 3000000".into(), "at most 16777216"),
        ("--strategy ketama --points 5".into(), "a multiple of 4"),
        (
            "--strategy jump --hash md5".into(),
            "choose another than md5",
        ),
        ("--strategy bounded --epsilon 0.0001".into(), "0.0001"),
        ("--epsilon 1e3".into(), "1e3"),
        ("--format csv".into(), "csv"),
        ("--keys-pattern k".into(), "has no {}"),
        ("--count 3".into(), "--keys-pattern"),
        ("no-such-keys".into(), "no-such-keys"),
        ("--fleet no-such-fleet".into(), "no-such-fleet"),
        ("--fleet - -".into(), "standard input"),
        (format!("--fleet {drained}"), "2 are listed, all drained"),
        (format!("--fleet {}", file("empty", "")), "no nodes"),
        (
            format!("--fleet {}", file("twice", "a\na\n")),
            "already a member",
        ),
        (
            format!("--fleet {}", file("weight", "a\tx\n")),
            "line 1: weight \"x\"",
        ),
        (
            format!("--fleet {}", file("four", "a\t1\tz\tq\n")),
            "fourth field",
        ),
        (format!("--fleet {}", file("binary", b"\xff\xfe")), "binary"),
        (
            format!("--fleet {}", file("long", "x".repeat(4097))),
            "4097 bytes",
        ),
        (toml("syntax", "nodes = ["), "syntax.toml"),
        (
            toml("field", "[[nodes]]\nid = \"a\"\nwieght = 2\n"),
            "wieght",
        ),
        (
            toml("negative", "[[nodes]]\nid = \"a\"\nweight = -2\n"),
            "weight \"-2\"",
        ),
        (
            toml("half", "[[nodes]]\nid = \"a\"\nweight = 0.5\n"),
            "weight \"0.5\"",
        ),
        (
            toml("id", "[[nodes]]\nid = \"\"\n"),
            "node 1: a node id is empty",
        ),
        (
            toml("epsilon", "nodes = []\n[router]\nepsilon = -1\n"),
            "epsilon \"-1\"",
        ),
        (
            toml("strategy", "nodes = []\n[router]\nstrategy = \"x\"\n"),
            "unknown strategy \"x\"",
        ),
    ] {
        let message = keyroute(&format!("route {args}")).refused();
        assert!(message.contains(part), "{args}: {message}");
    }
    let run = keyroute_on("route --hex -", b"61\nabc\n");
    assert!(run.stderr.contains("key 2: 3 hex digits"), "{run:?}");
    assert_eq!(run.code, 2);
    let run = keyroute_on("route --hex -", b"zz\n");
    assert!(run.stderr.contains("\"zz\" is not hex"), "{run:?}");
    let weighted = file("weighted", "a\t2\n");
    let message = keyroute(&format!("route --fleet {weighted} -s jump")).refused();
    assert!(message.contains("has weight 2"), "{message}");
    let message = with_args(&["route", "--keys-pattern", ""]).refused();
    assert!(message.contains("has no {}"), "{message}");
}
