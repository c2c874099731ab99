//! `keyroute verify` as a process: exit codes, and what it names.
//!
//! Every recorded answer must be able to fail: for each system one is altered, and each fact of the run.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Run, file, with_args};

use serde_json::{Value, json};

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/vectors")
}

/// The recorded files, each with its system.
fn recorded() -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    for folder in fs::read_dir(vectors()).unwrap() {
        let folder = folder.unwrap().path();
        let system = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in fs::read_dir(folder).unwrap() {
            files.push((system.clone(), file.unwrap().path()));
        }
    }
    files.sort();
    files
}

fn read(file: &Path) -> Value {
    keyroute_cli::verify::plain(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Runs the command on a file of this text.
fn verify_text(text: &str, flags: &[&str]) -> Run {
    let file = file("answers.json", text);
    with_args(&[&["verify", &file], flags].concat())
}

fn verify(document: &Value) -> Run {
    verify_text(&document.to_string(), &[])
}

/// Another answer of the same form.
fn altered(answer: &Value) -> Value {
    match answer {
        Value::String(name) => json!(format!("{name}x")),
        Value::Number(number) => json!(number.as_i64().unwrap() + 1),
        Value::Array(list) => {
            let mut list = list.clone();
            list[0] = altered(&list[0]);
            json!(list)
        }
        Value::Object(map) => {
            let mut map = map.clone();
            let first = map.values_mut().next().unwrap();
            *first = altered(first);
            json!(map)
        }
        other => panic!("no answer: {other}"),
    }
}

/// Expects one difference, named so.
fn assert_differs(run: Run, name: &str) {
    let out = run.with_code(1);
    let mut lines = out.lines();
    let (agree, of) = lines
        .next()
        .and_then(|line| line.rsplit_once(": ")?.1.strip_suffix(" agree"))
        .and_then(|counts| counts.split_once(" of "))
        .unwrap();
    let (agree, of): (u64, u64) = (agree.parse().unwrap(), of.parse().unwrap());
    assert_eq!(agree + 1, of, "{name}: {out}");
    let named = lines.next().unwrap();
    assert!(named.starts_with(&format!("  {name}: expected ")), "{out}");
}

fn assert_unusable(run: Run, says: &str) {
    let error = run.refused();
    assert!(error.contains(says), "{says:?} is not in {error:?}");
}

#[test]
fn an_altered_answer_is_named_in_every_system() {
    let files = recorded();
    assert!(files.len() > 50);
    for (number, (system, file)) in files.into_iter().enumerate() {
        if system == "seed-defects" {
            continue; // its cases have another form: see below
        }
        let mut document = read(&file);
        let cases = document["cases"].as_array_mut().unwrap();
        let place = number * 7 % cases.len();
        cases[place][1] = altered(&cases[place][1]);
        let key = cases[place][0].as_str().unwrap().to_owned();
        let output = verify(&document);
        assert_differs(output, &format!("case {place}, key {key:?}"));
    }
}

#[test]
fn an_altered_fact_of_the_run_is_named() {
    let mut kinds = std::collections::BTreeSet::new();
    for (_, file) in recorded() {
        let document = read(&file);
        let aux = document.get("aux").and_then(Value::as_object);
        for (name, value) in aux.into_iter().flatten() {
            let mut document = document.clone();
            document["aux"][name] = altered(value);
            let output = verify(&document);
            assert_differs(output, &format!("aux {name}"));
            kinds.insert(name.clone());
        }
    }
    let seen: Vec<_> = kinds.iter().map(String::as_str).collect();
    assert_eq!(
        seen,
        [
            "distinct_points",
            "final_load",
            "final_loads",
            "final_max_load",
            "final_total",
            "loads",
            "ops_returned",
            "partition_owners",
            "points",
            "points_shared_by_two_nodes",
            "ring_entries",
            "table",
            "virtual_nodes"
        ]
    );
}

/// Facts that repeat keys with their answers are asked again, each row.
#[test]
fn an_altered_walk_is_named() {
    for (file, fact) in [
        ("hashring-rs/vnode_5x40.txt", "get_with_replicas_2"),
        ("hashring-rs/string_3.txt", "get_with_replicas_2"),
        ("pingora-ketama/v1_3.txt", "node_iter"),
        ("pingora-ketama/v2_multiple_10.txt", "node_iter"),
    ] {
        let document = read(&vectors().join(file));
        let rows = document[fact].as_array().unwrap().len();
        assert!(rows >= 5, "{file}");
        for row in 0..rows {
            let answers = document[fact][row][1].as_array().unwrap().len();
            for answer in [0, answers - 1] {
                let mut document = document.clone();
                let target = &mut document[fact][row][1][answer];
                *target = altered(target);
                assert_differs(verify(&document), &format!("aux {fact}"));
            }
        }
    }
}

#[test]
fn an_altered_list_of_slots_is_named() {
    let files = recorded().into_iter().map(|(_, file)| read(&file));
    let listing = files.filter(|document| document.get("slots_first_64").is_some());
    let mut count = 0;
    for mut document in listing {
        let last = document.pointer_mut("/slots_first_64/63").unwrap();
        *last = altered(last);
        assert_differs(verify(&document), "aux slots_first_64");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn an_altered_ring_dump_is_named() {
    let file = vectors().join("libketama/eight_weighted.txt");
    let document = read(&file);
    for (place, name) in [
        ("/ring/count", "ring count"),
        ("/ring/first/0/0", "ring first 0"),
        ("/ring/first/24/1", "ring first 24"),
        ("/ring/last/7/0", "ring last 7"),
        ("/ring/last/24/1", "ring last 24"),
    ] {
        let mut document = document.clone();
        let value = document.pointer_mut(place).unwrap();
        *value = altered(value);
        assert_differs(verify(&document), name);
    }
    let mut document = document;
    document["special_keys"]["above_last"][0] = json!("r14-7810");
    let output = verify(&document);
    assert_differs(output, "special_keys above_last, key \"r14-7810\"");
}

#[test]
fn an_altered_defect_is_named_in_every_field() {
    let file = vectors().join("seed-defects/point-collisions.json");
    let document = read(&file);
    let cases = document["cases"].as_array().unwrap();
    for case in cases {
        let name = case["name"].as_str().unwrap();
        for (field, value) in case.as_object().unwrap() {
            let mut changed = json!({"about": "one case", "cases": [case]});
            let target = &mut changed["cases"][0][field];
            let expected = match (field.as_str(), value) {
                // The set-up, and what says nothing of an answer.
                ("name" | "scheme" | "vnodes" | "nodes" | "key_stream" | "removed_node", _)
                | ("note" | "expected_of_a_correct_library", _)
                | (_, Value::Null) => continue,
                (_, Value::Number(_))
                    if case["scheme"] == "seed 003 HashRing, label {id}-{i}"
                        && field == "keys_whose_owner_depends_on_insertion_order" =>
                {
                    // Any count up to the number of keys on shared points is possible.
                    *target = json!(20_000);
                    format!("{name}, {field}")
                }
                (_, Value::Number(_)) => {
                    *target = altered(value);
                    format!("{name}, {field}")
                }
                (_, Value::Array(list)) => {
                    let last = list.len() - 1;
                    let row = target[last].as_array_mut().unwrap();
                    let end = row.len() - 1;
                    row[end] = altered(&row[end]);
                    format!("{name}, {field} {last}")
                }
                other => panic!("{other:?}"),
            };
            assert_differs(verify(&changed), &expected);
        }
    }
}

#[test]
fn fields_that_nobody_reads_are_refused() {
    for (system, file) in recorded() {
        let document = read(&file);
        let places: &[&str] = if system == "seed-defects" {
            &["/cases/0", ""]
        } else {
            &["/config", "", "/aux"]
        };
        for &place in places {
            let mut document = document.clone();
            let Some(target) = document.pointer_mut(place) else {
                continue;
            };
            target["spin"] = json!(3);
            assert_unusable(verify(&document), "\"spin\"");
        }
    }
}

fn small() -> Value {
    json!({
        "system": "seed001-ring",
        "config": {"vnodes": 150, "note": "any text"},
        "nodes": ["node-A", "node-B", "node-C", "node-D"],
        "cases": [["user:0:session", "node-B"]],
    })
}

#[test]
fn a_file_that_cannot_be_checked_is_exit_code_2() {
    assert_eq!(verify(&small()).code, 0);
    let with = |place: &str, value: Value| {
        let mut document = small();
        *document.pointer_mut(place).unwrap() = value;
        document
    };
    for (place, value, says) in [
        ("/system", json!("seed009"), "unknown system \"seed009\""),
        ("/system", json!(7), "\"system\" is not a text"),
        ("/cases", json!([]), "no case"),
        ("/cases", json!({}), "\"cases\" is not a list"),
        (
            "/cases",
            json!([["a", "node-A", 3]]),
            "case 0: not [key, expected]",
        ),
        (
            "/cases",
            json!([[7, "node-A"]]),
            "case 0: not [key, expected]",
        ),
        ("/nodes", json!("node-A"), "\"nodes\" is not a list"),
        ("/nodes", json!([7]), "node 0: a node that is not a name"),
        ("/nodes", json!([""]), "a node id is empty"),
        (
            "/nodes",
            json!([{"name": "a", "weight": 2}]),
            "has no weights",
        ),
        ("/nodes", json!([{"name": "a", "zone": "b"}]), "\"zone\""),
        ("/config", json!({}), "has no \"vnodes\""),
        ("/config", json!([]), "config is not an object"),
        ("/config/vnodes", json!(0), "0 points per unit of weight"),
        (
            "/config/vnodes",
            json!(-1),
            "\"vnodes\" is not a whole number",
        ),
        (
            "/config/vnodes",
            json!(5_000_000),
            "at most 16777216 are allowed",
        ),
        (
            "/config/vnodes",
            json!(1e300),
            "\"vnodes\" is not a whole number",
        ),
        (
            "/config",
            json!({"vnodes": 1, "hash": "md4"}),
            "unknown hash \"md4\"",
        ),
        (
            "/config",
            json!({"vnodes": 1, "label": "{node}-{i}"}),
            "this system has \"{node}#{i}\" alone",
        ),
        (
            "/config",
            json!({"vnodes": 1, "key_encoding": "base64"}),
            "unknown key_encoding",
        ),
        (
            "/config",
            json!({"vnodes": 1, "key_encoding": "hex"}),
            "is not hex",
        ),
        (
            "/config",
            json!({"vnodes": 1, "key_encoding": "u64-decimal"}),
            "not an unsigned 64-bit number",
        ),
        (
            "/config",
            json!({"vnodes": 1, "ops": [["spin", "a"]]}),
            "op 0: unknown operation",
        ),
        (
            "/config",
            json!({"vnodes": 1, "ops": [["add_w", "a", 3]]}),
            "op 0: AddWeighted",
        ),
        (
            "/config",
            json!({"vnodes": 1, "events": [[0, "add", "a"]]}),
            "not \"stateful\"",
        ),
        (
            "/config",
            json!({"vnodes": 1, "stateful": true, "events": [[1, "add", "a"]]}),
            "event before key 1",
        ),
        (
            "/config",
            json!({"vnodes": 1, "stateful": "yes"}),
            "true or false",
        ),
    ] {
        assert_unusable(verify(&with(place, value)), says);
    }
    for missing in ["system", "config", "nodes", "cases"] {
        let mut document = small();
        document.as_object_mut().unwrap().remove(missing);
        assert_eq!(verify(&document).code, 2, "{missing}");
    }
    assert_unusable(verify_text("{", &[]), "EOF");
    assert_unusable(verify_text("[1]", &[]), "is not an object");
    assert_unusable(with_args(&["verify", "no-such-file"]), "no-such-file: ");
    assert_unusable(with_args(&["verify"]), "FILE");
}

#[test]
fn set_ups_that_a_system_does_not_have_are_refused() {
    for (document, says) in [
        (
            json!({"system": "seed001-bounded", "config": {"vnodes": 1, "epsilon": 0.5}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "\"stateful\" must be true",
        ),
        (
            json!({"system": "seed001-bounded", "config": {"vnodes": 1, "epsilon": 0.5, "stateful": true}, "nodes": [], "cases": [["k", ""]]}),
            "divides by zero",
        ),
        (
            json!({"system": "seed001-jump", "config": {"buckets": 4_294_967_296u64, "key_encoding": "u64-decimal"}, "nodes": [], "cases": [["1", 0]]}),
            "give at most 2147483647",
        ),
        (
            json!({"system": "seed001-jump", "config": {"buckets": 3, "key_encoding": "u64-decimal"}, "nodes": ["a"], "cases": [["1", 0]]}),
            "\"nodes\" is not empty",
        ),
        (
            json!({"system": "seed001-jump", "config": {"buckets": 3, "key_encoding": "u64-decimal", "ops": [["remove_bucket", 0]]}, "nodes": [], "cases": [["1", 0]]}),
            "only the last can",
        ),
        (
            json!({"system": "seed002-geecache", "config": {"replicas": 5, "ops": [["remove", "a"]]}, "nodes": ["a"], "cases": [["k", ""]]}),
            "which has add",
        ),
        (
            json!({"system": "seed000-reachcache", "config": {"ops": [["add", "a"], ["remove", "a"]]}, "nodes": ["a"], "cases": [["k", ""]]}),
            "added twice",
        ),
        (
            json!({"system": "seed004-ketama-hash", "config": {"alignment": 4}, "nodes": [], "cases": [["k", 0]]}),
            "MD5 word is 4: give 0 to 3",
        ),
        (
            json!({"system": "lafikl", "config": {"method": "get_least+inc"}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "\"stateful\" must be true",
        ),
        (
            json!({"system": "stathat", "config": {"method": "get_n", "n": 2, "ops": [["add", "a"]]}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "never returns",
        ),
        (
            json!({"system": "buraksezer", "config": {"hasher": "xxhash64", "upstream": "v1.0.0", "method": "closest_n", "n": 2}, "nodes": ["a"], "cases": [["k", ["a"]]]}),
            "2 of 1 members",
        ),
        (
            json!({"system": "buraksezer", "config": {"hasher": "xxhash64", "upstream": "v0.10.0", "label": "{i}:{name}"}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "this system has \"{name}{i}\" alone",
        ),
        (
            json!({"system": "buraksezer", "config": {"hasher": "xxhash64", "upstream": "v1.0.0", "load": 1.0001}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "at most three decimals",
        ),
        (
            json!({"system": "buraksezer", "config": {"hasher": "xxhash64", "upstream": "v0.10.0", "partition_count": 2}, "nodes": ["a", "b", "c"], "cases": [["k", "a"]]}),
            "no node has room",
        ),
        (
            json!({"system": "serialx", "config": {"method": "get_nodes", "n": 3}, "nodes": ["a", "b"], "cases": [["k", ["a"]]]}),
            "3 of 2 nodes",
        ),
        (
            json!({"system": "serialx", "config": {"weights": {"a": 1, "b": 2}}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "weights has unknown fields",
        ),
        (
            json!({"system": "go-ketama", "config": {"hash_func": 3}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "unknown hash_func 3",
        ),
        (
            json!({"system": "go-redis-ring", "config": {"hash_tags": false}, "nodes": ["a"], "cases": [["k", "a"]]}),
            "always has them",
        ),
        (
            json!({"system": "pingora-ketama", "config": {"version": "V1", "points_per_weight": 10}, "nodes": ["10.0.0.1:80"], "cases": [["k", "10.0.0.1:80"]]}),
            "V1 with 160",
        ),
        (
            json!({"system": "pingora-ketama", "config": {"version": "V1", "removed": ["10.0.0.1:80"]}, "nodes": ["10.0.0.1:80"], "cases": [["k", "10.0.0.1:80"]]}),
            "is not the name of a node that left",
        ),
        (
            json!({"system": "pingora-ketama", "config": {"version": "V1"}, "nodes": ["localhost:80"], "cases": [["k", "localhost:80"]]}),
            "is no socket address",
        ),
        (
            json!({"system": "seed001-ring", "config": {"vnodes": 1}, "nodes": ["a"], "cases": [["k", "a"]], "ring": {"count": 1}}),
            "\"ring\" is not known of this system",
        ),
    ] {
        assert_unusable(verify(&document), says);
    }
}

#[test]
fn json_says_the_same_in_a_line_a_file() {
    let mut document = small();
    document["cases"][0][1] = json!("node-C");
    let output = verify_text(&document.to_string(), &["--format", "json"]);
    let line: Value = serde_json::from_str(&output.with_code(1)).unwrap();
    assert_eq!(line["system"], "seed001-ring");
    assert_eq!((&line["checks"], &line["agree"]), (&json!(1), &json!(0)));
    assert_eq!(
        line["differences"],
        json!([{"what": "case 0, key \"user:0:session\"", "expected": "node-C", "computed": "node-B"}])
    );
    let output = verify_text("{}", &["--format", "json"]);
    let line: Value = serde_json::from_str(&output.with_code(2)).unwrap();
    assert_eq!(line["error"], "the file has no \"system\"");
}

#[test]
fn a_file_that_cannot_be_checked_does_not_hide_the_others() {
    let fine = file("fine.json", small().to_string());
    let run = with_args(&["verify", "no-such-file", &fine]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("no-such-file: "), "{run:?}");
    assert!(run.with_code(2).contains("1 of 1 agree"));
}
