//! [`jump_hash`]: the paper, on numbers only.

use keyroute_core::buckets::covered;

/// The bucket of a key, 0 to `buckets` − 1; `None` for 0 buckets and over [`MAX_BUCKETS`](crate::MAX_BUCKETS).
///
/// Growing from n to n + 1 buckets moves 1 key in n + 1, each to bucket n. The key should be a hash:
/// every bit counts, but nearby keys share their first draws.
///
/// Cost: about ln n + 0.58 rounds of one multiplication and one division; no memory.
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
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "draw + 1 <= 2^31 and bucket < 2^31 are exact in a double; the product is positive \
              and below 2^62"
)]
pub fn jump_hash(key: u64, buckets: u32) -> Option<u32> {
    covered(buckets)?;
    let mut state = key;
    let mut bucket: u32 = 0;
    loop {
        state = state
            .wrapping_mul(2_862_933_555_777_941_757)
            .wrapping_add(1);
        let draw = state >> 33;
        let next = (f64::from(bucket + 1) * ((1u64 << 31) as f64 / (draw + 1) as f64)) as u64;
        if next >= u64::from(buckets) {
            return Some(bucket);
        }
        bucket = next as u32;
    }
}
