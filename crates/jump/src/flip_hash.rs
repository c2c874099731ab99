//! [`flip_hash`]: flip the low bits of a masked hash.

use keyroute_core::buckets::{covered, low, mask, top_bit, word};

/// How many draws are made before the level below is taken. Each goes on with a chance below one half,
/// so what is left out is less than 2^−64.
const DRAWS: u64 = 64;

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. Integers only.
///
/// Cost: two to four pseudo-random words on average, whatever the number of buckets; no memory.
///
/// Source: Masson and Lee, *FlipHash: A Constant-Time Consistent Range-Hashing Algorithm*, 2024. The
/// paper leaves the hash open; this one draws the words of SplitMix64, and is not the answer of other
/// libraries.
///
/// ```
/// use keyroute_jump::flip_hash;
///
/// assert_eq!(flip_hash(1, 1), Some(0));
/// assert_eq!(flip_hash(1, 0), None);
/// ```
#[must_use]
pub fn flip_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    let mask = mask(buckets);
    let bucket = flip(key, mask);
    if bucket < buckets {
        return Some(bucket);
    }
    for draw in 1..=DRAWS {
        // Word numbers over 64 belong to one mask: 64 a bit.
        let drawn = low(word(key, 64 * u64::from(mask.count_ones()) + draw)) & mask;
        if drawn <= mask / 2 {
            break;
        }
        if drawn < buckets {
            return Some(drawn);
        }
    }
    Some(flip(key, mask / 2))
}

/// The bucket among all that the mask covers, a power of two. A larger mask either leaves it or adds a
/// top bit.
fn flip(key: u64, mask: u32) -> u32 {
    let masked = low(word(key, 0)) & mask;
    if masked == 0 {
        return 0;
    }
    let level = top_bit(masked);
    // The bits below the top one are drawn anew for each level: words 1 to 31.
    masked ^ (low(word(key, u64::from(level.ilog2()) + 1)) & (level - 1))
}
