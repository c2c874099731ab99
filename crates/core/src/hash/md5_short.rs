//! One MD5 of a short key. Each of its 64 steps waits for the one before, so its time is the length of that chain, and
//! whatever can be added before a step has its turn is added before: a sixth less time than over any length.

use super::md5_lanes::{SHORT, SINES, START, block};

/// The four little-endian words of the MD5 of a key of at most [`SHORT`] bytes; `None` for a longer one.
#[inline]
pub(super) fn words(key: &[u8]) -> Option<[u32; 4]> {
    if key.len() > SHORT {
        return None;
    }
    let message = block(key);
    let mut state = START;
    // What the functions of RFC 1321 make of b, c and d, added to the rest. In the second round no bit is in both
    // halves, so that one can be added early.
    round::<7, 12, 17, 22>(
        &mut state,
        &message,
        0,
        |i| i,
        |rest, b, c, d| rest.wrapping_add(d ^ (b & (c ^ d))),
    );
    round::<5, 9, 14, 20>(
        &mut state,
        &message,
        1,
        |i| 5 * i + 1,
        |rest, b, c, d| rest.wrapping_add(c & !d).wrapping_add(b & d),
    );
    round::<4, 11, 16, 23>(
        &mut state,
        &message,
        2,
        |i| 3 * i + 5,
        |rest, b, c, d| rest.wrapping_add(b ^ (c ^ d)),
    );
    round::<6, 10, 15, 21>(
        &mut state,
        &message,
        3,
        |i| 7 * i,
        |rest, b, c, d| rest.wrapping_add(c ^ (b | !d)),
    );
    for (word, start) in state.iter_mut().zip(START) {
        *word = word.wrapping_add(start);
    }
    Some(state)
}

/// A round: 16 steps, which read the message's words in the order of `place` and shift by four amounts in turn.
#[inline(always)]
fn round<const S: u32, const T: u32, const U: u32, const V: u32>(
    state: &mut [u32; 4],
    message: &[u32; 16],
    number: usize,
    place: impl Fn(usize) -> usize,
    mix: impl Fn(u32, u32, u32, u32) -> u32,
) {
    let [mut a, mut b, mut c, mut d] = *state;
    let step = |i: usize, shift: u32, [a, b, c, d]: [u32; 4]| {
        let rest = message[place(i) % 16].wrapping_add(SINES[16 * number + i]);
        let sum = mix(a.wrapping_add(rest), b, c, d);
        b.wrapping_add(sum.rotate_left(shift))
    };
    for i in [0, 4, 8, 12] {
        a = step(i, S, [a, b, c, d]);
        d = step(i + 1, T, [d, a, b, c]);
        c = step(i + 2, U, [c, d, a, b]);
        b = step(i + 3, V, [b, c, d, a]);
    }
    *state = [a, b, c, d];
}
