//! [`binomial_hash`]: relocate within a level, retry above.

use keyroute_core::buckets::{covered, high, low, mask, top_bit, word};

use crate::LevelDraws;

/// How many attempts are made before the level below is taken. Each goes on with a chance below one
/// half, so what is left out is less than 2^−64.
const ATTEMPTS: u32 = 64;

/// How many the paper's code makes after the first.
const PUBLISHED_ATTEMPTS: u32 = 4;

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
    binomial_hash_by(&mut Words { key, attempt: 0 }, ATTEMPTS, buckets)
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
    binomial_hash_by(
        &mut Published { key, hash: key },
        PUBLISHED_ATTEMPTS,
        buckets,
    )
}

/// [`binomial_hash`] over the draws of another library, with so many attempts after the first. Too few
/// give the newest buckets less than their share: 1 − 2^−(`attempts` + 1) of it just above a power of two.
///
/// ```
/// # use keyroute_jump::{LevelDraws, binomial_hash_by};
/// # struct Ones;
/// # impl LevelDraws for Ones {
/// #     fn over(&mut self, _attempt: u32, _mask: u32) -> u32 { u32::MAX }
/// #     fn within(&mut self, _level: u32) -> u32 { u32::MAX }
/// # }
/// assert_eq!(binomial_hash_by(&mut Ones, 4, 8), Some(7));
/// ```
#[must_use]
pub fn binomial_hash_by(draws: &mut impl LevelDraws, attempts: u32, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    let mask = mask(buckets);
    let bucket = relocated(draws, 0, mask);
    if bucket < buckets {
        return Some(bucket);
    }
    for attempt in 1..=attempts {
        let bucket = relocated(draws, attempt, mask);
        if bucket <= mask / 2 {
            break;
        }
        if bucket < buckets {
            return Some(bucket);
        }
    }
    Some(relocated(draws, 0, mask / 2))
}

/// The bucket of an attempt, its bits below the top one drawn anew: it keeps its level.
fn relocated(draws: &mut impl LevelDraws, attempt: u32, mask: u32) -> u32 {
    let bucket = draws.over(attempt, mask) & mask;
    if bucket < 2 {
        return bucket;
    }
    let level = top_bit(bucket);
    level + (draws.within(level) & (level - 1))
}

/// The native draws: 64 words an attempt, the place and then the levels.
struct Words {
    key: u64,
    attempt: u32,
}

impl Words {
    fn draw(&self, number: u32) -> u32 {
        low(word(
            self.key,
            64 * u64::from(self.attempt) + u64::from(number),
        ))
    }
}

impl LevelDraws for Words {
    fn over(&mut self, attempt: u32, _mask: u32) -> u32 {
        self.attempt = attempt;
        self.draw(0)
    }

    fn within(&mut self, level: u32) -> u32 {
        self.draw(1 + level.ilog2())
    }
}

/// The published draws: attempts are a chain of hashes.
struct Published {
    key: u64,
    hash: u64,
}

impl LevelDraws for Published {
    fn over(&mut self, attempt: u32, mask: u32) -> u32 {
        self.hash = match attempt {
            0 => self.key,
            _ => rehash(self.hash, mask).into(),
        };
        low(self.hash)
    }

    fn within(&mut self, level: u32) -> u32 {
        rehash(self.hash, level - 1)
    }
}

/// The published mixing: the upper half of a squared step of a linear generator.
fn rehash(value: u64, seed: u32) -> u32 {
    let step = value
        .wrapping_mul(2_862_933_555_777_941_757)
        .wrapping_add(1);
    high(step.wrapping_mul(step).wrapping_mul(seed.into()))
}
