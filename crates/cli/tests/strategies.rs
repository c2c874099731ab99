//! Every strategy that the command names: what it routes, measures and refuses, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;

use common::{file, keyroute};
use keyroute::hash::{Crc32, Mixed, Xxh3};
use keyroute::{
    AddNode, Anchor, AssignedFill, Assignment, BTreeRing, Binomial, BinomialPublished, Bounded,
    BoundedFill, BuraksezerFill, ByRange, ByRemainder, Dx, Exact, Flip, GrowableAnchor, Jump,
    JumpBack, Ketama, Maglev, Memento, Modulo, MultiProbe, Node, NodeId, Power, Ranking,
    RedisSlots, RemoveNode, Rendezvous, RendezvousFill, Router, SlotTable, TableSize, TokenRing,
    TwoSidedRing, VectorRing, WindowRing,
};
use serde_json::Value;

/// Its order is not that of the ids, and each node owns some of 16,384 partitions.
const FLEET: &str = r#"
    [[nodes]]
    id = "b"
    partitions = "0-5460"
    [[nodes]]
    id = "d"
    partitions = "5461-10922, 16383"
    [[nodes]]
    id = "a"
    partitions = "10923-16000"
    [[nodes]]
    id = "c"
    partitions = "16001 16002-16382"
"#;

const IDS: [&str; 4] = ["b", "d", "a", "c"];

const KEYS: &str = "--keys-pattern k{} --count 500";

fn nodes() -> Vec<Node> {
    IDS.iter().map(|id| Node::new(id).unwrap()).collect()
}

fn assigned() -> AssignedFill {
    let parts = [
        (0, 5460, "b"),
        (5461, 10_922, "d"),
        (16_383, 16_383, "d"),
        (10_923, 16_000, "a"),
        (16_001, 16_382, "c"),
    ];
    AssignedFill::new(parts.map(|(first, last, node)| Assignment {
        first,
        last,
        node: NodeId::new(node).unwrap(),
    }))
}

/// What the library makes of the same fleet, at the command's defaults.
fn library() -> BTreeMap<&'static str, Box<dyn Router>> {
    let ring = || VectorRing::from_nodes(nodes()).unwrap();
    let table = || ByRange::new(Xxh3, 16_384).unwrap();
    let theirs = || ByRemainder::new(Xxh3, 271).unwrap();
    let all: [(&str, Box<dyn Router>); 29] = [
        ("vector-ring", Box::new(ring())),
        (
            "btree-ring",
            Box::new(BTreeRing::from_nodes(nodes()).unwrap()),
        ),
        (
            "bounded",
            Box::new(Bounded::new(ring(), Exact::new(250).unwrap())),
        ),
        ("ketama", Box::new(Ketama::from_nodes(nodes()).unwrap())),
        ("libketama", Box::new(Ketama::libketama(nodes()).unwrap())),
        (
            "rendezvous",
            Box::new(Rendezvous::from_nodes(nodes()).unwrap()),
        ),
        ("maglev", Box::new(Maglev::from_nodes(nodes()).unwrap())),
        (
            "slot-table",
            Box::new(
                SlotTable::from_nodes_with(RendezvousFill::new(Xxh3), table(), nodes()).unwrap(),
            ),
        ),
        (
            "slot-table-bounded",
            Box::new(SlotTable::from_nodes_with(BoundedFill::new(Xxh3), table(), nodes()).unwrap()),
        ),
        (
            "slot-table-assigned",
            Box::new(SlotTable::from_nodes_with(assigned(), table(), nodes()).unwrap()),
        ),
        (
            "redis-slots",
            Box::new(SlotTable::from_nodes_with(assigned(), RedisSlots::redis(), nodes()).unwrap()),
        ),
        (
            "buraksezer-0.10",
            Box::new(
                SlotTable::from_nodes_with(BuraksezerFill::v0_10(Xxh3), theirs(), nodes()).unwrap(),
            ),
        ),
        (
            "buraksezer-1.0",
            Box::new(
                SlotTable::from_nodes_with(BuraksezerFill::v1_0(Xxh3), theirs(), nodes()).unwrap(),
            ),
        ),
        ("jump", Box::new(Jump::from_nodes(nodes()).unwrap())),
        (
            "jump-back",
            Box::new(JumpBack::from_nodes(nodes()).unwrap()),
        ),
        ("flip", Box::new(Flip::from_nodes(nodes()).unwrap())),
        ("power", Box::new(Power::from_nodes(nodes()).unwrap())),
        ("binomial", Box::new(Binomial::from_nodes(nodes()).unwrap())),
        (
            "binomial-published",
            Box::new(BinomialPublished::from_nodes(nodes()).unwrap()),
        ),
        ("ranking", Box::new(Ranking::from_nodes(nodes()).unwrap())),
        ("dx", Box::new(dx())),
        ("anchor", Box::new(anchor())),
        (
            "growable-anchor",
            Box::new(GrowableAnchor::from_nodes(nodes()).unwrap()),
        ),
        ("memento", Box::new(Memento::from_nodes(nodes()).unwrap())),
        (
            "two-sided",
            Box::new(TwoSidedRing::from_nodes(nodes()).unwrap()),
        ),
        (
            "window-ring",
            Box::new(WindowRing::from_nodes(nodes()).unwrap()),
        ),
        (
            "token-ring",
            Box::new(TokenRing::from_nodes(nodes()).unwrap()),
        ),
        (
            "multi-probe",
            Box::new(MultiProbe::from_nodes(nodes()).unwrap()),
        ),
        ("modulo", Box::new(Modulo::from_nodes(nodes()).unwrap())),
    ];
    all.into_iter().collect()
}

fn dx() -> Dx {
    let empty = Dx::with_capacity(1024).unwrap();
    empty.with_nodes(nodes()).unwrap()
}

fn anchor() -> Anchor {
    let empty = Anchor::with_capacity(1024).unwrap();
    empty.with_nodes(nodes()).unwrap()
}

fn owner(router: &dyn Router, key: usize) -> String {
    let owner = router.route_id(format!("k{key}").as_bytes());
    owner.unwrap().to_string()
}

/// The names that `keyroute strategies` lists as our own, and whether each has a star.
fn listed() -> Vec<(String, bool)> {
    let output = keyroute("strategies").ok();
    let name = |line: &str| {
        let (star, rest) = line.split_at(2);
        let name = rest.split_whitespace().next().unwrap().to_owned();
        (name, star == "* ")
    };
    let own = output.lines().take_while(|line| !line.is_empty());
    own.map(name).collect()
}

#[test]
fn each_routes_as_the_library_and_prints_its_fingerprint() {
    let fleet = file("fleet.toml", FLEET);
    let library = library();
    let names: Vec<String> = listed().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), library.len());
    for name in names {
        let router = &*library[name.as_str()];
        let args = format!("--fleet {fleet} --strategy {name}");
        let routed = keyroute(&format!("route {args} {KEYS}")).ok();
        assert_eq!(routed.lines().count(), 500, "{name}");
        for (key, line) in routed.lines().enumerate() {
            assert_eq!(line, format!("k{key}\t{}", owner(router, key)), "{name}");
        }
        let print = keyroute(&format!("fingerprint {args}")).ok();
        assert_eq!(print, format!("{}\n", router.fingerprint()), "{name}");
        let same = format!("diff {fleet} {fleet} --strategy {name}");
        assert_eq!(keyroute(&same).ok(), "", "{name}");
    }
}

#[test]
fn each_can_be_the_strategy_of_a_file() {
    for (name, _) in listed() {
        let text = format!("[router]\nstrategy = \"{name}\"\n{FLEET}");
        let fleet = file(&format!("{name}.toml"), text);
        let print = keyroute(&format!("fingerprint --long --fleet {fleet}")).ok();
        let flag = file("fleet.toml", FLEET);
        let flag = format!("fingerprint --long --fleet {flag} --strategy {name}");
        assert_eq!(print, keyroute(&flag).ok(), "{name}");
    }
}

#[test]
fn each_is_measured_balance_movement_times_and_bytes() {
    let fleet = file("fleet.toml", FLEET);
    let output = keyroute(&format!(
        "compare --fleet {fleet} --strategies all --add e --format json {KEYS}"
    ));
    let document: Value = serde_json::from_str(&output.ok()).unwrap();
    let found = document["strategies"].as_array().unwrap();
    let names: Vec<&str> = found
        .iter()
        .map(|strategy| strategy["strategy"].as_str().unwrap())
        .collect();
    let all: Vec<String> = listed().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, all);
    for strategy in found {
        let name = &strategy["strategy"];
        let keys = strategy["balance"]["keys_by_node"].as_array().unwrap();
        let keys: u64 = keys.iter().map(|keys| keys.as_u64().unwrap()).sum();
        assert_eq!(keys, 500, "{name}");
        let change = &strategy["changes"][0];
        let needless = change["movement"]["needless"].as_u64().unwrap();
        let moves = [
            "maglev",
            "modulo",
            "window-ring",
            "buraksezer-0.10",
            "buraksezer-1.0",
        ];
        if !moves.contains(&name.as_str().unwrap()) && name != "slot-table-bounded" {
            assert_eq!(needless, 0, "{name}");
        }
        if name == "modulo" {
            assert!(needless > 250);
        }
        assert!(
            strategy["times"]["lookup_ns"].as_f64().unwrap() > 0.0,
            "{name}"
        );
        let over_hash = strategy["times"]["lookup_over_hash"].as_f64().unwrap();
        assert!(over_hash > 0.0, "{name}");
        assert!(
            strategy["times"]["build_ns"].as_u64().unwrap() > 0,
            "{name}"
        );
        assert!(change["times"]["change_ns"].as_u64().unwrap() > 0, "{name}");
        // Four nodes with their names, at least.
        let bytes = strategy["memory"]["heap_bytes"].as_u64().unwrap();
        assert!(bytes >= 100, "{name}: {bytes}");
        let routes = keyroute(&format!(
            "route -s {} -r 2 --fleet {fleet} {KEYS}",
            name.as_str().unwrap()
        ));
        let has_order = change["replicas"]["reason"].is_null();
        assert_eq!(routes.code, if has_order { 0 } else { 2 }, "{name}");
    }
}

#[test]
fn unless_named_one_or_two_of_each_family_are_compared_and_the_files_own() {
    let compared = |args: &str| -> Vec<String> {
        let output = keyroute(&format!("compare --no-timing --format csv {args} {KEYS}")).ok();
        let mut names: Vec<String> = csv::Reader::from_reader(output.as_bytes())
            .records()
            .map(|row| row.unwrap()[0].to_owned())
            .collect();
        names.dedup();
        names
    };
    let starred: Vec<String> = listed()
        .into_iter()
        .filter_map(|(name, star)| star.then_some(name))
        .collect();
    assert!((5..=9).contains(&starred.len()), "{starred:?}");
    assert_eq!(compared(""), starred);

    let text = format!("[router]\nstrategy = \"memento\"\n{FLEET}");
    let own = file("own.toml", text);
    let with_own = compared(&format!("--fleet {own}"));
    assert_eq!(with_own.len(), starred.len() + 1);
    assert!(with_own.contains(&"memento".to_owned()));

    // The sample assigns no partitions, so tables that are told their owners are left out of `all`.
    let all = compared("--strategies jump,all,jump");
    assert_eq!(all.len(), listed().len() - 2);
    assert_eq!(all[0], "jump");
    assert!(
        !all.iter()
            .any(|name| name == "redis-slots" || name == "slot-table-assigned")
    );
}

/// How many of the keys have another owner in the second router.
fn moved(before: &dyn Router, after: &dyn Router) -> usize {
    (0..500)
        .filter(|&key| owner(before, key) != owner(after, key))
        .count()
}

fn changed<R: Router + AddNode + RemoveNode + Clone>(router: &R) -> usize {
    let mut after = router.clone();
    after.add(Node::new("e").unwrap()).unwrap();
    after.remove("d").unwrap();
    after.remove("b").unwrap();
    moved(router, &after)
}

#[test]
fn buckets_change_in_place_so_that_history_counts() {
    let fleet = file("fleet.toml", FLEET);
    let expected = [
        ("ranking", changed(&Ranking::from_nodes(nodes()).unwrap())),
        ("dx", changed(&dx())),
        ("anchor", changed(&anchor())),
        (
            "growable-anchor",
            changed(&GrowableAnchor::from_nodes(nodes()).unwrap()),
        ),
        ("memento", changed(&Memento::from_nodes(nodes()).unwrap())),
    ];
    for (name, expected) in expected {
        let output = keyroute(&format!(
            "compare --no-timing --format json --fleet {fleet} --strategies {name} \
             --add e --remove d --remove b {KEYS}"
        ));
        let document: Value = serde_json::from_str(&output.ok()).unwrap();
        let movement = &document["strategies"][0]["changes"][0]["movement"];
        assert_eq!(movement["moved"], expected, "{name}");
        assert_eq!(movement["needless"], 0, "{name}");
    }
    // Joined in another order they are on other buckets; a ring does not care.
    let print =
        |fleet: &str, name: &str| keyroute(&format!("fingerprint -s {name} -f {fleet}")).ok();
    let other = file("other", "a\nb\nc\nd\n");
    assert_ne!(print(&fleet, "memento"), print(&other, "memento"));
    assert_eq!(print(&fleet, "rendezvous"), print(&other, "rendezvous"));
}

#[test]
fn settings_are_those_of_the_library() {
    let fleet = file("fleet.toml", FLEET);
    let crc = Mixed(Crc32);
    let cases: [(&str, Box<dyn Router>); 8] = [
        (
            "-s maglev --table-size 251",
            Box::new(Maglev::from_nodes_with(Xxh3, TableSize::new(251).unwrap(), nodes()).unwrap()),
        ),
        (
            "-s slot-table --partitions 100 --hash crc32",
            Box::new(
                SlotTable::from_nodes_with(
                    RendezvousFill::new(crc),
                    ByRange::new(crc, 100).unwrap(),
                    nodes(),
                )
                .unwrap(),
            ),
        ),
        (
            "-s slot-table-bounded --partitions 100 --epsilon 0.01",
            Box::new(
                SlotTable::from_nodes_with(
                    BoundedFill::new(Xxh3).with_load(1010).unwrap(),
                    ByRange::new(Xxh3, 100).unwrap(),
                    nodes(),
                )
                .unwrap(),
            ),
        ),
        (
            "-s buraksezer-1.0 --partitions 71 --node-points 3 --epsilon 0.5",
            Box::new(
                SlotTable::from_nodes_with(
                    BuraksezerFill::v1_0(Xxh3)
                        .with_points(3)
                        .unwrap()
                        .with_load(1500)
                        .unwrap(),
                    ByRemainder::new(Xxh3, 71).unwrap(),
                    nodes(),
                )
                .unwrap(),
            ),
        ),
        (
            "-s token-ring --node-points 5",
            Box::new({
                let empty = TokenRing::new().with_tokens_per_weight(5).unwrap();
                let add = |mut ring: TokenRing, node| {
                    ring.add(node).unwrap();
                    ring
                };
                nodes().into_iter().fold(empty, add)
            }),
        ),
        (
            "-s anchor --capacity 9",
            Box::new(
                Anchor::with_capacity(9)
                    .unwrap()
                    .with_nodes(nodes())
                    .unwrap(),
            ),
        ),
        (
            "-s dx --capacity 9",
            Box::new(Dx::with_capacity(9).unwrap().with_nodes(nodes()).unwrap()),
        ),
        // What a strategy does not have is passed over.
        (
            "-s jump --points 3 --node-points 0 --epsilon 2 --table-size 4 --partitions 0 --capacity 0",
            Box::new(Jump::from_nodes(nodes()).unwrap()),
        ),
    ];
    for (args, router) in cases {
        let print = keyroute(&format!("fingerprint --fleet {fleet} {args}")).ok();
        assert_eq!(print, format!("{}\n", router.fingerprint()), "{args}");
    }

    // A file says the same, and flags override it.
    let settings =
        "[router]\nstrategy = \"maglev\"\ntable_size = 251\npartitions = 100\ncapacity = 9\n";
    let said = file("said.toml", format!("{settings}{FLEET}"));
    for args in [
        "",
        "-s slot-table",
        "-s anchor",
        "-s maglev --table-size 509",
    ] {
        let flags = match args {
            "" => "-s maglev --table-size 251".to_owned(),
            "-s slot-table" => format!("{args} --partitions 100"),
            "-s anchor" => format!("{args} --capacity 9"),
            _ => args.to_owned(),
        };
        assert_eq!(
            keyroute(&format!("fingerprint --fleet {said} {args}")).ok(),
            keyroute(&format!("fingerprint --fleet {fleet} {flags}")).ok(),
            "{args}"
        );
    }
}

#[test]
fn refusals_name_the_value_the_limit_and_what_to_do() {
    let plain = file("plain", "a\nb\nc\nd\n");
    let weighted = file("weighted", "a\t2\nb\n");
    for name in [
        "jump",
        "jump-back",
        "flip",
        "power",
        "binomial",
        "binomial-published",
        "modulo",
        "ranking",
        "dx",
        "anchor",
        "growable-anchor",
        "memento",
        "buraksezer-0.10",
        "buraksezer-1.0",
    ] {
        for command in ["route", "fingerprint"] {
            let message =
                keyroute(&format!("{command} --fleet {weighted} --strategy {name}")).refused();
            for part in [name, "node \"a\" has weight 2", "give it weight 1"] {
                assert!(message.contains(part), "{name}: {message}");
            }
        }
    }
    for (args, parts) in [
        (
            "-s maglev --table-size 1000",
            ["table size 1000", "give 1009"],
        ),
        ("-s maglev --table-size 0", ["table size 0", "give 2"]),
        (
            "-s maglev --table-size 4294967295",
            ["table size 4294967295", "give 16777213"],
        ),
        (
            "-s maglev --table-size 3",
            ["none of 3 table entries", "give the table 5"],
        ),
        (
            "-s slot-table --partitions 0",
            ["0 partitions", "give 1 to 1048576"],
        ),
        (
            "-s buraksezer-1.0 --partitions 1048577",
            ["1048577 partitions", "give 1 to 1048576"],
        ),
        (
            "-s buraksezer-1.0 --node-points 10001",
            ["10001 points", "give 1 to 10000"],
        ),
        (
            "-s slot-table-bounded --epsilon 1000",
            ["load is 1001000 thousandths", "to 1000000"],
        ),
        (
            "-s anchor --capacity 3",
            ["all 3 buckets", "greater capacity"],
        ),
        ("-s dx --capacity 3", ["all 3 buckets", "greater capacity"]),
        (
            "-s dx --capacity 0",
            ["capacity is 0", "give 1 to 16777216"],
        ),
        (
            "-s anchor --capacity 16777217",
            ["capacity is 16777217", "give 1 to 16777216"],
        ),
        (
            "-s redis-slots",
            ["partitions 0 to 16383", "assign every partition"],
        ),
        (
            "-s slot-table-assigned --partitions 7",
            ["partitions 0 to 6", "assign every partition"],
        ),
        (
            "-s maglev --hash md5",
            ["maglev", "choose another than md5"],
        ),
        ("-s maglev --table-size -1", ["--table-size", "-1"]),
        ("-s anchor --capacity x", ["--capacity", "x"]),
    ] {
        let message = keyroute(&format!("fingerprint --fleet {plain} {args}")).refused();
        for part in parts {
            assert!(message.contains(part), "{args}: {message}");
        }
    }
}

#[test]
fn owners_of_partitions_are_checked_where_they_are_written() {
    let refused = |name: &str, nodes: &str| {
        let fleet = file(&format!("{name}.toml"), nodes);
        keyroute(&format!("fingerprint --fleet {fleet} -s redis-slots")).refused()
    };
    let one = |partitions: &str| format!("[[nodes]]\nid = \"a\"\npartitions = \"{partitions}\"\n");
    for (name, nodes, part) in [
        (
            "word",
            one("all"),
            "node 1: partitions \"all\": write a number",
        ),
        ("half", one("0-"), "node 1: partitions \"0-\""),
        ("negative", one("-5"), "node 1: partitions \"-5\""),
        ("backwards", one("9-3"), "is 9 to 3"),
        (
            "past",
            one("0-16384"),
            "partition 16384 does not exist: they are numbered 0 to 16383",
        ),
        (
            "gap",
            one("0-5,7-16383"),
            "partitions 6 to 6 are assigned to no node",
        ),
        (
            "twice",
            one("0-100 100-16383"),
            "partition 100 is assigned to \"a\" and to \"a\"",
        ),
        (
            "drained",
            one("0-16383") + "weight = 0\n",
            "node 1: \"a\" is drained, and owns partitions \"0-16383\": assign them to other nodes",
        ),
    ] {
        let message = refused(name, &nodes);
        assert!(message.contains(part), "{name}: {message}");
    }
}

#[test]
fn a_change_that_a_strategy_refuses_is_a_reason_and_not_an_end() {
    let fleet = file("fleet.toml", FLEET);
    let reason = |args: &str| {
        let output = keyroute(&format!(
            "compare --no-timing --format json --fleet {fleet} --strategies {args} {KEYS}"
        ));
        let document: Value = serde_json::from_str(&output.ok()).unwrap();
        let change = &document["strategies"][0]["changes"][0];
        assert!(change["movement"]["moved"].is_null());
        change["movement"]["reason"].as_str().unwrap().to_owned()
    };
    for name in [
        "jump",
        "jump-back",
        "flip",
        "power",
        "binomial",
        "binomial-published",
    ] {
        assert_eq!(
            reason(&format!("{name} --remove a")),
            "removes only the last node of the list, which is \"c\""
        );
        assert_eq!(reason(&format!("{name} --reweight a=2")), "has no weights");
    }
    assert_eq!(reason("memento --reweight a=2"), "has no weights");
    assert!(reason("memento --add e=2").contains("has weight 2, but memento has no weights"));
    assert!(reason("anchor --capacity 4 --add e").contains("all 4 buckets have a node"));
    assert!(
        reason("maglev --table-size 5 --add e --add f")
            .contains("would get none of 5 table entries")
    );
    assert!(reason("redis-slots --remove d").contains("5463 partitions are assigned to it"),);
    assert!(reason("buraksezer-1.0 --reweight a=2").contains("has weight 2"));
}
