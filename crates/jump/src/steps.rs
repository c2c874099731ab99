//! The steps of jump: what one key and several at once share.
//!
//! A key at bucket b draws d, 1 to 2^31, and goes on to the bucket v = (b + 1) × (2^31 ÷ d), rounded down,
//! unless that is past the last. Quotient and product are those of the paper, in doubles. What is left out
//! is only the way into integers and back, which takes longer than both: a bucket below 2^31 is whole in a
//! double as well, and `v < buckets` says the same before rounding down as after.

/// From 2^52 on doubles are whole numbers, each with the next: adding it to a smaller number rounds that to
/// a whole one, and leaves it in the low bits.
pub(crate) const WHOLE: f64 = 4_503_599_627_370_496.0;

const FACTOR: u64 = 2_862_933_555_777_941_757;

/// The paper's generator.
#[inline]
pub(crate) fn advance(state: u64) -> u64 {
    state.wrapping_mul(FACTOR).wrapping_add(1)
}

/// Two steps of it, which need not wait for one another.
#[inline]
pub(crate) fn advance_twice(state: u64) -> u64 {
    state
        .wrapping_mul(FACTOR.wrapping_mul(FACTOR))
        .wrapping_add(FACTOR.wrapping_add(1))
}

/// 2^31 ÷ d, where d is one more than the top 31 bits of the state: 1 or more.
#[inline]
pub(crate) fn stretch(state: u64) -> f64 {
    let drawn = f64::from_bits(WHOLE.to_bits() | state >> 33) - (WHOLE - 1.0);
    f64::from(1u32 << 31) / drawn
}

/// A positive number rounded down, over 2^52: its low bits are the whole number. **Unless it is odd and whole
/// itself**: then one less.
///
/// Half less than the number, to the nearest whole one. A whole number is halfway then, and goes to the even
/// side. Exact below 2^52.
#[inline]
pub(crate) fn below(v: f64) -> f64 {
    v + (WHOLE - 0.5)
}

/// The whole number after a positive one: v rounded down, and one more. Exact below 2^52; what is above stays
/// above.
#[inline]
pub(crate) fn after(v: f64) -> f64 {
    let near = (v + WHOLE) - WHOLE;
    near + if near > v { 0.0 } else { 1.0 }
}

/// What is over 2^52 in a number from there on, if it is below 2^32.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the upper bits are those of 2^52"
)]
pub(crate) fn excess(over: f64) -> u32 {
    over.to_bits() as u32
}

/// The last stop below `end` of a key whose stop before is `next` − 1; over 2^52.
#[inline]
pub(crate) fn jump_on(mut state: u64, mut next: f64, end: f64) -> f64 {
    loop {
        state = advance(state);
        let stop = next * stretch(state);
        if stop >= end {
            return next + (WHOLE - 1.0);
        }
        next = after(stop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_are_one_and_one() {
        for state in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
            assert_eq!(advance_twice(state), advance(advance(state)));
        }
    }

    #[test]
    fn a_stretch_is_the_quotient_in_doubles() {
        for draw in (0..1u64 << 31).step_by(104_729).chain([(1 << 31) - 1]) {
            for low in [0, (1 << 33) - 1] {
                let quotient = 2_147_483_648.0 / f64::from(u32::try_from(draw + 1).unwrap());
                assert_eq!(stretch(draw << 33 | low).to_bits(), quotient.to_bits());
            }
        }
    }

    #[test]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "numbers below 2^52"
    )]
    fn the_number_after_is_the_next_whole_one() {
        let mut state = 1;
        for step in 0..2_000_000u64 {
            state = advance(state);
            let whole = ((state >> 13) >> (step % 51)) as f64;
            // The number itself and its neighbours on both sides.
            for v in [whole.next_down(), whole, whole.next_up(), whole + 0.5] {
                if (1.0..WHOLE / 2.0).contains(&v) {
                    assert_eq!(after(v), (v as u64 + 1) as f64, "{v}");
                    let odd = v % 2.0 == 1.0;
                    let rounded = v as u64 - u64::from(odd);
                    assert_eq!(below(v), WHOLE + rounded as f64, "{v}");
                }
            }
        }
        for past in [WHOLE, WHOLE * 3.0, 2f64.powi(1000), f64::MAX, f64::INFINITY] {
            assert!(after(past) >= WHOLE, "{past}");
        }
    }

    #[test]
    fn numbers_come_back_from_doubles() {
        for number in [0, 1, 2, 1 << 20, u32::MAX - 1, u32::MAX] {
            assert_eq!(excess(WHOLE + f64::from(number)), number);
        }
    }
}
