//! Numbers of buckets, and the levels they lie in.

/// The most buckets: 2^31 − 1. The papers' bucket numbers are 32-bit signed.
pub const MAX_BUCKETS: u32 = i32::MAX as u32;

/// `None` for 0 buckets and over [`MAX_BUCKETS`].
pub(crate) fn covered(buckets: u32) -> Option<()> {
    (1..=MAX_BUCKETS).contains(&buckets).then_some(())
}

/// All ones up to the top bit of `buckets` − 1: the smallest such mask that holds every bucket.
pub(crate) fn mask(buckets: u32) -> u32 {
    u32::MAX
        .checked_shr((buckets - 1).leading_zeros())
        .unwrap_or(0)
}

/// The top bit of a number that is not 0: 2^e, the first bucket of level e.
pub(crate) fn top_bit(number: u32) -> u32 {
    1 << number.ilog2()
}
