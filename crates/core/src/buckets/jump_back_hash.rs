//! [`jump_back_hash`]: from the last level backwards, in constant time.

use super::{covered, high, low, mask, top_bit, word};

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](super::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n; shares are exactly even for
/// ideal words. Integers only.
///
/// Cost: less than two pseudo-random words on average, whatever the number of buckets; no memory. Just
/// above a power of two it is slower than just below.
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
    if buckets == 1 {
        return Some(0);
    }
    let first = word(key, 0);
    let mut words = (1..).map(|index| word(key, index));
    // The levels this key has a bucket in: one a set bit, the topmost first.
    let mut levels = (low(first) ^ high(first)) & mask(buckets);
    while levels != 0 {
        let level = top_bit(levels);
        let half = if levels.count_ones().is_multiple_of(2) {
            low(first)
        } else {
            high(first)
        };
        let bucket = level + (half & (level - 1));
        if bucket < buckets {
            return Some(bucket);
        }
        // Only in the top level. Draw over it and all below until a draw decides: a bucket of this
        // level that exists, or the level is left.
        let all = 2 * level - 1;
        let decided = words.by_ref().find_map(|word| {
            [low(word), high(word)]
                .map(|half| half & all)
                .into_iter()
                .find(|&half| half < buckets)
        })?;
        if decided >= level {
            return Some(decided);
        }
        levels ^= level;
    }
    Some(0)
}
