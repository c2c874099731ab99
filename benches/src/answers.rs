//! The answers that must come out.
//!
//! Ours are recorded in `answers.txt`, those of two peers too. Of the other peers nothing is recorded: they
//! must answer with nodes of the fleet, alike when asked again, and spread keys about as evenly as chance.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::contestant::{Batch, Replicas};
use crate::workload::{BATCH, keys};

/// How many keys a recorded answer is over, mostly.
pub const CHECKED: usize = 1 << 16;

/// The digest of all keys: XXH3 over their bytes, each followed by a NUL.
pub const KEYS_DIGEST: u64 = 0x72eb_2977_4e2b_eef3;

/// How many where each lookup costs as much as the fleet is large, and more than a few instructions a node.
pub const CHECKED_SLOW: usize = 1 << 12;

/// Checks that `owner` gives the recorded answers of this rule for a fleet of this many nodes, to the first `count`
/// keys.
///
/// # Panics
///
/// If one differs, or none is recorded of this rule at this size.
pub fn check_recorded(rule: &str, nodes: u32, count: usize, owner: &dyn Fn(&[u8]) -> u32) {
    let found = digest_of(&keys()[..count], owner);
    match recorded(rule, nodes) {
        Some(expected) => assert_eq!(
            found, expected,
            "{rule}, {nodes} nodes: the owners' digest is {found:#018x}, expected {expected:#018x}"
        ),
        None if RECORDING.load(Ordering::Relaxed) => println!("{nodes} {found:#018x} {rule}"),
        None => {
            panic!("answers.txt has no line for what was found now:\n{nodes} {found:#018x} {rule}")
        }
    }
}

/// From now on, what nothing is recorded of is no error, but is printed as a line for `answers.txt`.
pub fn record() {
    RECORDING.store(true, Ordering::Relaxed);
}

static RECORDING: AtomicBool = AtomicBool::new(false);

/// The digest recorded of this rule for a fleet of this many nodes.
///
/// # Panics
///
/// If a line of `answers.txt` is not `NODES DIGEST RULE`.
#[must_use]
pub fn recorded(rule: &str, nodes: u32) -> Option<u64> {
    static RECORDED: OnceLock<BTreeMap<(&str, u32), u64>> = OnceLock::new();
    let lines = || {
        include_str!("../answers.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
    };
    let recorded = RECORDED.get_or_init(|| {
        let line =
            |line: &'static str| parse(line).unwrap_or_else(|| panic!("answers.txt: {line}"));
        lines().map(line).collect()
    });
    recorded.get(&(rule, nodes)).copied()
}

fn parse(line: &str) -> Option<((&str, u32), u64)> {
    let mut words = line.splitn(3, ' ');
    let (nodes, digest, rule) = (words.next()?, words.next()?, words.next()?);
    let digest = u64::from_str_radix(digest.strip_prefix("0x")?, 16).ok()?;
    Some(((rule, nodes.parse().ok()?), digest))
}

/// How many nodes may be asked in all where every key asks every node, about.
const EFFORT: u32 = 1 << 22;

/// Checks that `owner` gives answers as any strategy may: nodes of the fleet, the same when asked again, and
/// keys that share a node at most half again as often as chance would have it, with equal nodes.
///
/// Where k keys fall on n nodes, chance makes k (k − 1) / 2n pairs of keys with one owner; a strategy whose
/// shares have the coefficient of variation c makes 1 + c² times as many.
///
/// # Panics
///
/// If one is not so. Fewer keys are asked where `is_slow` says that each costs as much as the fleet is large.
pub fn check_plausible(name: &str, nodes: u32, is_slow: bool, owner: &dyn Fn(&[u8]) -> u32) {
    let count = if is_slow {
        (EFFORT / nodes).clamp(1 << 9, 1 << 14)
    } else {
        1 << 16
    };
    let keys = &keys()[..count as usize]; // u32 fits
    let mut counts = BTreeMap::new();
    for key in keys {
        let answer = owner(key);
        assert!(answer < nodes, "{name}, {nodes} nodes: answers {answer}");
        assert_eq!(owner(key), answer, "{name}, {nodes} nodes: answers change");
        *counts.entry(answer).or_insert(0_u32) += 1;
    }
    let pairs: f64 = counts
        .values()
        .map(|&c| f64::from(c) * f64::from(c - 1) / 2.0)
        .sum();
    let keys = f64::from(u32::try_from(keys.len()).expect("few"));
    let chance = keys * (keys - 1.0) / 2.0 / f64::from(nodes);
    let most = 1.5 * chance + 6.0 * chance.sqrt() + 6.0;
    assert!(
        pairs <= most,
        "{name}, {nodes} nodes: {pairs} pairs of keys share a node, {chance:.0} would by chance"
    );
}

/// Checks that a batch adds up to the single answers.
///
/// # Panics
///
/// If it does not.
pub fn check_batch(name: &str, nodes: u32, router: &dyn Batch) {
    let keys = &keys()[..4 * BATCH];
    // Batches of one key, of some and of all.
    for size in [1, 17, BATCH] {
        for keys in keys.chunks(size) {
            assert_eq!(
                router.batch(keys),
                router.independent(keys),
                "{name}, {nodes} nodes: a batch of {size} differs from single lookups"
            );
        }
    }
}

/// Checks that replicas are distinct nodes of the fleet, the same when asked again, and, of ours, that the first
/// is the owner.
///
/// # Panics
///
/// If one is not so.
pub fn check_replicas(name: &str, nodes: u32, is_peer: bool, router: &dyn Replicas) {
    for key in &keys()[..500] {
        let found = router.replicas(key);
        let [first, second, third] = found;
        assert!(
            first != second
                && second != third
                && third != first
                && found.iter().all(|&n| n < nodes),
            "{name}, {nodes} nodes: {found:?}"
        );
        assert_eq!(
            router.replicas(key),
            found,
            "{name}, {nodes} nodes: replicas change"
        );
        assert!(
            is_peer || router.owner(key) == first,
            "{name}, {nodes} nodes: {found:?}"
        );
    }
}

/// XXH3 over the owners of these keys, each as a `u32`, little-endian.
pub fn digest_of(keys: &[&[u8]], owner: impl Fn(&[u8]) -> u32) -> u64 {
    let mut digest = Xxh3::new();
    for key in keys {
        digest.update(&owner(key).to_le_bytes());
    }
    digest.digest()
}

/// The bare hash, its low half as owners are 32-bit: what any strategy must pay.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
pub fn bare_hash(key: &[u8]) -> u32 {
    xxh3_64(key) as u32
}
