//! Jump is the paper's double-precision form, bit for bit, however it is computed.

use keyroute_core::hash::mix64;
use keyroute_jump::{BucketFunction, JumpHash, MAX_BUCKETS, jump_hash};

const FACTOR: u64 = 2_862_933_555_777_941_757;

/// The paper's program, line by line.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "as in the paper"
)]
fn paper(mut key: u64, buckets: u32) -> u32 {
    let (mut b, mut j) = (-1i64, 0i64);
    while j < i64::from(buckets) {
        b = j;
        key = key.wrapping_mul(FACTOR).wrapping_add(1);
        j = ((b + 1) as f64 * ((1i64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
    }
    b as u32
}

/// The state before this one.
fn back(state: u64) -> u64 {
    // The inverse of an odd factor mod 2^64, by Newton's iteration: each round doubles the right bits.
    let inverse = (0..6).fold(FACTOR, |inverse, _| {
        inverse.wrapping_mul(2u64.wrapping_sub(FACTOR.wrapping_mul(inverse)))
    });
    state.wrapping_sub(1).wrapping_mul(inverse)
}

/// The key whose draw number `step`, from 0, is `draw`, and whose other bits are of `low`.
fn key_drawing(draw: u64, low: u64, step: u32) -> u64 {
    (0..=step).fold(draw << 33 | low >> 31, |state, _| back(state))
}

fn counts() -> impl Iterator<Item = u32> {
    let powers = (1..31).flat_map(|level| [(1 << level) - 1, 1 << level, (1 << level) + 1]);
    [1, 10, 17, 1000, 1_000_000, 1_000_001]
        .into_iter()
        .chain(powers)
        .chain([MAX_BUCKETS - 1, MAX_BUCKETS])
}

/// One by one and in batches of odd lengths.
fn all_agree(keys: &[u64], buckets: u32) {
    let mut found = vec![None; keys.len()];
    let mut rest = (keys, &mut found[..]);
    for len in [1, 7, 8, 9, 63, 64, 65, 200].into_iter().cycle() {
        if rest.0.is_empty() {
            break;
        }
        let len = len.min(rest.0.len());
        JumpHash::bucket_batch(&rest.0[..len], buckets, &mut rest.1[..len]);
        rest = (&rest.0[len..], &mut rest.1[len..]);
    }
    for (&key, batched) in keys.iter().zip(found) {
        let expected = Some(paper(key, buckets));
        assert_eq!(jump_hash(key, buckets), expected, "{key} of {buckets}");
        assert_eq!(batched, expected, "{key} of {buckets} in a batch");
    }
}

#[test]
fn any_key_goes_where_the_paper_has_it() {
    let keys: Vec<u64> = [0, 1, u64::MAX]
        .into_iter()
        .chain((0..20_000).map(mix64))
        .collect();
    for buckets in counts() {
        all_agree(&keys, buckets);
    }
}

/// Whole quotients are where programs differ: those that divide integers, and those that round in the wrong
/// direction. Draws that divide (b + 1) × 2^31 for some small b, and their neighbours, in each of the first
/// rounds.
#[test]
fn keys_of_whole_stops_go_where_the_paper_has_them() {
    let mut keys = Vec::new();
    for odd in (1..200u64).step_by(2) {
        for twos in 0..=31 {
            for drawn in (odd << twos) - 1..=(odd << twos) + 1 {
                if (1..=1 << 31).contains(&drawn) {
                    for step in 0..4 {
                        let low = mix64(odd << 32 | drawn ^ u64::from(step));
                        keys.push(key_drawing(drawn - 1, low, step));
                    }
                }
            }
        }
    }
    for buckets in [2, 3, 10, 50, 1000, 1 << 20, 600_000, MAX_BUCKETS] {
        all_agree(&keys, buckets);
    }
}

/// A stop that is an odd whole number: draw 2^31 − 1 leaves a key that is at an even bucket where it is, and
/// its next stop is one on.
#[test]
fn a_stop_on_an_odd_number_is_not_lost() {
    let mut met = 0;
    for low in (0..4000).map(mix64) {
        for step in 0..3 {
            let key = key_drawing((1 << 31) - 1, low, step);
            let before: u32 = paper_after(key, step);
            met += u32::from(before.is_multiple_of(2) && before < 1000);
            all_agree(&[key], 1000);
        }
    }
    assert!(met > 1000, "{met}");
}

/// The bucket after so many rounds, without an end.
fn paper_after(key: u64, rounds: u32) -> u32 {
    let mut state = key;
    let mut bucket = 0u64;
    for _ in 0..rounds {
        state = state.wrapping_mul(FACTOR).wrapping_add(1);
        bucket = ((bucket + 1) << 31) / ((state >> 33) + 1);
    }
    u32::try_from(bucket).unwrap_or(u32::MAX)
}

/// (b + 1) × 2^31 ÷ d is whole here, 49 × 2^31 ÷ 200704 = 2^19, and in doubles just less: integer division
/// gives another bucket.
#[test]
fn the_first_stop_where_integers_differ_is_the_papers() {
    // Any key that is at bucket 48 in its second round and then draws this.
    let key = (0..10_000_000)
        .map(|low| key_drawing(200_703, mix64(low), 1))
        .find(|&key| paper_after(key, 1) == 48)
        .unwrap();
    let (below, above) = ((1 << 19) - 1, 1 << 19);
    assert_eq!(paper_after(key, 2), above);
    assert_eq!(paper(key, above), below);
    assert_eq!(jump_hash(key, above), Some(below));
    all_agree(&[key; 9], above);
    all_agree(&[key; 9], above + 1);
}

#[test]
fn a_batch_of_buckets_that_are_not_covered_is_refused() {
    for buckets in [0, MAX_BUCKETS + 1] {
        let mut out = [Some(7); 3];
        JumpHash::bucket_batch(&[1, 2, 3], buckets, &mut out);
        assert_eq!(out, [None; 3]);
    }
}
