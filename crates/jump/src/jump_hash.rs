//! [`jump_hash`]: the paper, on numbers only.

use keyroute_core::buckets::covered;

use crate::steps::{WHOLE, advance, advance_twice, below, excess, jump_on, stretch};

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. The key should be a hash:
/// every bit counts, but nearby keys share their first draws.
///
/// Cost: about ln n + 0.58 rounds of one division and one multiplication, and some more that come to nothing
/// but spare a guess when to end; no memory.
///
/// Source: Lamping and Veach, *A Fast, Minimal Memory, Consistent Hash Algorithm*, 2014. Bit for bit
/// the paper's double-precision form: the quotient is formed first and then multiplied. Both are IEEE
/// operations, correctly rounded on every target.
///
/// ```
/// use keyroute_jump::jump_hash;
///
/// assert_eq!(jump_hash(256, 1024), Some(520));
/// assert_eq!(jump_hash(256, 0), None);
/// ```
#[inline]
#[must_use]
pub fn jump_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    Some(in_pairs(key, buckets).unwrap_or_else(|| one_by_one(key, buckets)))
}

/// The bucket, by a number of rounds that depends on that of the buckets alone for nearly all keys: a
/// processor guesses how long such a loop is, but not when a key ends.
///
/// Stops only ever go up, so rounds past the end do no harm. `None` if one was an odd whole number, as one in
/// millions is before the end, and many are far past it where doubles have no fractions: to tell these apart
/// would cost more.
#[inline]
fn in_pairs(key: u64, buckets: u32) -> Option<u32> {
    // Positive doubles compare as their bits do, and of integers the choice below is no branch.
    let end = (WHOLE + f64::from(buckets)).to_bits();
    let mut found = WHOLE.to_bits();
    let mut state = key;
    // One more than the bucket of the last stop, past the end or not.
    let mut next = 1.0;
    let mut odd = false;
    let mut pairs = buckets.ilog2().div_ceil(2);
    loop {
        let states = [advance(state), advance_twice(state)];
        state = states[1];
        for stretch in states.map(stretch) {
            let stop = next * stretch;
            let bucket = below(stop);
            next = bucket - (WHOLE - 1.0);
            odd |= next <= stop;
            found = if bucket.to_bits() < end {
                bucket.to_bits()
            } else {
                found
            };
        }
        if pairs > 1 {
            pairs -= 1;
        } else if next >= f64::from(buckets) {
            break;
        }
    }
    (!odd).then_some(excess(f64::from_bits(found)))
}

#[cold]
#[inline(never)]
fn one_by_one(key: u64, buckets: u32) -> u32 {
    excess(jump_on(key, 1.0, f64::from(buckets)))
}
