//! The logarithm of weighted rendezvous, in integers: the same on every machine.
//!
//! A node's draw u in (0, 1] costs −ln u, and the least cost ÷ weight wins. That is a race of
//! exponential clocks, so a node wins with a chance of exactly its part of the weights, and a greater
//! weight only makes it win more (Schindelhauer and Schomaker 2005; Resch 2015). Standard
//! libraries' logarithms differ in their last bits from machine to machine; this one does not.

/// The fixed-point one: costs are in units of 2^−64.
const ONE: u32 = 64;

/// The draw is scaled to [½, 1), and that range cut into so many segments.
const SEGMENTS: usize = 128;

/// −ln of (draw + 1) ÷ 2^64, in units of 2^−64: 0 to 64 ln 2, hence below 2^70.
///
/// The relative error is below 2^−28. It never grows with the draw: the greater of two draws never
/// costs more, so with equal weights the greatest draw wins, as in plain rendezvous.
pub(crate) fn cost(draw: u64) -> u128 {
    let Some(number) = draw.checked_add(1) else {
        return 0;
    };
    let zeros = number.leading_zeros();
    let scaled = number << zeros;
    let segment = &TABLE[(scaled >> 56) as usize % SEGMENTS];
    // How far below the segment's upper edge, relative to that edge: below 2^−7.
    let below = segment.upper.wrapping_sub(scaled);
    let d = (u128::from(below) * u128::from(segment.inverse)) >> 63;
    // −ln(1 − d), as far as d^4. Every term grows with d, and so does their sum; what is left out
    // makes each segment end a little below where the next begins.
    let d2 = (d * d) >> ONE;
    let d3 = (d2 * d) >> ONE;
    let d4 = (d3 * d) >> ONE;
    let within = d + d2 / 2 + d3 / 3 + d4 / 4;
    u128::from(zeros) * u128::from(LN_2) + u128::from(segment.cost) + within
}

/// A segment of draws.
#[derive(Clone, Copy)]
struct Segment {
    /// Its upper edge; 2^64 wraps to 0.
    upper: u64,
    /// 2^127 ÷ the upper edge, rounded down.
    inverse: u64,
    /// −ln of the upper edge.
    cost: u64,
}

static TABLE: [Segment; SEGMENTS] = table();

const LN_2: u64 = ln(2, 1);

#[expect(
    clippy::cast_possible_truncation,
    reason = "the upper edge wraps on purpose; 2^127 ÷ it fits, save for 2^64, where 2^63 does"
)]
const fn table() -> [Segment; SEGMENTS] {
    let mut table = [Segment {
        upper: 0,
        inverse: 0,
        cost: 0,
    }; SEGMENTS];
    let parts = 2 * SEGMENTS as u64;
    let mut i = 0;
    while i < SEGMENTS {
        // The upper edge is `edge` parts of 2^64 ÷ 256.
        let edge = SEGMENTS as u64 + i as u64 + 1;
        let upper = (edge as u128) << (ONE - parts.ilog2());
        table[i] = Segment {
            upper: upper as u64,
            inverse: ((1u128 << 127) / upper) as u64,
            cost: ln(parts, edge),
        };
        i += 1;
    }
    table
}

/// ln(a ÷ b) for b ≤ a ≤ 2b, in units of 2^−64: 2 artanh z for z = (a − b) ÷ (a + b), by its series.
#[expect(clippy::cast_possible_truncation, reason = "at most ln 2, below 1")]
const fn ln(a: u64, b: u64) -> u64 {
    // Sixteen bits more than the answer has, so that the terms' roundings do not show.
    const UNIT: u32 = ONE + 16;
    let (top, bottom) = ((a - b) as u128, (a + b) as u128);
    let mut power = (top << UNIT) / bottom;
    let mut sum = 0;
    let mut n = 1;
    while power > 0 {
        sum += power / n;
        // z² ≤ 1/9.
        power = power * top / bottom * top / bottom;
        n += 2;
    }
    ((2 * sum + (1 << 15)) >> 16) as u64
}

#[cfg(test)]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "compared with doubles, within their precision"
)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::hash::mix64;

    fn close(draw: u64) {
        // ln_1p keeps the precision where the draw is near its maximum.
        let exact = -(-((!draw) as f64) / 18_446_744_073_709_551_616.0).ln_1p();
        let found = cost(draw) as f64 / 18_446_744_073_709_551_616.0;
        let exact = if draw < 1 << 60 {
            -((draw as f64 + 1.0) / 18_446_744_073_709_551_616.0).ln()
        } else {
            exact
        };
        assert!(
            (found - exact).abs() <= exact * 4e-9,
            "{draw:#x}: {found} for {exact}"
        );
    }

    #[test]
    fn the_cost_is_the_logarithm() {
        assert_eq!(LN_2, 12_786_308_645_202_655_660); // ln 2 × 2^64, rounded
        assert_eq!(cost(u64::MAX), 0);
        for draw in (0..100_000).map(mix64) {
            close(draw);
            close(draw >> (draw % 64));
            close(!(draw >> (draw % 64)));
        }
    }

    #[test]
    fn a_greater_draw_never_costs_more() {
        let mut draws: Vec<u64> = (0..200_000).map(mix64).collect();
        // Every edge between segments and between scales, and its neighbours.
        for zeros in 0..64 {
            for part in 128..=256u128 {
                let edge = ((part << 56) >> zeros) as u64;
                draws.extend((0..4).map(|step| edge.wrapping_add(step).wrapping_sub(3)));
            }
        }
        draws.sort_unstable();
        for pair in draws.windows(2) {
            assert!(
                cost(pair[0]) >= cost(pair[1]),
                "{:#x} {:#x}",
                pair[0],
                pair[1]
            );
        }
    }
}
