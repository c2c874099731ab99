//! [`flip_hash`]: flip the low bits of a masked hash.

use keyroute_core::buckets::{covered, low, mask, top_bit, word};

use crate::LevelDraws;

/// How many attempts are made before the level below is taken. Each goes on with a chance below one half,
/// so what is left out is less than 2^−64.
const ATTEMPTS: u32 = 64;

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. Integers only.
///
/// Cost: two to four pseudo-random words on average, whatever the number of buckets; no memory.
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
#[must_use]
pub fn flip_hash(key: u64, buckets: u32) -> Option<u32> {
    flip_hash_by(&mut Words(key), buckets)
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

/// The native draws. Word 0 is the place, words 1 to 31 the levels; from 64 on, 64 words belong to one
/// mask.
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
