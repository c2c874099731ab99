//! The collection's jump: Guava's `consistentHash`.

use keyroute_core::buckets::covered;

use super::{Hash, SizedEngine, SizedFunction};

/// `JumpEngine`: Guava's jump over the key's hash.
///
/// Source: `consistenthash/jump/JumpEngine.java`, Guava 31.1.
pub type JumpEngine = SizedEngine<Jump>;

/// Guava's jump.
#[derive(Clone, Copy, Debug)]
pub struct Jump;

impl SizedFunction for Jump {
    fn bucket(hash: Hash, key: &[u8], size: u32) -> Option<u32> {
        jump(hash.text(key), size)
    }
}

/// Guava's `Hashing.consistentHash`: jump with one rounded division where the paper has a division and a
/// multiplication. No recorded key tells the two apart, but the greatest draw does: there a sum of 32
/// bits turns negative and ends the loop.
///
/// ```
/// assert_eq!(keyroute_interop::java::jump(1, 10), Some(6));
/// ```
#[must_use]
pub fn jump(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    Some(jump_from(key, 0, buckets))
}

/// The last stop below `buckets` of a jump that begins at `candidate`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "31 bits fit; the quotient saturates as in Java"
)]
pub(super) fn jump_from(mut state: u64, mut candidate: u32, buckets: u32) -> u32 {
    loop {
        state = state
            .wrapping_mul(2_862_933_555_777_941_757)
            .wrapping_add(1);
        let draw = f64::from(((state >> 33) as i32).wrapping_add(1)) / f64::from(1u32 << 31);
        let next = (f64::from(candidate + 1) / draw) as i32;
        match u32::try_from(next) {
            Ok(next) if next < buckets => candidate = next,
            _ => return candidate,
        }
    }
}

#[cfg(test)]
mod tests {
    use keyroute_jump::jump_hash;

    use super::jump;

    #[test]
    fn ordinary_keys_go_where_the_papers_jump_sends_them() {
        // So many buckets that a draw more or less shows.
        for key in 1..2000 {
            assert_eq!(jump(key, i32::MAX as u32), jump_hash(key, i32::MAX as u32));
        }
    }
}
