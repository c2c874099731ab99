//! Pseudo-random words of a key: the SplitMix64 stream (Steele, Lea, Flood 2014; public domain).

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Word `index` of the stream whose state begins at the key. The stream has random access: its state
/// only counts up.
pub(crate) fn word(key: u64, index: u64) -> u64 {
    let mut word = key.wrapping_add(index.wrapping_add(1).wrapping_mul(GAMMA));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The low 32 bits of a word.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the low half is what is asked for"
)]
pub(crate) fn low(word: u64) -> u32 {
    word as u32
}

/// The high 32 bits of a word.
pub(crate) fn high(word: u64) -> u32 {
    low(word >> 32)
}
