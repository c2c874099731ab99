//! [`flip_hash`]: flip the low bits of a masked hash.

use core::hint::select_unpredictable;

use keyroute_core::buckets::{
    below_top, covered, first_below, is_nearly_full, low, mask, top_bit, word,
};

use crate::LevelDraws;
use crate::level_draws::level_word;

/// How many attempts are made before the level below is taken. Each goes on with a chance below one half,
/// so what is left out is less than 2^−64.
const ATTEMPTS: u32 = 64;

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. Integers only.
///
/// Cost: two pseudo-random words where the number of buckets is at most a quarter below a power of two; else six,
/// of which some come to nothing but spare the processor a guess, and rarely more; no memory.
///
/// Source: Masson and Lee, *FlipHash: A Constant-Time Consistent Range-Hashing Algorithm*, 2024. The
/// paper leaves the hash open; this one draws the words of SplitMix64, and is not the answer of other
/// libraries ([`flip_hash_by`] takes theirs).
///
/// ```
/// use keyroute_jump::flip_hash;
///
/// assert_eq!(flip_hash(1, 1), Some(0));
/// assert_eq!(flip_hash(1, 0), None);
/// ```
#[inline]
#[must_use]
pub fn flip_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    if is_nearly_full(buckets) {
        let bucket = flipped(key, attempted(key, 0, mask(buckets)));
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
    let [masked, attempts @ ..] = [0, 1, 2, 3].map(|attempt| attempted(key, attempt, mask));
    let bucket = flipped(key, masked);
    let below = flipped(key, masked & (mask / 2));
    let mut drawn = first_below(buckets, attempts);
    if bucket.min(drawn) >= buckets {
        drawn = draw_from(4, key, buckets);
    }
    let decided = select_unpredictable(drawn > mask / 2, drawn, below);
    select_unpredictable(bucket < buckets, bucket, decided)
}

/// What this attempt draws. Native draws are word 0 for the place, words 1 to 31 for the levels; from 64 on, 64 words
/// belong to one mask.
#[inline]
fn attempted(key: u64, attempt: u32, mask: u32) -> u32 {
    let number = match attempt {
        0 => 0,
        _ => 64 * (u32::BITS - mask.leading_zeros()) + attempt,
    };
    low(word(key, number.into())) & mask
}

/// The bucket of a masked place: its low bits flipped by the word of its level.
#[inline]
fn flipped(key: u64, masked: u32) -> u32 {
    masked ^ (level_word(key, 0, masked) & below_top(masked))
}

/// The first attempt from this one on that decides; 0, which takes the level below, if none does.
#[cold]
#[inline(never)]
fn draw_from(attempt: u32, key: u64, buckets: u32) -> u32 {
    let mut draws = (attempt..=ATTEMPTS).map(|attempt| attempted(key, attempt, mask(buckets)));
    draws.find(|&drawn| drawn < buckets).unwrap_or(0)
}

/// [`flip_hash`] over the draws of another library.
///
/// ```
/// # use keyroute_jump::{LevelDraws, flip_hash_by};
/// # struct Ones;
/// # impl LevelDraws for Ones {
/// #     fn over(&mut self, _attempt: u32, _mask: u32) -> u32 { u32::MAX }
/// #     fn within(&mut self, _level: u32) -> u32 { u32::MAX }
/// # }
/// assert_eq!(flip_hash_by(&mut Ones, 8), Some(4));
/// ```
#[must_use]
pub fn flip_hash_by(draws: &mut impl LevelDraws, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    let mask = mask(buckets);
    let bucket = flip(draws, mask);
    if bucket < buckets {
        return Some(bucket);
    }
    for attempt in 1..=ATTEMPTS {
        let drawn = draws.over(attempt, mask) & mask;
        if drawn <= mask / 2 {
            break;
        }
        if drawn < buckets {
            return Some(drawn);
        }
    }
    Some(flip(draws, mask / 2))
}

/// The bucket among all that the mask covers, a power of two. A larger mask either leaves it or adds a
/// top bit.
fn flip(draws: &mut impl LevelDraws, mask: u32) -> u32 {
    let masked = draws.over(0, mask) & mask;
    if masked == 0 {
        return 0;
    }
    let level = top_bit(masked);
    masked ^ (draws.within(level) & (level - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyroute_core::buckets::MAX_BUCKETS;

    /// The native draws, one asked for after the other.
    struct Words(u64);

    impl LevelDraws for Words {
        fn over(&mut self, attempt: u32, mask: u32) -> u32 {
            let number = match attempt {
                0 => 0,
                _ => 64 * u64::from(mask.count_ones()) + u64::from(attempt),
            };
            low(word(self.0, number))
        }

        fn within(&mut self, level: u32) -> u32 {
            low(word(self.0, u64::from(level.ilog2()) + 1))
        }
    }

    #[test]
    fn without_guesses_it_is_as_if_asked() {
        let sizes = (1..300).chain([1_000, 1_023, 1_024, 1_025, 1_000_000, 1_048_577]);
        for buckets in sizes.chain([(1 << 30) + 1, 3 << 29, MAX_BUCKETS]) {
            for seed in 0..2_000 {
                let key = word(seed, buckets.into());
                let expected = flip_hash_by(&mut Words(key), buckets);
                assert_eq!(flip_hash(key, buckets), expected, "{key} of {buckets}");
                assert_eq!(
                    Some(without_guesses(key, buckets)),
                    expected,
                    "{key} of {buckets}"
                );
            }
        }
    }
}
