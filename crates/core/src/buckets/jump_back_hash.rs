//! [`jump_back_hash`]: from the last level backwards, in constant time.

use core::hint::select_unpredictable;

use super::{covered, first_below, high, is_nearly_full, low, mask, within_level, word};

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](super::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n; shares are exactly even for
/// ideal words. Integers only.
///
/// Cost: one pseudo-random word where the number of buckets is at most a quarter below a power of two; else
/// three, of which some come to nothing but spare the processor a guess, and rarely more; no memory.
///
/// Source: Ertl, *JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to
/// Buckets*, 2024. Bit for bit what the Java library hash4j 0.17 to 0.30 answers over SplitMix64.
///
/// ```
/// use keyroute_core::buckets::jump_back_hash;
///
/// assert_eq!(jump_back_hash(1, 100), Some(33));
/// assert_eq!(jump_back_hash(1, 0), None);
/// ```
#[inline]
#[must_use]
pub fn jump_back_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    if is_nearly_full(buckets) {
        let first = word(key, 0);
        let bucket = topmost(first, levels(first, buckets));
        if bucket < buckets {
            return Some(bucket);
        }
    }
    without_guesses(key, buckets)
}

/// The same where the first bucket may well not exist. Whether it does is a guess, and lost ones cost more than the
/// words that decide if it does not.
#[inline(never)]
fn without_guesses(key: u64, buckets: u32) -> Option<u32> {
    let mask = mask(buckets);
    let [first, second, third] = [0, 1, 2].map(|index| word(key, index));
    let levels = levels(first, buckets);
    let bucket = topmost(first, levels);
    // Else draws over its level and all below decide: a bucket of this level that exists, or the level is left. Only
    // the top level is not whole.
    let below = topmost(first, levels & (mask / 2));
    let halves = [low(second), high(second), low(third), high(third)];
    let mut drawn = first_below(buckets, halves.map(|half| half & mask));
    // One question, which is seldom answered with yes.
    if bucket.min(drawn) >= buckets {
        drawn = draw_from(3, key, buckets)?;
    }
    let decided = select_unpredictable(drawn > mask / 2, drawn, below);
    Some(select_unpredictable(bucket < buckets, bucket, decided))
}

/// The levels a key with this first word has a bucket in: one a set bit.
#[inline]
fn levels(first: u64, buckets: u32) -> u32 {
    (low(first) ^ high(first)) & mask(buckets)
}

/// The bucket in the topmost of these levels: its number there is the upper or the lower half of the word, in turns
/// from level to level; 0 without levels.
#[inline]
fn topmost(word: u64, levels: u32) -> u32 {
    let is_even = levels.count_ones().is_multiple_of(2);
    within_level(levels, select_unpredictable(is_even, low(word), high(word)))
}

/// The first half of the words from this one on that decides.
#[cold]
#[inline(never)]
fn draw_from(index: u64, key: u64, buckets: u32) -> Option<u32> {
    let words = (index..).map(|index| word(key, index));
    let mut halves =
        words.flat_map(|word| [low(word), high(word)].map(|half| half & mask(buckets)));
    halves.find(|&half| half < buckets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::{MAX_BUCKETS, top_bit};

    /// The paper's way, a question after the other.
    fn asked(key: u64, buckets: u32) -> u32 {
        let first = word(key, 0);
        let mut words = (1..).flat_map(|index| [low(word(key, index)), high(word(key, index))]);
        let mut levels = levels(first, buckets);
        while levels != 0 {
            let level = top_bit(levels);
            let is_even = levels.count_ones().is_multiple_of(2);
            let half = if is_even { low(first) } else { high(first) };
            let bucket = level + (half & (level - 1));
            if bucket < buckets {
                return bucket;
            }
            let decided = words
                .by_ref()
                .map(|half| half & (2 * level - 1))
                .find(|&half| half < buckets);
            match decided {
                Some(decided) if decided >= level => return decided,
                _ => levels ^= level,
            }
        }
        0
    }

    #[test]
    fn without_guesses_it_is_as_if_asked() {
        let sizes = (1..300).chain([1_000, 1_023, 1_024, 1_025, 1_000_000, 1_048_577]);
        for buckets in sizes.chain([(1 << 30) + 1, 3 << 29, MAX_BUCKETS]) {
            for seed in 0..2_000 {
                let key = word(seed, buckets.into());
                let expected = Some(asked(key, buckets));
                assert_eq!(jump_back_hash(key, buckets), expected, "{key} of {buckets}");
                assert_eq!(
                    without_guesses(key, buckets),
                    expected,
                    "{key} of {buckets}"
                );
            }
        }
    }
}
