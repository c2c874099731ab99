//! Shares after removals, within what chance allows, and how many draws a lookup takes.

#![expect(
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    reason = "counts of a test, far below 2^52"
)]

use keyroute_anchor::buckets::{below, word};
use keyroute_anchor::{
    AnchorBuckets, Buckets, Draws, DxBuckets, GrowableBuckets, JumpBackWords, MementoBuckets,
    RankedBuckets, Words,
};

/// `total` buckets came, then those of `leavers` left.
fn with_gaps<B: Buckets>(total: u32, capacity: Option<u32>, leavers: &[u32]) -> B {
    let mut buckets = B::empty(capacity).unwrap();
    for _ in 0..total {
        buckets.add().unwrap();
    }
    for &bucket in leavers {
        assert!(buckets.remove(bucket));
    }
    buckets
}

/// The numbers below n in a random order.
fn shuffled(n: u32, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(
            last as usize,
            below(word(seed, last.into()), last + 1) as usize,
        );
    }
    order
}

fn chi_square(loads: impl Iterator<Item = u64> + Clone, keys: u64) -> f64 {
    let even = keys as f64 / loads.clone().count() as f64;
    loads.map(|load| (load as f64 - even).powi(2) / even).sum()
}

/// (buckets, those left of them, keys for each, limits of chi-square at a false alarm of 1 in 10^9 on
/// either side): with so many keys a bias of 2 % is seen with a chance of 99.9 %.
const CASES: [(u32, u32, u64, f64, f64); 6] = [
    (64, 2, 105_792, 1.58e-18, 37.3),
    (5, 3, 74_644, 2e-9, 41.4),
    (100, 10, 27_225, 0.0484, 60.7),
    (33, 17, 17_867, 0.583, 75.7),
    (64, 50, 7_999, 10.5, 133.3),
    (128, 100, 4_954, 36.3, 207.9),
];

fn shares_are_even<B: Buckets>(capacity: fn(u32) -> Option<u32>) {
    for (total, left, keys_each, least, most) in CASES {
        let gone = (total - left) as usize;
        let ascending: Vec<u32> = (0..total).collect();
        let descending: Vec<u32> = ascending[..gone].iter().rev().copied().collect();
        let random = shuffled(total, 9);
        for (name, leavers) in [
            ("random", &random[..gone]),
            ("ascending", &ascending[..gone]),
            ("descending", &descending),
        ] {
            let buckets: B = with_gaps(total, capacity(total), leavers);
            let mut loads = vec![0u64; total as usize];
            let keys = keys_each * u64::from(left);
            for key in 0..keys {
                let bucket = buckets.bucket(word(u64::from(total) << 32, key)).unwrap();
                loads[bucket as usize] += 1;
            }
            let in_service = (0..total).filter(|&bucket| buckets.contains(bucket));
            let loads = in_service.map(|bucket| loads[bucket as usize]);
            assert_eq!(loads.clone().sum::<u64>(), keys);
            let found = chi_square(loads, keys);
            assert!(
                (least..most).contains(&found),
                "{}, {left} of {total} left, {name}: {found}",
                B::NAME
            );
        }
    }
}

#[test]
fn anchor_is_even_whoever_left() {
    shares_are_even::<AnchorBuckets>(|total| Some(total + total / 2));
}

#[test]
fn the_growable_anchor_is_even_whoever_left() {
    shares_are_even::<GrowableBuckets>(|_| None);
}

#[test]
fn memento_is_even_whoever_left() {
    shares_are_even::<MementoBuckets>(|_| None);
}

#[test]
fn dx_is_even_whoever_left() {
    shares_are_even::<DxBuckets>(Some);
}

#[test]
fn the_ranking_is_even_whoever_left() {
    shares_are_even::<RankedBuckets>(|_| None);
}

/// Counts what is asked of other draws.
struct Counted<D>(D, u64);

impl<D: Draws> Draws for Counted<D> {
    fn first(&mut self, buckets: u32) -> u32 {
        self.1 += 1;
        self.0.first(buckets)
    }

    fn next(&mut self, left: u32, bound: u32) -> u32 {
        self.1 += 1;
        self.0.next(left, bound)
    }
}

/// The mean and the greatest number of draws over 20,000 keys.
fn draws<D: Draws>(make: fn(u64) -> D, ask: impl Fn(&mut Counted<D>) -> Option<u32>) -> (f64, u64) {
    let counts = (0..20_000u64).map(|key| {
        let mut counted = Counted(make(word(key, 5)), 0);
        ask(&mut counted).unwrap();
        counted.1
    });
    let (sum, most) = counts.fold((0, 0), |(sum, most), n| (sum + n, most.max(n)));
    (sum as f64 / 20_000.0, most)
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.05
}

#[test]
fn draws_are_as_few_as_documented_when_nodes_left_at_random() {
    let leavers = &shuffled(1000, 3)[..900];

    let anchor: AnchorBuckets = with_gaps(1000, Some(1000), leavers);
    let (mean, most) = draws(Words::new, |counted| anchor.bucket_by(counted));
    assert!(near(mean, 1.0 + 10f64.ln()) && most <= 901, "{mean} {most}");

    // 100 in service of 1000, of which 900 never were.
    let anchor: AnchorBuckets = with_gaps(100, Some(1000), &[]);
    let (mean, most) = draws(Words::new, |counted| anchor.bucket_by(counted));
    assert!(near(mean, 1.0 + 10f64.ln()) && most <= 901, "{mean} {most}");

    let growable: GrowableBuckets = with_gaps(1000, None, leavers);
    let (mean, most) = draws(JumpBackWords::new, |counted| growable.bucket_by(counted));
    assert!(near(mean, 1.0 + 10f64.ln()) && most <= 901, "{mean} {most}");

    let memento: MementoBuckets = with_gaps(1000, None, leavers);
    let (same, _) = draws(JumpBackWords::new, |counted| memento.bucket_by(counted));
    assert!(same == mean, "{same} {mean}");

    let dx: DxBuckets = with_gaps(1000, Some(1000), leavers);
    let (mean, most) = draws(Words::new, |counted| dx.bucket_by(counted));
    assert!(near(mean, 10.0) && most <= 4000, "{mean} {most}");
}

#[test]
fn in_the_worst_order_draws_are_no_more_than_those_that_left() {
    for leavers in [
        (0..900).collect::<Vec<u32>>(),
        (100..1000).rev().collect(),
        (100..1000).collect(),
    ] {
        let anchor: AnchorBuckets = with_gaps(1000, Some(1000), &leavers);
        let growable: GrowableBuckets = with_gaps(1000, None, &leavers);
        let memento: MementoBuckets = with_gaps(1000, None, &leavers);
        let counts = [
            draws(Words::new, |counted| anchor.bucket_by(counted)).1,
            draws(JumpBackWords::new, |counted| growable.bucket_by(counted)).1,
            draws(JumpBackWords::new, |counted| memento.bucket_by(counted)).1,
        ];
        assert!(counts.iter().all(|&most| most <= 901), "{counts:?}");
    }
}

/// Draws that say one thing for ever: the greatest number, the least, or one that is refused.
#[derive(Clone, Copy)]
enum Stuck {
    Least,
    Greatest,
    TooGreat,
}

impl Draws for Stuck {
    fn first(&mut self, buckets: u32) -> u32 {
        match self {
            Self::Least => 0,
            Self::Greatest => buckets - 1,
            Self::TooGreat => buckets,
        }
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        self.first(bound)
    }
}

#[test]
fn draws_that_say_one_thing_for_ever_lead_to_an_answer_all_the_same() {
    for leavers in [
        vec![0, 99],
        vec![99, 0],
        (0..98).collect(),
        (2..100).rev().collect(),
    ] {
        let anchor: AnchorBuckets = with_gaps(100, Some(200), &leavers);
        let growable: GrowableBuckets = with_gaps(100, None, &leavers);
        let memento: MementoBuckets = with_gaps(100, None, &leavers);
        let dx: DxBuckets = with_gaps(100, Some(200), &leavers);
        let answers = |stuck: Stuck| {
            [
                anchor.bucket_by(&mut stuck.clone()),
                growable.bucket_by(&mut stuck.clone()),
                memento.bucket_by(&mut stuck.clone()),
                dx.bucket_by(&mut stuck.clone()),
            ]
        };
        for stuck in [Stuck::Least, Stuck::Greatest] {
            let in_service = |bucket: Option<u32>| bucket.is_some_and(|it| dx.contains(it));
            let answers = answers(stuck);
            assert!(
                answers.into_iter().all(in_service),
                "{leavers:?} {answers:?}"
            );
        }
        assert_eq!(answers(Stuck::TooGreat), [None; 4]);
    }
}

// After 4 × capacity draws of a bucket that is out of service, the next one in service at or after it.
#[test]
fn dx_falls_back_on_the_next_bucket_in_service() {
    let mut dx = DxBuckets::new(8).unwrap();
    for bucket in [2, 5] {
        assert!(dx.insert(bucket));
    }
    let mut greatest = Counted(Stuck::Greatest, 0);
    assert_eq!(dx.bucket_by(&mut greatest), Some(2)); // 7, then round the end
    assert_eq!(greatest.1, 32);
    dx.insert(6);
    assert_eq!(dx.bucket_by(&mut Stuck::Greatest), Some(2)); // only the newcomer's keys move
    dx.insert(7);
    assert_eq!(dx.bucket_by(&mut Stuck::Greatest), Some(7));
}
