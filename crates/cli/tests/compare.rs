//! `keyroute compare`, run as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;

use common::{file, keyroute, keyroute_on, with_args};
use serde_json::Value;

const FIVE: &str = "alpha\nbeta\ngamma\ndelta\nepsilon\n";

fn json(args: &str) -> Value {
    let output = keyroute(&format!("compare --no-timing --format json {args}")).ok();
    serde_json::from_str(&output).unwrap()
}

fn strategy<'a>(document: &'a Value, name: &str) -> &'a Value {
    let strategies = document["strategies"].as_array().unwrap();
    strategies
        .iter()
        .find(|strategy| strategy["strategy"] == name)
        .unwrap()
}

fn near(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// Who owns each key, by `keyroute route`.
fn owners(args: &str) -> BTreeMap<String, String> {
    let output = keyroute(&format!("route {args}")).ok();
    output
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(key, node)| (key.to_owned(), node.to_owned()))
        .collect()
}

#[test]
fn modulo_from_three_to_four_nodes_moves_7484_of_10000_keys() {
    let fleet = file("three", "node-A\nnode-B\nnode-C\n");
    let document = json(&format!(
        "--fleet {fleet} --add node-D --hash crc32 --strategies modulo \
         --keys-pattern user:{{}}:session --count 10000"
    ));
    let movement = &document["strategies"][0]["changes"][0]["movement"];
    assert_eq!(movement["moved"], 7484);
    assert_eq!(movement["moved_share"], 0.7484);
    let needed = movement["needed"].as_u64().unwrap();
    assert_eq!(needed + movement["needless"].as_u64().unwrap(), 7484);
    assert!((2300..2700).contains(&needed), "{needed}");
    assert_eq!(document["changes"][0]["least_share"], 0.25);
}

#[test]
fn the_numbers_are_those_that_route_gives() {
    let before = file("before", FIVE);
    let after = file(
        "after",
        "alpha\nbeta\ndelta\nepsilon\tfive\n".replace("\tfive", "\t5") + "zeta\t2\n",
    );
    let keys = "--keys-pattern k{} --count 3000";
    let document = json(&format!(
        "--fleet {before} {keys} --strategies btree-ring --points 7 \
         --add zeta=2 --remove gamma --reweight epsilon=5"
    ));
    let [old, new] = [&before, &after].map(|fleet| {
        owners(&format!(
            "--fleet {fleet} {keys} --strategy btree-ring --points 7"
        ))
    });

    let found = strategy(&document, "btree-ring");
    let by_node: Vec<u64> = FIVE
        .lines()
        .map(|id| old.values().filter(|owner| *owner == id).count() as u64)
        .collect();
    assert_eq!(
        found["balance"]["keys_by_node"],
        Value::from(by_node.clone())
    );
    let most = u32::try_from(*by_node.iter().max().unwrap()).unwrap();
    near(&found["balance"]["max_over_mean"], f64::from(most) / 600.0);

    let moved: Vec<(&str, &str)> = old
        .iter()
        .map(|(key, from)| (from.as_str(), new[key].as_str()))
        .filter(|(from, to)| from != to)
        .collect();
    let needed = |(from, to): &&(&str, &str)| *from == "gamma" || ["zeta", "epsilon"].contains(to);
    let movement = &found["changes"][0]["movement"];
    assert_eq!(movement["moved"], moved.len());
    assert_eq!(movement["needed"], moved.iter().filter(needed).count());
    assert_eq!(movement["needless"], 0);

    let [old, new] = [before, after].map(|fleet| {
        owners(&format!(
            "--fleet {fleet} {keys} --strategy btree-ring --points 7 --replicas 2"
        ))
    });
    let kept: u32 = old
        .iter()
        .map(|(key, set)| {
            let new: Vec<&str> = new[key].split(',').collect();
            set.split(',')
                .map(|node| u32::from(new.contains(&node)))
                .sum::<u32>()
        })
        .sum();
    near(
        &found["changes"][0]["replicas"]["overlap"],
        f64::from(kept) / 6000.0,
    );
}

#[test]
fn a_tiny_fleet_gives_these_numbers_for_ever() {
    let fleet = file("five", FIVE);
    let args = format!(
        "compare --no-timing --fleet {fleet} --keys-pattern k{{}} --count 1000 --points 10 \
         --remove gamma --strategies vector-ring,jump,modulo"
    );
    let expected = r#"
Fleet: FLEET: 5 nodes, weights together 5
Keys:  pattern "k{}": 1000
Hash xxh3, 10 points per unit of weight, 2 replicas

Balance: the keys of a node, over the keys its weight asks for
 strategy     max/mean  min/mean       CV  keyless nodes
---------------------------------------------------------
 vector-ring     1.490     0.800  26.38 %              0
 jump            1.105     0.915   7.09 %              0
 modulo          1.135     0.890   7.92 %              0

Change 1: remove gamma
The weights ask for 20.00 % of the keys to move
 strategy       moved   needed  needless  replicas kept  sets changed needlessly
---------------------------------------------------------------------------------
 vector-ring  16.00 %  16.00 %    0.00 %        76.95 %                   0.00 %
 jump             n/a      n/a       n/a            n/a                      n/a
 modulo       79.20 %  22.70 %   56.50 %            n/a                      n/a
 n/a: jump: removes only the last node of the list, which is "epsilon"
 n/a: modulo: no order of replicas

Cost
"#;
    let output = keyroute(&args).ok().replace(&fleet, "FLEET");
    assert!(output.starts_with(expected.trim_start()), "{output}");
    assert_eq!(output, keyroute(&args).ok().replace(&fleet, "FLEET"));
}

#[test]
fn what_a_strategy_refuses_is_null_with_a_reason() {
    let fleet = file("weighted", "a\t2\nb\t1\nc\t1\n");
    let document = json(&format!("--fleet {fleet} --keys-pattern k{{}} --count 100"));
    let jump = strategy(&document, "jump");
    let reason = "node \"a\" has weight 2, but jump has no weights: give it weight 1, or choose a strategy with weights";
    for (cell, numbers) in [
        (&jump["balance"], 5),
        (&jump["loaded"], 8),
        (&jump["memory"], 1),
        (&jump["times"], 3),
        (&jump["changes"][0]["movement"], 6),
        (&jump["changes"][0]["replicas"], 3),
        (&jump["changes"][0]["times"], 1),
    ] {
        let cell = cell.as_object().unwrap();
        assert_eq!(cell["reason"], reason);
        assert_eq!(
            cell.values().filter(|value| value.is_null()).count(),
            numbers
        );
        assert_eq!(cell.len(), numbers + 1);
    }
    let ring = strategy(&document, "vector-ring");
    assert!(ring["balance"]["reason"].is_null());
    assert!(ring["balance"]["cv"].is_f64());
    assert_eq!(ring["times"]["reason"], "not timed: --no-timing");
}

#[test]
fn jump_refuses_to_lose_a_node_in_the_middle_and_says_so_everywhere() {
    let document = json("--strategies jump --remove cache-04 --keys-pattern k{} --count 100");
    let change = &strategy(&document, "jump")["changes"][0];
    assert!(change["movement"]["moved"].is_null());
    assert_eq!(
        change["movement"]["reason"],
        "removes only the last node of the list, which is \"cache-10\""
    );
    let table = keyroute("compare --no-timing --strategies jump --remove cache-04").ok();
    assert!(
        table.contains("n/a: jump: removes only the last node of the list"),
        "{table}"
    );

    // The last one may leave, and no key moves needlessly.
    let document = json("--strategies jump --remove cache-10");
    let movement = &strategy(&document, "jump")["changes"][0]["movement"];
    assert_eq!(movement["needless"], 0);
    assert!(movement["needed"].as_u64().unwrap() > 10_000);
}

#[test]
fn all_strategies_have_the_same_fields() {
    let document = json("--keys-pattern k{} --count 100 --strategies all");
    let strategies = document["strategies"].as_array().unwrap();
    assert!(strategies.len() > 20);
    let shape = |value: &Value| {
        let fields =
            |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
        let change = &value["changes"][0];
        [
            fields(value),
            fields(&value["balance"]),
            fields(&value["loaded"]),
            fields(&value["memory"]),
            fields(&value["times"]),
            fields(&change["movement"]),
            fields(&change["replicas"]),
            fields(&change["times"]),
        ]
    };
    for strategy in strategies {
        assert_eq!(shape(strategy), shape(&strategies[0]), "{strategy}");
        assert_eq!(strategy["changes"].as_array().unwrap().len(), 2);
    }
    assert_eq!(document["schema"], "keyroute/compare/1");
    assert_eq!(document["default_changes"], true);
}

#[test]
fn without_files_the_first_run_shows_the_main_thing() {
    let table = keyroute("compare").ok();
    for part in [
        "the bundled sample: 10 nodes",
        "the bundled sample: 120000",
        "Change 1: add newcomer (an example",
        "Change 2: remove cache-06 (an example",
        "medians of this machine and this run",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
    assert!(table.is_ascii());
    assert!(!table.contains('\x1b'));
    assert!(table.lines().all(|line| line.len() <= 100), "{table}");
}

#[test]
fn both_rings_differ_in_cost_alone() {
    let document = json("--strategies all --replicas 3 --reweight cache-02=3");
    let (a, b) = (
        strategy(&document, "vector-ring"),
        strategy(&document, "btree-ring"),
    );
    assert_eq!(a["balance"], b["balance"]);
    assert_eq!(a["changes"], b["changes"]);
    let replicas = &a["changes"][0]["replicas"];
    assert_eq!(replicas["sets_changed_needlessly"], 0);
    let overlap = replicas["overlap"].as_f64().unwrap();
    assert!((0.8..1.0).contains(&overlap), "{overlap}");
}

#[test]
fn one_replica_is_the_owner() {
    let document = json("--strategies vector-ring --replicas 1 --add new");
    let change = &strategy(&document, "vector-ring")["changes"][0];
    let moved = change["movement"]["moved_share"].as_f64().unwrap();
    let overlap = change["replicas"]["overlap"].as_f64().unwrap();
    assert!((moved + overlap - 1.0).abs() < 1e-12);
    assert_eq!(
        change["replicas"]["sets_changed"],
        change["movement"]["moved"]
    );
}

#[test]
fn csv_has_a_row_for_each_strategy_and_change() {
    let output =
        keyroute("compare --format csv --each --add new --remove cache-03 --add a=1=2").ok();
    let mut table = csv::Reader::from_reader(output.as_bytes());
    let header = table.headers().unwrap().clone();
    assert_eq!(&header[0], "strategy");
    assert_eq!(&header[header.len() - 1], "reason");
    let rows: Vec<_> = table.records().map(Result::unwrap).collect();
    assert_eq!(rows.len() % 3, 0);
    let changes: Vec<&str> = rows[..3].iter().map(|row| &row[1]).collect();
    assert_eq!(changes, ["add new", "add a=1=2", "remove cache-03"]);
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (moved, reason) = (column("moved_share"), column("reason"));
    for row in &rows {
        let refused = row[reason].contains("weight") || row[reason].contains("removes");
        assert_eq!(row[moved].is_empty(), refused, "{row:?}");
        if !refused {
            let share: f64 = row[moved].parse().unwrap();
            assert!((0.0..=1.0).contains(&share));
        }
    }
    let loaded = column("loaded_max_over_mean");
    for row in &rows {
        assert_eq!(row[loaded].is_empty(), &row[0] != "bounded", "{row:?}");
    }
}

#[test]
fn bounded_loads_stay_within_epsilon_of_fair() {
    let document = json("--strategies bounded,vector-ring --points 5 --epsilon 0.05");
    let bounded = &strategy(&document, "bounded");
    let loaded = &bounded["loaded"];
    assert_eq!(loaded["fullest_load"], 12_600); // 1.05 x 120,000 / 10
    assert_eq!(loaded["fullest_capacity"], 12_600);
    near(&loaded["max_over_mean"], 1.05);
    assert!(loaded["away_share"].as_f64().unwrap() > 0.05, "{loaded}");
    // Idle it is the ring.
    let ring = &strategy(&document, "vector-ring");
    assert_eq!(bounded["balance"], ring["balance"]);
    assert_eq!(bounded["changes"], ring["changes"]);
    assert_eq!(ring["loaded"]["reason"], "does not bound loads");
    assert!(ring["loaded"]["max_over_mean"].is_null());
}

#[test]
fn libketama_moves_keys_between_bystanders_and_ketama_does_not() {
    let document = json("--strategies ketama,libketama --add new=3");
    let needless = |name| &strategy(&document, name)["changes"][0]["movement"]["needless"];
    assert_eq!(needless("ketama"), 0);
    assert!(needless("libketama").as_u64().unwrap() > 5_000);
    assert_eq!(strategy(&document, "libketama")["hash"], "md5");
}

#[test]
fn keys_may_come_from_a_file_or_standard_input() {
    let keys = file("keys", "a\nb\nc\n");
    let document = json(&keys);
    assert_eq!(document["keys"], 3);
    let output = keyroute_on("compare --no-timing --format json -0 -", b"x\0y\n\0");
    let document: Value = serde_json::from_str(&output.ok()).unwrap();
    assert_eq!(document["keys"], 2);
    assert_eq!(document["keys_from"], "standard input");
}

#[test]
fn bad_flags_are_refused_by_name() {
    let weighted = file("drained", "a\t0\n");
    let empty = file("empty", "");
    for (args, part) in [
        ("--add cache-01", "already a member"),
        ("--add =1", "a node id is empty"),
        ("--add a=0", "weight 0"),
        ("--add a=x", "\"x\""),
        ("--add a=-1", "\"-1\""),
        ("--add a=4294967296", "4294967296"),
        ("--remove nobody", "not a member"),
        ("--remove", "--remove"),
        ("--reweight cache-01", "no weight"),
        ("--reweight nobody=2", "not a member"),
        ("--add a --remove a", "another change names this node too"),
        ("--remove cache-01 --reweight cache-01=2", "another change"),
        ("--replicas 0", "1 to 100"),
        ("--replicas 101", "1 to 100"),
        ("--replicas -1", "--replicas"),
        ("--replicas x", "x"),
        ("--strategies", "--strategies"),
        ("--strategies vector-ring,", "unknown strategy \"\""),
        ("--strategies ring", "unknown strategy \"ring\""),
        ("--hash sha1", "unknown hash \"sha1\""),
        ("--points 0", "0"),
        ("--points 16777217", "16777217"),
        ("--points x", "x"),
        ("--epsilon 0", "epsilon \"0\""),
        ("--epsilon 1001", "epsilon \"1001\""),
        ("--epsilon -1", "-1"),
        ("--epsilon nan", "nan"),
        ("--format xml", "xml"),
        ("--fleet no-such-file", "no-such-file"),
        ("no-such-keys", "no-such-keys"),
        ("--count 5", "--keys-pattern"),
        ("--keys-pattern abc", "has no {}"),
        ("--keys-pattern k{} --count 0", "has no keys"),
        ("--keys-pattern k{} --count -5", "-5"),
        ("--keys-pattern k{} --count 16777217", "over 16777216 keys"),
        ("--keys-pattern k{} keys.txt", "cannot be used with"),
        ("--null --hex", "cannot be used with"),
        (&format!("--fleet {weighted}"), "all drained"),
        (&format!("--fleet {empty}"), "no nodes"),
        (&empty, "has no keys"),
        ("--fleet - -", "standard input"),
        ("--no-such-flag", "--no-such-flag"),
    ] {
        let message = keyroute(&format!("compare {args}")).refused();
        assert!(message.contains(part), "{args}: {message}");
    }
    let lone = file("lone", "only\n");
    let message = keyroute(&format!("compare --fleet {lone} --remove only")).refused();
    assert!(message.contains("leaves no node"), "{message}");
    let long = "x".repeat(4097);
    let message = with_args(&["compare", "--add", &long]).refused();
    assert!(message.contains("4097 bytes"), "{message}");
}

#[test]
fn ids_with_control_characters_are_escaped_in_tables() {
    let output = with_args(&["compare", "--no-timing", "--add", "evil\u{1b}[31m"]).ok();
    assert!(!output.contains('\u{1b}'));
    assert!(output.contains("add evil\\u{1b}[31m"), "{output}");
}

#[test]
fn several_points_or_hashes_make_a_table() {
    let output = keyroute("compare --points 1,50,200 --hash crc32,xxh3 --format json").ok();
    let document: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(document["schema"], "keyroute/points/1");
    let rows = document["rows"].as_array().unwrap();
    let points: Vec<&Value> = rows.iter().map(|row| &row["points"]).collect();
    assert_eq!(points, [1, 50, 200]);
    for row in rows {
        let hashes: Vec<&Value> = row["hashes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| &cell["hash"])
            .collect();
        assert_eq!(hashes, ["crc32", "xxh3"]);
        let points = row["points"].as_u64().unwrap();
        near(
            &row["one_over_sqrt_points"],
            1.0 / f64::from(u32::try_from(points).unwrap()).sqrt(),
        );
    }

    // A cell is what the comparison of strategies says of the ring.
    let alone = json("--points 50 --hash crc32 --strategies vector-ring");
    let (cell, balance) = (&rows[1]["hashes"][0], &alone["strategies"][0]["balance"]);
    for number in ["cv", "max_over_mean", "min_over_mean"] {
        assert_eq!(cell[number], balance[number]);
    }
    assert_eq!(cell["worst_max_over_mean"], cell["max_over_mean"]);
}

#[test]
fn more_trials_widen_the_view() {
    let worst = |trials: u32| -> f64 {
        let output = keyroute(&format!(
            "compare --points 20 --trials {trials} --keys-pattern k{{}} --count 5000 --format csv"
        ));
        let output = output.ok();
        let mut table = csv::Reader::from_reader(output.as_bytes());
        let at = table
            .headers()
            .unwrap()
            .iter()
            .position(|name| name == "worst_max_over_mean");
        let row = table.records().next().unwrap().unwrap();
        row[at.unwrap()].parse().unwrap()
    };
    assert!(worst(30) > worst(1));
    let table = keyroute("compare --points 20,40 --trials 3 --keys-pattern k{} --count 5000").ok();
    assert!(table.contains("max/mean, worst of 3 fleets"), "{table}");
}

#[test]
fn a_table_refuses_what_it_would_pass_over() {
    for flag in [
        "--add a",
        "--remove cache-01",
        "--reweight cache-01=2",
        "--each",
        "--strategies jump",
        "--epsilon 1",
        "--node-points 5",
        "--table-size 5",
        "--partitions 5",
        "--capacity 50",
        "--replicas 3",
    ] {
        for table in ["--points 1,2", "--hash crc32,md5", "--trials 2"] {
            let message = keyroute(&format!("compare {table} {flag}")).refused();
            let name = flag.split(' ').next().unwrap();
            assert!(
                message.contains(&format!("keyroute: {name}: ")),
                "{message}"
            );
        }
    }
    for (args, part) in [
        ("--points 1,", "--points"),
        ("--points 1,0", "0"),
        ("--hash crc32,nope", "unknown hash \"nope\""),
        ("--trials 0", "0"),
        ("--trials 1001", "1001"),
        ("--trials -1", "-1"),
    ] {
        let message = keyroute(&format!("compare {args}")).refused();
        assert!(message.contains(part), "{args}: {message}");
    }
    let long = file("long", "x".repeat(4096));
    let message = keyroute(&format!("compare --points 1,2 --trials 2 --fleet {long}")).refused();
    assert!(message.contains("4098 bytes"), "{message}");
}

#[test]
fn a_ring_with_too_many_points_is_refused_in_its_cell() {
    let fleet = file("two", "a\nb\n");
    let table = keyroute(&format!(
        "compare --fleet {fleet} --points 1,16777216 --hash xxh3 --keys-pattern k{{}} --count 10"
    ));
    let table = table.ok();
    assert!(table.contains("n/a: 16777216: 33554432 points"), "{table}");
}
