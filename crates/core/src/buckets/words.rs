//! Pseudo-random words of a key: the SplitMix64 stream (Steele, Lea, Flood 2014; public domain).

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Word `index` of the stream whose state begins at the key. The stream has random access: its state
/// only counts up.
///
/// ```
/// use keyroute_core::buckets::word;
///
/// assert_eq!(word(0, 0), 0xe220_a839_7b1d_cdaf); // as published for seed 0
/// ```
#[inline]
#[must_use]
pub fn word(key: u64, index: u64) -> u64 {
    let mut word = key.wrapping_add(index.wrapping_add(1).wrapping_mul(GAMMA));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The low 32 bits of a word.
///
/// ```
/// assert_eq!(keyroute_core::buckets::low(0x1_0000_0002), 2);
/// ```
#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half is what is asked for"
)]
#[inline]
#[must_use]
pub fn low(word: u64) -> u32 {
    word as u32
}

/// The high 32 bits of a word.
///
/// ```
/// assert_eq!(keyroute_core::buckets::high(0x1_0000_0002), 1);
/// ```
#[inline]
#[must_use]
pub fn high(word: u64) -> u32 {
    low(word >> 32)
}

/// A number below `bound` from a whole word: the high half of their product. Shares differ by less than
/// one word in 2^64 ÷ `bound`. 0 for a bound of 0.
///
/// ```
/// use keyroute_core::buckets::below;
///
/// assert_eq!([0, 1 << 62, u64::MAX].map(|word| below(word, 100)), [0, 25, 99]);
/// ```
#[expect(
    clippy::cast_possible_truncation,
    reason = "the quotient is below the bound, which has 32 bits"
)]
#[inline]
#[must_use]
pub fn below(word: u64, bound: u32) -> u32 {
    ((u128::from(word) * u128::from(bound)) >> 64) as u32
}
