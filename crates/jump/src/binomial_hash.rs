//! [`binomial_hash`]: relocate within a level, retry above.

use keyroute_core::buckets::{covered, high, low, mask, top_bit, word};

/// How many hashes are tried before the level below is taken. Each goes on with a chance below one
/// half, so what is left out is less than 2^−64.
const TRIES: u64 = 64;

/// How many the paper's code tries after the first.
const PUBLISHED_RETRIES: u32 = 4;

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. Integers only.
///
/// Cost: two to four pseudo-random words on average, whatever the number of buckets; no memory.
///
/// Source: Coluzzi, Brocco, Antonucci, Leidi, *BinomialHash: A Constant Time, Minimal Memory Consistent
/// Hash Algorithm*, 2024, with as many retries as it takes to be even, over the words of SplitMix64;
/// [`binomial_hash_published`] is the published form.
///
/// ```
/// use keyroute_jump::binomial_hash;
///
/// assert_eq!(binomial_hash(1, 1), Some(0));
/// assert_eq!(binomial_hash(1, 0), None);
/// ```
#[must_use]
pub fn binomial_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    let mask = mask(buckets);
    // Hash number `try` is word 64 × try; the words after it relocate, one a level.
    let place = |number: u64, mask: u32| {
        let bucket = low(word(key, 64 * number)) & mask;
        relocate(bucket, |level| {
            low(word(key, 64 * number + 1 + u64::from(level.ilog2())))
        })
    };
    let bucket = place(0, mask);
    if bucket < buckets {
        return Some(bucket);
    }
    for number in 1..=TRIES {
        let bucket = place(number, mask);
        if bucket <= mask / 2 {
            break;
        }
        if bucket < buckets {
            return Some(bucket);
        }
    }
    Some(place(0, mask / 2))
}

/// [`binomial_hash`] as published, with its own mixing and four retries, so **not even**: just above a
/// power of two the newest buckets get 3 % less than their share. For systems that route this way
/// already.
///
/// The key must be a hash; the Java library passes 32 bits of it.
///
/// ```
/// use keyroute_jump::binomial_hash_published;
///
/// assert_eq!(binomial_hash_published(1, 1), Some(0));
/// assert_eq!(binomial_hash_published(1, 0), None);
/// ```
#[must_use]
pub fn binomial_hash_published(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    let mask = mask(buckets);
    let place = |hash: u64, mask: u32| relocate(low(hash) & mask, |level| rehash(hash, level - 1));
    let bucket = place(key, mask);
    if bucket < buckets {
        return Some(bucket);
    }
    let mut hash = key;
    for _ in 0..PUBLISHED_RETRIES {
        hash = rehash(hash, mask).into();
        let bucket = place(hash, mask);
        if bucket <= mask / 2 {
            break;
        }
        if bucket < buckets {
            return Some(bucket);
        }
    }
    Some(place(key, mask / 2))
}

/// Draws the bits below the bucket's top bit anew: the bucket keeps its level.
fn relocate(bucket: u32, draw: impl Fn(u32) -> u32) -> u32 {
    if bucket < 2 {
        return bucket;
    }
    let level = top_bit(bucket);
    level + (draw(level) & (level - 1))
}

/// The published mixing: the upper half of a squared step of a linear generator.
fn rehash(value: u64, seed: u32) -> u32 {
    let step = value
        .wrapping_mul(2_862_933_555_777_941_757)
        .wrapping_add(1);
    high(step.wrapping_mul(step).wrapping_mul(seed.into()))
}
