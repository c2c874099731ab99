//! `keyroute fingerprint` and `keyroute diff`, run as a user runs them.

mod common;

use common::{file, keyroute};
use keyroute::{Node, VectorRing, Weight};

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
