//! Which buckets' keys move when one leaves or comes back: exhaustively, on integers.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use keyroute_anchor::buckets::{below, jump_back_hash, word};
use keyroute_anchor::{
    AnchorBuckets, Buckets, DxBuckets, GrowableBuckets, MementoBuckets, RankedBuckets,
};

/// An engine with n buckets in service, and room for as many where that is preset.
fn full<B: Buckets>(n: u32, capacity: Option<u32>) -> B {
    let mut buckets = B::empty(capacity).unwrap();
    for bucket in 0..n {
        assert_eq!(buckets.next_bucket(), Some(bucket));
        assert_eq!(buckets.add(), Some(bucket));
    }
    buckets
}

/// The numbers below n: in a random order, ascending, descending, and from the middle outwards.
fn orders(n: u32) -> [Vec<u32>; 4] {
    let ascending: Vec<u32> = (0..n).collect();
    let mut random = ascending.clone();
    for last in (1..n).rev() {
        random.swap(
            last as usize,
            below(word(n.into(), last.into()), last + 1) as usize,
        );
    }
    let descending = ascending.iter().rev().copied().collect();
    let mut outwards = ascending.clone();
    outwards.sort_by_key(|bucket| (2 * bucket).abs_diff(n));
    [random, ascending, descending, outwards]
}

fn owners(buckets: &impl Buckets, keys: u64) -> Vec<Option<u32>> {
    (0..keys).map(|key| buckets.bucket(word(key, 77))).collect()
}

/// Every key stays, or was on this bucket, or is on it now.
fn moved_only(before: &[Option<u32>], after: &[Option<u32>], bucket: u32, leaving: bool) -> bool {
    before.iter().zip(after).all(|(before, after)| {
        before == after || *(if leaving { before } else { after }) == Some(bucket)
    })
}

fn only_the_leavers_keys_move<B: Buckets>(n: u32, capacity: Option<u32>, keys: u64) {
    for order in orders(n) {
        let mut buckets: B = full(n, capacity);
        let mut before = owners(&buckets, keys);
        let all = before.clone();
        for (left, &bucket) in order.iter().enumerate() {
            assert!(buckets.contains(bucket));
            assert!(buckets.remove(bucket));
            assert!(!buckets.contains(bucket) && !buckets.remove(bucket));
            let after = owners(&buckets, keys);
            let case = format!("{}, {n} buckets, {left} left, then {bucket}", B::NAME);
            assert!(moved_only(&before, &after, bucket, true), "{case}");
            let alive = |owner: &Option<u32>| owner.is_some_and(|owner| buckets.contains(owner));
            assert!(left + 1 == order.len() || after.iter().all(alive), "{case}");
            before = after;
        }
        assert!(before.iter().all(Option::is_none));
        assert!(buckets.removed().is_empty());

        // All forgotten: grown again it is as it was.
        for bucket in 0..n {
            assert_eq!(buckets.add(), Some(bucket));
            let after = owners(&buckets, keys);
            assert!(
                moved_only(&before, &after, bucket, false),
                "{} {n} {bucket}",
                B::NAME
            );
            before = after;
        }
        assert_eq!(before, all);
    }
}

fn only_the_leavers_keys_move_for_any_number_of_buckets<B: Buckets>(room: fn(u32) -> Option<u32>) {
    for n in 1..=64 {
        only_the_leavers_keys_move::<B>(n, room(n), 150);
    }
    only_the_leavers_keys_move::<B>(64, room(64), 3000);
}

#[test]
fn anchor_moves_only_the_leavers_keys() {
    only_the_leavers_keys_move_for_any_number_of_buckets::<AnchorBuckets>(Some);
    only_the_leavers_keys_move::<AnchorBuckets>(40, Some(100), 3000);
}

#[test]
fn the_growable_anchor_moves_only_the_leavers_keys() {
    only_the_leavers_keys_move_for_any_number_of_buckets::<GrowableBuckets>(|_| None);
}

#[test]
fn memento_moves_only_the_leavers_keys() {
    only_the_leavers_keys_move_for_any_number_of_buckets::<MementoBuckets>(|_| None);
}

#[test]
fn dx_moves_only_the_leavers_keys() {
    only_the_leavers_keys_move_for_any_number_of_buckets::<DxBuckets>(Some);
    only_the_leavers_keys_move::<DxBuckets>(40, Some(100), 3000);
}

#[test]
fn the_ranking_moves_only_the_leavers_keys() {
    only_the_leavers_keys_move_for_any_number_of_buckets::<RankedBuckets>(|_| None);
}

/// Buckets leave and come in a random sequence. Every stretch begins with a full row, so that growth and
/// the first removals are met often.
fn any_sequence_moves_only_what_it_must<B: Buckets>(capacity: Option<u32>) {
    for sequence in 0..60u64 {
        let mut buckets: B = full(1 + u32::try_from(sequence).unwrap() % 40, capacity);
        let mut before = owners(&buckets, 400);
        for step in 0..60 {
            let draw = word(sequence, step);
            let in_service: Vec<u32> = (0..100).filter(|&b| buckets.contains(b)).collect();
            let adds = draw & 1 == 0 || in_service.len() == 1;
            let bucket = if adds {
                buckets.add().unwrap()
            } else {
                let count = u32::try_from(in_service.len()).unwrap();
                let bucket = in_service[below(draw, count) as usize];
                buckets.remove(bucket);
                bucket
            };
            let after = owners(&buckets, 400);
            assert!(
                moved_only(&before, &after, bucket, !adds),
                "{}, sequence {sequence}, step {step}",
                B::NAME
            );
            before = after;
        }
    }
}

#[test]
fn any_sequence_of_changes_moves_only_what_it_must() {
    any_sequence_moves_only_what_it_must::<AnchorBuckets>(Some(100));
    any_sequence_moves_only_what_it_must::<GrowableBuckets>(None);
    any_sequence_moves_only_what_it_must::<MementoBuckets>(None);
    any_sequence_moves_only_what_it_must::<DxBuckets>(Some(100));
    any_sequence_moves_only_what_it_must::<RankedBuckets>(None);
}

#[test]
fn with_nobody_gone_the_growable_anchor_and_memento_are_jump_back() {
    for n in (1..=130).chain([1000, 1024, 1025]) {
        let growable: GrowableBuckets = full(n, None);
        let memento: MementoBuckets = full(n, None);
        for key in 0..200 {
            let expected = jump_back_hash(key, n);
            assert_eq!(growable.bucket(key), expected, "{key} {n}");
            assert_eq!(memento.bucket(key), expected, "{key} {n}");
        }
    }
}

#[test]
fn a_full_row_has_no_room() {
    for mut buckets in [Some(1), Some(5)].map(|room| full::<AnchorBuckets>(room.unwrap(), room)) {
        assert_eq!((buckets.next_bucket(), buckets.add()), (None, None));
        assert!(buckets.remove(0));
        assert_eq!(buckets.add(), Some(0));
    }
    let mut dx: DxBuckets = full(5, Some(5));
    assert_eq!((dx.next_bucket(), dx.add()), (None, None));
    assert!(!dx.insert(5) && !dx.insert(4) && !dx.remove(5));
}
