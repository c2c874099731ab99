//! [`below`]: the one comparison that a lookup makes, of a window of heads with a key's.

use crate::search::WINDOW;

/// How many of these ascending heads are below this one: the index of the first that is not.
#[cfg(target_arch = "x86_64")]
#[inline]
#[expect(
    unsafe_code,
    reason = "a lookup in a small ring takes a tenth less time than with `counted`"
)]
pub(crate) fn below(window: &[u32; WINDOW], head: u32) -> usize {
    // SAFETY: every x86-64 has SSE2.
    unsafe { masked(window, head) }
}

/// The comparisons as bits, of which those that are set come first. What the compiler makes of a sum is a
/// count of bits, and the first x86-64s have no instruction for that.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn masked(window: &[u32; WINDOW], head: u32) -> usize {
    use core::arch::x86_64::{
        _mm_cmpgt_epi32, _mm_movemask_epi8, _mm_packs_epi32, _mm_set1_epi32, _mm_setr_epi32,
    };

    // There are comparisons of signed numbers alone; a flipped top bit keeps the order.
    let signed = |head: u32| (head ^ 1 << 31).cast_signed();
    let [a, b, c, d, e, f, g, h] = window.map(signed);
    let key = _mm_set1_epi32(signed(head));
    let first = _mm_cmpgt_epi32(key, _mm_setr_epi32(a, b, c, d));
    let second = _mm_cmpgt_epi32(key, _mm_setr_epi32(e, f, g, h));
    // Two bits a head.
    let mask = _mm_movemask_epi8(_mm_packs_epi32(first, second));
    mask.trailing_ones() as usize / 2
}

/// How many of these ascending heads are below this one: the index of the first that is not.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use counted as below;

/// The same, wherever there is no better way: a count without branches.
#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline]
pub(crate) fn counted(window: &[u32; WINDOW], head: u32) -> usize {
    window.iter().map(|&held| usize::from(held < head)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_find_the_first_that_is_not_below() {
        let edges = [
            0,
            1,
            (1 << 31) - 1,
            1 << 31,
            (1 << 31) + 1,
            u32::MAX - 1,
            u32::MAX,
        ];
        let mut windows = alloc::vec![[0; WINDOW], [u32::MAX; WINDOW]];
        for seed in 0..500u32 {
            let mut window = [0; WINDOW];
            for (place, i) in window.iter_mut().zip(1..) {
                let drawn = seed
                    .wrapping_mul(0x9e37_79b9)
                    .wrapping_add(u32::wrapping_mul(i, 0x85eb_ca6b));
                let edge = edges[drawn as usize % edges.len()];
                *place = if drawn & 0x100 == 0 {
                    edge
                } else {
                    drawn.wrapping_mul(drawn | 1)
                };
            }
            window.sort_unstable();
            windows.push(window);
        }
        for window in windows {
            for head in edges.into_iter().chain(window) {
                let expected = window.partition_point(|&held| held < head);
                assert_eq!(below(&window, head), expected, "{window:x?} {head:x}");
                assert_eq!(counted(&window, head), expected, "{window:x?} {head:x}");
            }
        }
    }
}
