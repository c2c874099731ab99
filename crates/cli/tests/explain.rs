//! `keyroute explain`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeSet;

use common::{file, keyroute, keyroute_on, with_args};
use keyroute::{Assignment, Node, Place, VectorRing, WalkExt};
use keyroute_cli::fleet::Settings;
use keyroute_cli::strategy::{Setting, StrategyName, build};
use serde_json::Value;

const FLEET: &str = "cache-1\ncache-2\t2\ncache-3\ncache-4\n";

/// The fleet with equal weights, for strategies that have none.
const EQUAL: &str = "cache-1\ncache-2\ncache-3\ncache-4\n";

fn object(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

fn nodes() -> impl Iterator<Item = Node> {
    EQUAL.lines().map(|id| Node::new(id).unwrap())
}

/// The texts, to the letter. A digest, a scheme or a fingerprint that differs breaks more than a text.
#[test]
fn each_family_says_where_a_key_stands() {
    let fleet = file("fleet", FLEET);
    let equal = file("equal", EQUAL);
    let mut found = String::new();
    for (fleet, args) in [
        (&fleet, "--strategy vector-ring"),
        (&fleet, "--strategy two-sided --next 1"),
        (&fleet, "--strategy multi-probe"),
        (&fleet, "--strategy token-ring"),
        (&equal, "--strategy window-ring"),
        (&fleet, "--strategy rendezvous"),
        (&equal, "--strategy rendezvous"),
        (&fleet, "--strategy maglev"),
        (&fleet, "--strategy slot-table"),
        (&equal, "--strategy jump"),
        (&equal, "--strategy ranking"),
        (&equal, "--strategy modulo --hash crc32"),
        (&fleet, "--strategy bounded"),
        (&fleet, "--strategy ketama"),
    ] {
        found += &format!("$ {args}\n");
        found += &keyroute(&format!("explain user:1 --fleet {fleet} {args}")).ok();
        found += "\n";
    }
    let expected = include_str!("data/explanations.txt");
    assert!(
        found == expected,
        "not as recorded in tests/data/explanations.txt:\n{found}"
    );
}

#[test]
fn keys_come_from_arguments_or_standard_input() {
    let fleet = file("fleet", FLEET);
    let named = with_args(&["explain", "user:1", "user 2", "--fleet", &fleet]).ok();
    let read = keyroute_on(&format!("explain --fleet {fleet}"), b"user:1\nuser 2\n").ok();
    assert_eq!(named, read);
    assert_eq!(named.matches("\n\nkey ").count(), 1);
    let null = keyroute_on(&format!("explain -0 --fleet {fleet}"), b"user:1\0user 2\0").ok();
    assert_eq!(named, null);
    // 75736572 3a 31 is "user:1".
    let hex = keyroute(&format!("explain --hex 757365723a31 --fleet {fleet}")).ok();
    assert_eq!(
        hex,
        keyroute(&format!("explain user:1 --fleet {fleet}")).ok()
    );
    assert_eq!(
        keyroute_on(&format!("explain --fleet {fleet}"), b"").ok(),
        ""
    );
    let refusal = keyroute(&format!("explain --hex 7 --fleet {fleet}")).refused();
    assert_eq!(refusal, "keyroute: KEY: 1 hex digits are not whole bytes\n");
}

#[test]
fn an_explanation_agrees_with_route_and_its_replicas() {
    let fleet = file("fleet", EQUAL);
    let keys: String = (0..60).map(|key| format!("user:{key}\n")).collect();
    for strategy in [
        "vector-ring",
        "rendezvous",
        "ranking",
        "slot-table",
        "two-sided",
    ] {
        let args = format!("--fleet {fleet} --strategy {strategy} --format json");
        let routed = keyroute_on(&format!("route -r 3 {args}"), keys.as_bytes()).ok();
        let explained = keyroute_on(&format!("explain --next 2 {args}"), keys.as_bytes()).ok();
        assert_eq!(routed.lines().count(), 60);
        assert_eq!(explained.lines().count(), 60);
        for (routed, explained) in routed.lines().zip(explained.lines()) {
            let (routed, explained) = (object(routed), object(explained));
            let order = explained["order"].as_array().unwrap();
            let named: Vec<&Value> = order.iter().map(|it| &it["node"]).collect();
            assert_eq!(
                named,
                routed["nodes"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .collect::<Vec<_>>()
            );
            assert_eq!(explained["owner"], routed["nodes"][0]);
            assert_eq!(explained["key"], routed["key"]);
        }
    }
}

#[test]
fn nodes_that_are_down_are_passed_over() {
    let fleet = file("fleet", EQUAL);
    let ring = VectorRing::from_nodes(nodes()).unwrap();
    let order = ring.replica_ids(b"user:1", 4);
    let down = |n: usize| -> String {
        order[..n]
            .iter()
            .map(|id| format!(" --down {id}"))
            .collect()
    };
    for n in 0..4 {
        let line = keyroute(&format!(
            "explain user:1 --fleet {fleet} --format json{}",
            down(n)
        ))
        .ok();
        let why = object(&line);
        assert_eq!(why["owner"], order[n].as_str());
        let roles: Vec<&str> = why["order"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["role"].as_str().unwrap())
            .collect();
        let expected = [["passed"; 4].as_slice(), &["owner"], &["next"; 4]].concat();
        assert_eq!(roles, expected[4 - n..][..4]);
        assert_eq!(
            why["order"][0]["facts"],
            serde_json::json!(if n > 0 { vec!["down"] } else { vec![] })
        );
    }
    let none = keyroute(&format!("explain user:1 --fleet {fleet}{}", down(4))).ok();
    assert!(
        none.starts_with("key \"user:1\" has no owner: no node that was tried takes it\n"),
        "{none}"
    );
    assert_eq!(none.matches("(down)").count(), 4);

    let stranger = keyroute(&format!("explain user:1 --fleet {fleet} --down cache-9")).refused();
    assert!(
        stranger.contains("--down: \"cache-9\" is no node of ")
            && stranger.contains(": there are \"cache-1\", \"cache-2\", \"cache-3\", \"cache-4\""),
        "{stranger}"
    );
    let no_order = keyroute(&format!(
        "explain user:1 --fleet {fleet} -s jump --down cache-1"
    ))
    .refused();
    assert!(no_order.contains("leave --down out"), "{no_order}");
}

#[test]
fn drained_nodes_are_said_and_take_nothing() {
    let fleet = file("fleet", "a\nb\nc\t0\n");
    let text = keyroute(&format!("explain user:1 --fleet {fleet} --down c")).ok();
    assert!(
        text.contains("\n  unrouted  \"c\": drained, weight 0\n"),
        "{text}"
    );
    assert!(!text.contains("(down)"), "{text}");
    assert!(text.contains(" of 2: that asks for 50.0 %"), "{text}");
}

#[test]
fn zones_come_first_where_asked() {
    let fleet = file("fleet", "a\t1\tx\nb\t1\tx\nc\t1\tx\nd\t1\ty\n");
    let args = format!("--fleet {fleet} --zones --format json --keys-pattern k{{}} --count 40");
    let routed = keyroute(&format!("route -r 4 {args}")).ok();
    for line in routed.lines() {
        let routed = object(line);
        let key = routed["key"].as_str().unwrap();
        let why = object(
            &keyroute(&format!(
                "explain {key} --fleet {fleet} --zones --format json"
            ))
            .ok(),
        );
        let order = why["order"].as_array().unwrap();
        let named: Vec<&Value> = order.iter().map(|it| &it["node"]).collect();
        assert_eq!(
            named,
            routed["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .collect::<Vec<_>>()
        );
        let first: Vec<bool> = order
            .iter()
            .map(|it| it["facts"][0]["zone"]["first"].as_bool().unwrap())
            .collect();
        assert_eq!(first, [true, true, false, false]);
    }
}

#[test]
fn keys_of_any_bytes_fit_a_line() {
    let fleet = file("fleet", FLEET);
    let text = keyroute_on(&format!("explain -0 --fleet {fleet}"), b"\xff\n\x1b[1mk\0").ok();
    assert!(
        text.starts_with("key \"\\xff\\n\\u{1b}[1mk\" is on "),
        "{text}"
    );
    let json = keyroute_on(
        &format!("explain -0 --fleet {fleet} --format json"),
        b"\xff\n\0",
    )
    .ok();
    assert_eq!(object(&json)["key_hex"], "ff0a");
}

#[test]
fn a_configuration_explains_as_its_system_routes() {
    let nginx = file(
        "nginx.conf",
        "http { upstream web { hash $request_uri consistent; server 10.0.0.1:80 down; server 10.0.0.2:80 weight=2; server 10.0.0.3:80; } }",
    );
    let mut passed = 0;
    for number in 0..30 {
        let args = format!("--from nginx:{nginx}#web --format json");
        let why = object(&keyroute(&format!("explain /{number} {args}")).ok());
        let routed = keyroute_on(&format!("route {args}"), format!("/{number}\n").as_bytes()).ok();
        assert_eq!(why["owner"], object(&routed)["node"]);
        assert_eq!(why["place"]["kind"], "arc");
        let first = &why["order"][0];
        if first["node"] == "10.0.0.1:80" {
            assert_eq!(first["role"], "passed");
            assert_eq!(first["facts"], serde_json::json!(["down"]));
            passed += 1;
        }
    }
    assert!(passed > 0);

    let refused = keyroute(&format!(
        "explain /1 --from nginx:{nginx}#web -d 10.0.0.2:80"
    ))
    .refused();
    assert!(
        refused.contains("mark who is down in the configuration"),
        "{refused}"
    );
    // A list in a description is one line of a difference.
    let fleet = file("nginx-fleet", FLEET);
    let differ = keyroute(&format!("diff nginx:{nginx}#web {fleet}")).with_code(1);
    assert!(
        differ.contains("\ndown: 10.0.0.1:80 | absent\n"),
        "{differ}"
    );
}

/// No strategy and no preset leaves it at the owner: each says where the key stands, and those with an order which
/// nodes come next, in that order.
#[test]
fn every_strategy_and_every_preset_says_its_place() {
    let ids = [
        "10.0.0.4:8080",
        "10.0.0.1:8080",
        "10.0.0.5:8080",
        "10.0.0.2:8080",
        "10.0.0.3:8081",
    ];
    let nodes: Vec<Node> = ids.iter().map(|id| Node::new(id).unwrap()).collect();
    let mut kinds = BTreeSet::new();
    let mut asked = 0;
    for name in StrategyName::all().chain(StrategyName::presets()) {
        let mut settings = Settings::default();
        // The strategies whose owners an operator names.
        if name.settings().contains(&Setting::Owners) {
            settings.owners = vec![Assignment {
                first: 0,
                last: name.partitions(&settings) - 1,
                node: nodes[0].id().clone(),
            }];
        }
        let strategy = build(name, &settings, &nodes).unwrap();
        let router = strategy.router();
        for number in 0..40 {
            let key = format!("user:{number}");
            let why = router.explain_with(key.as_bytes(), 4);
            assert_eq!(why.owner(), router.route(key.as_bytes()), "{name}");
            assert!(
                *why.place() != Place::Unsaid,
                "{name} does not say where a key stands"
            );
            assert!(
                why.weighed().is_some() && why.refusal().is_none(),
                "{name}: {why}"
            );
            let named: Vec<_> = why.contenders().iter().map(|it| it.slot).collect();
            if let Some(walk) = strategy.as_walk() {
                assert_eq!(named, walk.replicas(key.as_bytes(), 5), "{name}");
            }
            if let Place::Arc(arc) = why.place() {
                assert!(arc.contains(arc.position), "{name}: {why}");
                assert_eq!(Some(&arc.point.node), why.owner_id(), "{name}: {why}");
                assert!(
                    (1..=arc.point.of).contains(&arc.point.number),
                    "{name}: {why}"
                );
                assert_eq!(why.digest(), Some(arc.position), "{name}");
            }
            kinds.insert(serde_json::to_value(why.place()).unwrap()["kind"].to_string());
            asked += 1;
        }
    }
    assert_eq!(kinds.len(), 6, "{kinds:?}");
    assert_eq!(asked, 40 * (29 + 36));
}

#[test]
fn the_readme_shows_what_is_printed() {
    let printed = keyroute("explain user:1 --down cache-05").ok();
    let readme = include_str!("../../../README.md");
    assert!(readme.contains(&printed), "{printed}");
}
