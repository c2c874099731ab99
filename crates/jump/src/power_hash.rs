//! [`power_hash`]: a power of two first, then jump for the rest.

use keyroute_core::buckets::{covered, low, mask, top_bit, word};

use crate::LevelDraws;
use crate::steps::{excess, jump_on};

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over
/// [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. Uses doubles as
/// [`jump_hash`](crate::jump_hash) does: one rounded division and one multiplication a step.
///
/// Cost: two pseudo-random words, and above a power of two a step or two of jump; no memory.
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
#[must_use]
pub fn power_hash(key: u64, buckets: u32) -> Option<u32> {
    power_hash_by(
        &mut Words(key),
        |below| jump_from(word(key, 32), below, buckets),
        buckets,
    )
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

/// The native draws: word 0 is the place, words 1 to 31 the levels.
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
fn jump_from(state: u64, bucket: u32, buckets: u32) -> u32 {
    excess(jump_on(state, f64::from(bucket) + 1.0, f64::from(buckets)))
}
