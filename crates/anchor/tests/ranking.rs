//! The order of all buckets that a key has: one order for any number of them, and every order as likely.

#![expect(
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    reason = "counts of a test, far below 2^52"
)]

use std::collections::BTreeMap;

use keyroute_anchor::buckets::word;
use keyroute_anchor::{Buckets, RankedBuckets};

fn ranked(n: u32) -> RankedBuckets {
    let mut buckets = RankedBuckets::new();
    for _ in 0..n {
        buckets.add().unwrap();
    }
    buckets
}

/// The first buckets of a hash's order, each once.
fn first(buckets: &RankedBuckets, hash: u64, count: usize) -> Vec<u32> {
    let mut order = Vec::new();
    for bucket in buckets.order(hash) {
        if !order.contains(&bucket) {
            order.push(bucket);
        }
        if order.len() == count {
            break;
        }
    }
    order
}

#[test]
fn an_order_of_fewer_is_the_order_of_more_without_the_rest() {
    for hash in (0..20).map(|key| word(key, 1)) {
        let mut more = first(&ranked(131), hash, 131);
        let mut all = more.clone();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..131));
        for n in (1..131).rev() {
            more.retain(|&bucket| bucket < n);
            assert_eq!(
                first(&ranked(n), hash, 131.min(n as usize)),
                more,
                "{hash} {n}"
            );
        }
    }
}

#[test]
fn past_a_power_of_two_the_order_only_takes_the_newcomer_in() {
    for n in [255, 256, 257, 4095, 4096, 65_535, 65_536] {
        let (mut fewer, mut more) = (ranked(n), ranked(n + 1));
        // With few in service their orders are compared whole.
        for bucket in 0..n {
            if bucket % (n / 7) != 3 {
                fewer.remove(bucket);
                more.remove(bucket);
            }
        }
        let count = (0..n).filter(|&bucket| fewer.contains(bucket)).count();
        for hash in (0..50).map(|key| word(key, 2)) {
            let mut order = first(&more, hash, count + 1);
            assert!(order.contains(&n));
            order.retain(|&bucket| bucket != n);
            assert_eq!(first(&fewer, hash, count), order, "{hash} {n}");
        }
    }
}

#[test]
fn one_that_leaves_only_drops_out_of_the_order() {
    let mut buckets = ranked(40);
    for leaver in [39, 0, 16, 31, 7, 38, 37] {
        let before: Vec<_> = (0..300)
            .map(|key| first(&buckets, word(key, 3), buckets_in_service(&buckets)))
            .collect();
        assert!(buckets.remove(leaver));
        for (key, mut order) in (0..).zip(before) {
            order.retain(|&bucket| bucket != leaver);
            assert_eq!(first(&buckets, word(key, 3), order.len()), order);
        }
    }
}

fn buckets_in_service(buckets: &RankedBuckets) -> usize {
    (0..100).filter(|&bucket| buckets.contains(bucket)).count()
}

/// Chi-square of how often each of `kinds` outcomes came up.
fn chi_square(counts: &BTreeMap<Vec<u32>, u64>, kinds: usize) -> f64 {
    assert_eq!(
        counts.len(),
        kinds,
        "some never came up, or some should not"
    );
    let keys: u64 = counts.values().sum();
    let even = keys as f64 / kinds as f64;
    let square = |&count: &u64| (count as f64 - even).powi(2) / even;
    counts.values().map(square).sum()
}

/// Wilson and Hilferty's quantile of chi-square, z standard deviations from the middle.
fn quantile(df: f64, z: f64) -> f64 {
    df * (1.0 - 2.0 / (9.0 * df) + z * (2.0 / (9.0 * df)).sqrt()).powi(3)
}

fn every_outcome_is_as_likely(buckets: &RankedBuckets, take: usize, kinds: usize, seed: u64) {
    let mut counts = BTreeMap::new();
    for key in 0..1000 * kinds as u64 {
        *counts
            .entry(first(buckets, word(seed, key), take))
            .or_default() += 1;
    }
    let (df, found) = (kinds as f64 - 1.0, chi_square(&counts, kinds));
    // Φ⁻¹(1 − 10⁻⁹) = 5.998.
    let (least, most) = (quantile(df, -5.998), quantile(df, 5.998));
    assert!(
        (least..most).contains(&found),
        "{kinds} outcomes: {found}, {least} to {most}"
    );
}

#[test]
fn every_order_is_as_likely() {
    every_outcome_is_as_likely(&ranked(4), 4, 24, 11);
    every_outcome_is_as_likely(&ranked(5), 5, 120, 12);
    // Owner and first replica, and second replica, of a few.
    every_outcome_is_as_likely(&ranked(6), 3, 120, 13);
    every_outcome_is_as_likely(&ranked(17), 2, 17 * 16, 14);

    // 5 left of 40, on both sides of powers of two.
    let mut few = ranked(40);
    for bucket in (0..40).filter(|bucket| ![3, 15, 16, 31, 32].contains(bucket)) {
        few.remove(bucket);
    }
    every_outcome_is_as_likely(&few, 5, 120, 15);
}
