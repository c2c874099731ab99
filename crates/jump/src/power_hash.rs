//! [`power_hash`]: a power of two first, then jump for the rest.

use core::hint::select_unpredictable;

use keyroute_core::buckets::{covered, is_nearly_full, low, mask, top_bit, within_level, word};

use crate::LevelDraws;
use crate::level_draws::level_word;
use crate::steps::{advance, after, excess, jump_on, stretch};

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. Uses doubles as
/// [`jump_hash`](crate::jump_hash) does: one rounded division and one multiplication a step.
///
/// Cost: two pseudo-random words where the number of buckets is at most a quarter below a power of two; else four
/// and a step of jump, of which some come to nothing but spare the processor a guess, and seldom more; no memory.
///
/// Source: Leu, *Fast Consistent Hashing in Constant Time*, 2023. The paper leaves the hash open; this
/// one draws the words of SplitMix64, and is not the answer of other libraries
/// ([`power_hash_by`] takes theirs).
///
/// ```
/// use keyroute_jump::power_hash;
///
/// assert_eq!(power_hash(1, 1), Some(0));
/// assert_eq!(power_hash(1, 0), None);
/// ```
#[inline]
#[must_use]
pub fn power_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    if is_nearly_full(buckets) {
        let bucket = relocated(key, low(word(key, 0)) & mask(buckets));
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
    let masked = low(word(key, 0)) & mask;
    let bucket = relocated(key, masked);
    let below = relocated(key, masked & (mask / 2));
    // The first stop after the level below, which is the last below the end in at least ten of eleven cases.
    let (state, end) = (advance(word(key, 32)), f64::from(buckets));
    let stop = f64::from(mask / 2 + 1) * stretch(state);
    let jumps = select_unpredictable(stop < end, u32::MAX, 0);
    // Neither is there a bucket nor is it the level below.
    if bucket.min(jumps) >= buckets {
        return excess(jump_on(state, after(stop), end));
    }
    select_unpredictable(bucket < buckets, bucket, below)
}

/// The bucket of a masked place: its low bits are the word of its level.
#[inline]
fn relocated(key: u64, masked: u32) -> u32 {
    within_level(masked, level_word(key, 0, masked))
}

/// [`power_hash`] over the draws of another library, of which only attempt 0 is made, and its jump: from a
/// bucket to the last stop below `buckets`.
///
/// ```
/// # use keyroute_jump::{LevelDraws, power_hash_by};
/// # struct Ones;
/// # impl LevelDraws for Ones {
/// #     fn over(&mut self, _attempt: u32, _mask: u32) -> u32 { u32::MAX }
/// #     fn within(&mut self, _level: u32) -> u32 { u32::MAX }
/// # }
/// assert_eq!(power_hash_by(&mut Ones, |below| below, 8), Some(7));
/// ```
#[must_use]
pub fn power_hash_by(
    draws: &mut impl LevelDraws,
    jump: impl FnOnce(u32) -> u32,
    buckets: u32,
) -> Option<u32> {
    covered(buckets)?;
    let mask = mask(buckets);
    let bucket = in_power_of_two(draws, mask);
    if bucket < buckets {
        return Some(bucket);
    }
    // Only the top level is not whole. Where would a key of the level below have jumped since?
    let below = mask / 2;
    let jumped = jump(below);
    Some(if (below + 1..buckets).contains(&jumped) {
        jumped
    } else {
        in_power_of_two(draws, below)
    })
}

/// The bucket among all that the mask covers. A larger mask either leaves it or moves it to a higher
/// level.
fn in_power_of_two(draws: &mut impl LevelDraws, mask: u32) -> u32 {
    let masked = draws.over(0, mask) & mask;
    if masked == 0 {
        return 0;
    }
    let level = top_bit(masked);
    level + (draws.within(level) & (level - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyroute_core::buckets::MAX_BUCKETS;

    /// The native draws, one asked for after the other.
    struct Words(u64);

    impl LevelDraws for Words {
        fn over(&mut self, _attempt: u32, _mask: u32) -> u32 {
            low(word(self.0, 0))
        }

        fn within(&mut self, level: u32) -> u32 {
            low(word(self.0, u64::from(level.ilog2()) + 1))
        }
    }

    /// The last stop below `buckets` of a jump that begins at `bucket`.
    fn jump_from(key: u64, bucket: u32, buckets: u32) -> u32 {
        excess(jump_on(
            word(key, 32),
            f64::from(bucket) + 1.0,
            f64::from(buckets),
        ))
    }

    #[test]
    fn without_guesses_it_is_as_if_asked() {
        let sizes = (1..300).chain([1_000, 1_023, 1_024, 1_025, 1_000_000, 1_048_577]);
        for buckets in sizes.chain([(1 << 30) + 1, 3 << 29, MAX_BUCKETS]) {
            for seed in 0..2_000 {
                let key = word(seed, buckets.into());
                let expected = power_hash_by(
                    &mut Words(key),
                    |below| jump_from(key, below, buckets),
                    buckets,
                );
                assert_eq!(power_hash(key, buckets), expected, "{key} of {buckets}");
                assert_eq!(
                    Some(without_guesses(key, buckets)),
                    expected,
                    "{key} of {buckets}"
                );
            }
        }
    }
}
