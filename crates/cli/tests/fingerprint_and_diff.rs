//! `keyroute fingerprint` and `keyroute diff`, run as a user runs them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{file, keyroute};
use keyroute::{Batch, Cluster, Node, VectorRing, Weight};

#[test]
fn a_fingerprint_is_that_of_the_library() {
    let fleet = file("fleet", "a\t2\nb\n");
    let printed = keyroute(&format!("fingerprint --fleet {fleet}")).ok();
    let nodes = [
        Node::new("a").unwrap().with_weight(Weight::new(2).unwrap()),
        Node::new("b").unwrap(),
    ];
    let ring = VectorRing::from_nodes(nodes).unwrap();
    assert_eq!(printed, format!("{}\n", ring.fingerprint()));
}

#[test]
fn both_rings_print_one_fingerprint_and_other_strategies_others() {
    let print = |args: &str| keyroute(&format!("fingerprint {args}")).ok();
    assert_eq!(print("-s vector-ring"), print("-s btree-ring"));
    let mut all: Vec<String> = [
        "vector-ring",
        "bounded",
        "ketama",
        "libketama",
        "jump",
        "modulo",
    ]
    .iter()
    .map(|strategy| print(&format!("-s {strategy}")))
    .collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 6);
    assert_ne!(print("--hash xxh3"), print("--hash crc32"));
    assert_ne!(print("--points 160"), print("--points 161"));
    assert_eq!(print("--points 160"), print(""));
}

#[test]
fn order_drained_nodes_and_addresses_do_not_count_but_zones_do() {
    let print = |name: &str, text: &str| {
        keyroute(&format!("fingerprint --fleet {}", file(name, text))).ok()
    };
    let plain = print("plain", "a\nb\n");
    assert_eq!(plain, print("order", "b\na\n"));
    assert_eq!(plain, print("drained", "a\nb\nc\t0\n"));
    assert_eq!(
        plain,
        print(
            "address.json",
            r#"{"nodes": [{"id": "a", "address": "10.0.0.1:1"}, {"id": "b"}]}"#
        )
    );
    assert_ne!(plain, print("zone", "a\t1\teast\nb\n"));
    // The order of a list is part of what jump is given.
    let jump = |name: &str, text: &str| {
        keyroute(&format!("fingerprint -s jump --fleet {}", file(name, text))).ok()
    };
    assert_ne!(jump("ab", "a\nb\n"), jump("ba", "b\na\n"));
}

#[test]
fn the_long_form_says_what_is_covered() {
    let fleet = file("fleet", "alpha\t3\teast\n");
    let long = keyroute(&format!(
        "fingerprint --long --fleet {fleet} --hash crc32 --points 7"
    ))
    .ok();
    for part in ["alpha", "3", "east", "crc32", "7", "ring/native/1"] {
        assert!(long.contains(part), "{part}: {long}");
    }
    let short = keyroute(&format!(
        "fingerprint --fleet {fleet} --hash crc32 --points 7"
    ))
    .ok();
    assert!(long.starts_with(&short));
    assert_eq!(short.trim_end().len(), 32);
}

#[test]
fn diff_says_nothing_and_0_for_fleets_that_answer_alike() {
    let left = file("left", "a\nb\t2\n");
    let right = file(
        "right.toml",
        "[router]\nstrategy = \"btree-ring\"\n[[nodes]]\nid = \"b\"\nweight = 2\n[[nodes]]\nid = \"a\"\n",
    );
    assert_eq!(keyroute(&format!("diff {left} {right}")).ok(), "");
}

#[test]
fn diff_names_each_difference_and_exits_with_1() {
    let left = file("left", "a\nb\t2\nc\n");
    let right = file("right", "a\nb\t3\nd\n");
    let output = keyroute(&format!("diff {left} {right}")).with_code(1);
    assert_eq!(output.lines().count(), 3, "{output}");
    for id in ["b", "c", "d"] {
        assert!(
            output
                .lines()
                .any(|line| line.contains(&format!("\"{id}\""))),
            "{output}"
        );
    }
    let points = file(
        "points.toml",
        "[router]\npoints = 9\n[[nodes]]\nid = \"a\"\n",
    );
    let plain = file("plain", "a\n");
    let output = keyroute(&format!("diff {points} {plain}")).with_code(1);
    assert!(output.contains('9') && output.contains("160"), "{output}");
    // A flag overrides both.
    assert_eq!(
        keyroute(&format!("diff {points} {plain} --points 5")).ok(),
        ""
    );
}

/// What `--format json` prints, which is one line.
fn json(args: &str, code: i32) -> serde_json::Value {
    let printed = keyroute(&format!("{args} --format json")).with_code(code);
    assert_eq!(printed.lines().count(), 1, "{printed}");
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn diff_in_json_is_an_object_whether_they_differ_or_not() {
    let (left, right) = (file("json-left", "a\nb\n"), file("json-right", "a\nc\n"));
    assert_eq!(
        json(&format!("diff {left} {left}"), 0),
        serde_json::json!({"agreement": "same", "behind": null, "changes": null, "differences": []})
    );
    let differ = json(&format!("diff {left} {right}"), 1);
    assert_eq!(differ["agreement"], "differ");
    assert_eq!(
        differ["differences"],
        serde_json::json!([
            {"what": "node \"b\"", "left": "weight 1, no zone", "right": null},
            {"what": "node \"c\"", "left": null, "right": "weight 1, no zone"},
        ])
    );
}

#[test]
fn bad_input_is_2_not_1() {
    let fleet = file("fleet", "a\n");
    let weighted = file("weighted", "a\t2\n");
    for (args, part) in [
        (format!("diff {fleet} no-such-file"), "no-such-file"),
        (format!("diff {fleet}"), "RIGHT"),
        (
            format!("diff {fleet} {fleet} {fleet}"),
            "unexpected argument",
        ),
        (format!("diff {fleet} {weighted} -s jump"), "has weight 2"),
        (format!("diff {fleet} {fleet} --hash x"), "unknown hash"),
        (format!("diff {fleet} {fleet} --points 0"), "0 points"),
        ("fingerprint --fleet no-such-file".into(), "no-such-file"),
        ("fingerprint -s x".into(), "unknown strategy"),
        (
            "fingerprint --epsilon 2000 -s bounded".into(),
            "epsilon \"2000\"",
        ),
        ("fingerprint extra".into(), "unexpected argument"),
        ("nonsense".into(), "nonsense"),
        (String::new(), "Usage"),
    ] {
        let message = keyroute(&args).refused();
        assert!(message.contains(part), "{args}: {message}");
    }
}

/// A client of a cluster of "a" and "b", and the name of the file that it publishes its view in.
struct Client {
    cluster: Cluster<VectorRing, ()>,
    name: String,
}

impl Client {
    fn publish(&self) -> String {
        file(
            &self.name,
            serde_json::to_string(&self.cluster.view()).unwrap(),
        )
    }
}

fn clients(name: &str, count: u32) -> Vec<Client> {
    let client = |number| Client {
        cluster: Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ()),
        name: format!("{name}-{number}.json"),
    };
    (0..count).map(client).collect()
}

#[test]
fn views_of_two_clients_are_the_same_in_flight_or_different() {
    let clients = clients("pair", 2);
    let diff = || {
        let files: Vec<String> = clients.iter().map(Client::publish).collect();
        keyroute(&format!("diff {}", files.join(" ")))
    };
    assert_eq!(diff().ok(), "");
    clients[0].cluster.apply(Batch::new().down("a")).unwrap();
    assert_eq!(diff().ok(), "in flight: the right is 1 change behind\n");
    let files: Vec<String> = clients.iter().map(Client::publish).collect();
    assert_eq!(
        json(&format!("diff {}", files.join(" ")), 0),
        serde_json::json!({"agreement": "behind", "behind": "right", "changes": 1, "differences": []})
    );
    clients[1]
        .cluster
        .apply(Batch::new().reweight("b", 2))
        .unwrap();
    assert_eq!(
        diff().with_code(1),
        "differ: cluster: status of \"a\": down | up; node \"b\": weight 1, no zone | weight 2, no zone\n"
    );
}

#[test]
fn views_of_many_clients_are_grouped_and_the_odd_one_is_named() {
    let clients = clients("many", 4);
    for (number, client) in clients.iter().enumerate() {
        let weight = if number == 2 { 9 } else { 3 };
        let reweight = Batch::new().reweight("b", weight);
        client.cluster.apply(reweight).unwrap();
    }
    let files: Vec<String> = clients.iter().map(Client::publish).collect();
    let shown = keyroute(&format!("diff {}", files.join(" "))).with_code(1);
    let object = json(&format!("diff {}", files.join(" ")), 1);
    assert_eq!(object["agrees"], false);
    assert_eq!(object["groups"][0]["clients"].as_array().unwrap().len(), 3);
    assert_eq!(object["groups"][0]["clients"][0]["behind"], 0);
    assert_eq!(object["groups"][1]["clients"][0]["name"], *files[2]);
    assert_eq!(
        object["groups"][1]["differences"][0],
        serde_json::json!({"what": "node \"b\"", "left": "weight 3, no zone", "right": "weight 9, no zone"})
    );
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "clients: 4, groups: 2");
    assert!(
        lines[1].ends_with(&format!(": {}, {}, {}", files[0], files[1], files[3])),
        "{shown}"
    );
    assert!(lines[2].ends_with(&format!(": {}", files[2])), "{shown}");
    assert_eq!(
        lines[3..],
        ["  node \"b\": weight 3, no zone | weight 9, no zone"]
    );

    let agreeing = [&*files[0], &files[1], &files[3]].join(" ");
    assert!(
        keyroute(&format!("diff {agreeing}"))
            .ok()
            .starts_with("clients: 3, groups: 1\n")
    );
}

#[test]
fn views_and_fleets_are_not_compared_nor_is_a_forged_view() {
    let clients = clients("odd", 1);
    let view = clients[0].publish();
    let fleet = file("odd-fleet.json", r#"{"nodes": [{"id": "a"}]}"#);
    assert!(
        keyroute(&format!("diff {view} {fleet}"))
            .refused()
            .contains("this is no view of a client")
    );
    assert!(
        keyroute(&format!("diff {fleet} {fleet} {fleet}"))
            .refused()
            .contains("only views of clients")
    );
    let text = serde_json::to_string(&clients[0].cluster.view()).unwrap();
    let forged = file(
        "odd-forged.json",
        text.replace("\"id\":\"a\"", "\"id\":\"x\""),
    );
    assert!(
        keyroute(&format!("diff {forged} {view}"))
            .refused()
            .contains("the newest fingerprint is")
    );
}
