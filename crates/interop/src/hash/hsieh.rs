//! Paul Hsieh's SuperFastHash as libhashkit has it.

use super::widened;

/// SuperFastHash from 0, not from the length; the last of three tail bytes is a signed `char`.
pub(super) fn hsieh(bytes: &[u8]) -> u32 {
    if bytes.is_empty() {
        return 0;
    }
    let pair = |low: u8, high: u8| u32::from(u16::from_le_bytes([low, high]));
    let mut hash = 0u32;
    let mut blocks = bytes.chunks_exact(4);
    for block in &mut blocks {
        hash = hash.wrapping_add(pair(block[0], block[1]));
        let mixed = pair(block[2], block[3]) << 11 ^ hash;
        hash = hash << 16 ^ mixed;
        hash = hash.wrapping_add(hash >> 11);
    }
    match *blocks.remainder() {
        [a, b, c] => {
            hash = hash.wrapping_add(pair(a, b));
            hash ^= hash << 16;
            hash ^= widened(c) << 18;
            hash = hash.wrapping_add(hash >> 11);
        }
        [a, b] => {
            hash = hash.wrapping_add(pair(a, b));
            hash ^= hash << 11;
            hash = hash.wrapping_add(hash >> 17);
        }
        [a] => {
            hash = hash.wrapping_add(a.into());
            hash ^= hash << 10;
            hash = hash.wrapping_add(hash >> 1);
        }
        _ => {}
    }
    hash ^= hash << 3;
    hash = hash.wrapping_add(hash >> 5);
    hash ^= hash << 4;
    hash = hash.wrapping_add(hash >> 17);
    hash ^= hash << 25;
    hash.wrapping_add(hash >> 6)
}
