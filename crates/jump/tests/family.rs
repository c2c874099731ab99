//! What every function of the family promises, and what only some do.

#![expect(
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    reason = "counts of a test, far below 2^52"
)]

use keyroute_core::hash::mix64;
use keyroute_jump::{
    MAX_BUCKETS, binomial_hash, binomial_hash_published, flip_hash, jump_back_hash, jump_hash,
    power_hash,
};

type BucketHash = fn(u64, u32) -> Option<u32>;

/// The functions whose shares are even.
const EVEN: [(&str, BucketHash); 5] = [
    ("jump", jump_hash),
    ("jump_back", jump_back_hash),
    ("flip", flip_hash),
    ("power", power_hash),
    ("binomial", binomial_hash),
];

fn family() -> impl Iterator<Item = (&'static str, BucketHash)> {
    EVEN.into_iter()
        .chain([("binomial_published", binomial_hash_published as BucketHash)])
}

#[test]
fn growing_by_one_moves_keys_only_to_the_new_bucket() {
    for (name, hash) in family() {
        for key in (1..=2000u64).map(mix64) {
            let mut before = hash(key, 1).unwrap();
            assert_eq!(before, 0);
            for buckets in 2..=300 {
                let after = hash(key, buckets).unwrap();
                assert!(
                    after == before || after == buckets - 1,
                    "{name}, key {key}, {buckets} buckets"
                );
                before = after;
            }
        }
    }
}

#[test]
fn growing_past_a_power_of_two_moves_keys_only_to_the_new_bucket() {
    for (name, hash) in family() {
        for buckets in (9..31).map(|level| 1u32 << level) {
            for key in (1..=500u64).map(mix64) {
                let [below, at, above] =
                    [buckets - 1, buckets, buckets + 1].map(|n| hash(key, n).unwrap());
                assert!(
                    at == below || at == buckets - 1,
                    "{name}, key {key}, {buckets} buckets"
                );
                assert!(
                    above == at || above == buckets,
                    "{name}, key {key}, {buckets} buckets"
                );
            }
        }
    }
}

#[test]
fn numbers_of_buckets_that_the_papers_do_not_cover_are_refused() {
    for (name, hash) in family() {
        for buckets in [0, MAX_BUCKETS + 1, u32::MAX] {
            assert_eq!(hash(1, buckets), None, "{name}, {buckets} buckets");
        }
        for key in [0, 1, u64::MAX] {
            assert!(hash(key, MAX_BUCKETS).unwrap() < MAX_BUCKETS, "{name}");
        }
    }
}

/// Chi-square of the loads of `keys` mixed keys against even shares.
fn chi_square(hash: BucketHash, buckets: u32, keys: u64) -> f64 {
    let mut loads = vec![0u64; buckets as usize];
    for key in (0..keys).map(|key| mix64(key ^ 0x5bd1_e995_9d1f_3a41)) {
        loads[hash(key, buckets).unwrap() as usize] += 1;
    }
    let even = keys as f64 / f64::from(buckets);
    loads
        .into_iter()
        .map(|load| (load as f64 - even).powi(2) / even)
        .sum()
}

#[test]
fn shares_are_even_within_the_bounds_of_chance() {
    // Both limits at a false alarm of 1 in 10^9, computed for an ideal function, with a key count that
    // sees a bias of 2 % with a chance of 99.9 %.
    let limits = [
        (2, 105_792, 1.58e-18, 37.3),
        (3, 74_644, 2e-9, 41.4),
        (16, 18_732, 0.463, 73.6),
        (17, 17_867, 0.583, 75.7),
        (32, 11_057, 3.91, 103.4),
        (100, 4_954, 36.3, 207.9),
        (128, 4_204, 53.3, 247.0),
        (1000, 1_195, 754.0, 1290.8),
    ];
    for (name, hash) in EVEN {
        for (buckets, keys_each, low, high) in limits {
            let found = chi_square(hash, buckets, u64::from(buckets) * keys_each);
            assert!(
                (low..high).contains(&found),
                "{name}, {buckets} buckets: {found}"
            );
        }
    }
}

#[test]
fn the_published_binomial_hash_starves_the_newest_bucket() {
    // One bucket over a power of two it gets 1 − q^5 of its share, q just below one half: 3 % less.
    let keys = 2_000_000u64;
    let newest = |hash: BucketHash| {
        let hits = (0..keys)
            .filter(|&key| hash(mix64(key), 17) == Some(16))
            .count();
        hits as f64 * 17.0 / keys as f64
    };
    let (published, even) = (newest(binomial_hash_published), newest(binomial_hash));
    assert!((0.95..0.985).contains(&published), "{published}");
    assert!((0.988..1.012).contains(&even), "{even}");
}

/// The table of `docs/hashing.md`, computed from its text by another program.
#[test]
fn the_published_form_is_as_documented() {
    for (digest, buckets, bucket) in [
        (0x3b57_7afd_7fed_9501, 5, 1),
        (0x3b57_7afd_7fed_9501, 100, 1),
        (0x3b57_7afd_7fed_9501, 1025, 372),
        (1 << 63, 5, 0),
        (1 << 63, 1025, 0),
    ] {
        assert_eq!(binomial_hash_published(digest, buckets), Some(bucket));
    }
}
