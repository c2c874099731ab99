//! [`binomial_hash`]: relocate within a level, retry above.

use core::hint::select_unpredictable;

use keyroute_core::buckets::{
    covered, first_below, high, is_nearly_full, low, mask, top_bit, within_level, word,
};

use crate::LevelDraws;
use crate::level_draws::level_word;

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
/// Cost: two pseudo-random words where the number of buckets is at most a quarter below a power of two; else seven,
/// of which some come to nothing but spare the processor a guess, and seldom more; no memory.
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
#[inline]
#[must_use]
pub fn binomial_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    if is_nearly_full(buckets) {
        let bucket = attempted(key, 0, mask(buckets));
        if bucket < buckets {
            return Some(bucket);
        }
    }
    Some(without_guesses(key, buckets))
}

/// The same where the first bucket may well not exist: what decides then is computed before anybody asks, as in
/// [`jump_back_hash`](crate::jump_back_hash).
#[inline(never)]
fn without_guesses(key: u64, buckets: u32) -> u32 {
    let mask = mask(buckets);
    let bucket = attempted(key, 0, mask);
    let below = attempted(key, 0, mask / 2);
    let mut drawn = first_below(buckets, [attempted(key, 1, mask), attempted(key, 2, mask)]);
    if bucket.min(drawn) >= buckets {
        drawn = attempt_from(3, key, buckets);
    }
    let decided = select_unpredictable(drawn > mask / 2, drawn, below);
    select_unpredictable(bucket < buckets, bucket, decided)
}

/// The bucket of an attempt. Native draws are 64 words an attempt: the place, and then the levels.
#[inline]
fn attempted(key: u64, attempt: u32, mask: u32) -> u32 {
    let first = 64 * u64::from(attempt);
    let place = low(word(key, first)) & mask;
    within_level(place, level_word(key, first, place))
}

/// The first attempt from this one on that decides; 0, which takes the level below, if none does.
#[cold]
#[inline(never)]
fn attempt_from(attempt: u32, key: u64, buckets: u32) -> u32 {
    let mut attempts = (attempt..=ATTEMPTS).map(|attempt| attempted(key, attempt, mask(buckets)));
    attempts.find(|&bucket| bucket < buckets).unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use keyroute_core::buckets::MAX_BUCKETS;

    /// The native draws, one asked for after the other.
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

    #[test]
    fn without_guesses_it_is_as_if_asked() {
        let sizes = (1..300).chain([1_000, 1_023, 1_024, 1_025, 1_000_000, 1_048_577]);
        for buckets in sizes.chain([(1 << 30) + 1, 3 << 29, MAX_BUCKETS]) {
            for seed in 0..2_000 {
                let key = word(seed, buckets.into());
                let expected = binomial_hash_by(&mut Words { key, attempt: 0 }, ATTEMPTS, buckets);
                assert_eq!(binomial_hash(key, buckets), expected, "{key} of {buckets}");
                assert_eq!(
                    Some(without_guesses(key, buckets)),
                    expected,
                    "{key} of {buckets}"
                );
            }
        }
    }
}
