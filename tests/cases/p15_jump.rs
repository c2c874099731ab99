//! Jump: published answers, growth, coverage, and no removal from the middle.

use std::collections::HashSet;

use keyroute::hash::{Xxh64, mix64};
use keyroute::{Jump, KeyHasher, RouteError, jump_hash};
use keyroute_tests::{json, list, number, text};

fn case() -> serde_json::Value {
    json("cases/p15-jump-golden.json")
}

#[test]
fn the_published_answers_are_ours() {
    let case = case();
    for answer in list(&case["expected"]["answers"]) {
        let key: u64 = text(&answer["key"]).parse().unwrap();
        let bucket: u32 = number(&answer["bucket"]);
        assert_eq!(
            jump_hash(key, number(&answer["buckets"])),
            Some(bucket),
            "{answer}"
        );
    }
    let steps = list(&case["expected"]["key_10000_for_10_to_20_buckets"]);
    assert_eq!(steps.len(), 11);
    for (buckets, bucket) in (10..).zip(steps) {
        assert_eq!(jump_hash(10_000, buckets), Some(number(bucket)));
    }
}

#[test]
fn growth_moves_a_key_to_the_new_bucket_or_not_at_all() {
    for key in (0..2000).map(mix64) {
        for buckets in 1..200 {
            let before = jump_hash(key, buckets).unwrap();
            let after = jump_hash(key, buckets + 1).unwrap();
            assert!(
                after == before || after == buckets,
                "key {key}, {buckets} buckets"
            );
        }
    }
}

#[test]
fn all_of_1000_buckets_are_used() {
    let used: HashSet<u32> = (1..=200_000)
        .map(|i| jump_hash(mix64(i), 1000).unwrap())
        .collect();
    let expected: usize =
        number(&case()["expected"]["buckets_used_of_1000_with_200000_random_keys"]);
    assert_eq!(used.len(), expected);
}

#[test]
fn no_buckets_is_no_answer() {
    assert_eq!(jump_hash(1, 0), None);
    assert_eq!(Jump::new().route(b"user:1"), None);
    assert_eq!(Jump::new().remove_last(), Err(RouteError::NoMembers));
}

/// `remove` does not compile on a `Jump` (shown in its documentation). What it would cost to shift the
/// shards behind the removed one is the case's reference, recomputed.
#[test]
fn shifting_the_shards_behind_a_removed_one_would_move_a_third_of_the_rest() {
    let case = case();
    let naive = &case["expected"]["middle_removal"]["naive_reference"];
    let (nodes, removed): (u32, u32) = (number(&naive["nodes"]), number(&naive["removed_slot"]));
    let (mut staying, mut moved) = (0, 0);
    for i in 0..20_000 {
        let hash = Xxh64::default().hash(format!("k{i}").as_bytes());
        let before = jump_hash(hash, nodes).unwrap();
        if before != removed {
            staying += 1;
            let after = jump_hash(hash, nodes - 1).unwrap();
            let after = if after < removed { after } else { after + 1 };
            moved += u64::from(after != before);
        }
    }
    assert_eq!(staying, number::<u64>(&naive["keys_not_on_removed_node"]));
    assert_eq!(moved, number::<u64>(&naive["of_those_moved"]));
}
