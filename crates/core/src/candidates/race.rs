//! The race of nodes of different weights: scores, and their bounds, which cost no logarithm.

use core::cmp::Ordering;

use super::draw::draw;
use crate::cost::cost;

/// A node's score for a digest. The greatest wins: the least cost for its weight, then the greater draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    cost: u128,
    weight: u32,
    draw: u64,
}

impl Score {
    pub(super) fn new(draw: u64, weight: u32) -> Self {
        Self {
            cost: cost(draw),
            weight,
            draw,
        }
    }

    pub(super) fn cmp(&self, other: &Self) -> Ordering {
        // cost ÷ weight, compared exactly: a cost has 70 bits, a weight 32.
        let theirs = other.cost * u128::from(self.weight);
        let mine = self.cost * u128::from(other.weight);
        theirs.cmp(&mine).then(self.draw.cmp(&other.draw))
    }

    /// No node whose [`bound`] is over this beats or equals the score.
    ///
    /// Margins are wide beside what they cover: 2^−27 for costs, which are within 2^−28 of the logarithm, and
    /// a few 2^−53 for roundings, all relative; 2^−52 for what the bound cuts off.
    #[expect(clippy::cast_precision_loss, reason = "within the margin")]
    fn reach(&self) -> f64 {
        over(self.cost as f64 / TWO_64, inverse(self.weight))
    }

    /// Its cost for its weight, rounded: for people.
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub(super) fn over_weight(&self) -> f64 {
        self.cost as f64 / TWO_64 * inverse(self.weight)
    }
}

const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// 1 ÷ weight.
pub(super) fn inverse(weight: u32) -> f64 {
    1.0 / f64::from(weight)
}

/// What this cost over this weight, both known to 2^−25, may be at most; see [`Score::reach`].
fn over(cost: f64, inverse: f64) -> f64 {
    const RELATIVE: f64 = 1.0 + 1.0 / 16_777_216.0;
    const ABSOLUTE: f64 = 1.0 / 1_125_899_906_842_624.0;
    cost * inverse * RELATIVE + ABSOLUTE
}

/// 1 − u for the draw u in (0, 1], cut to a multiple of 2^−52. No ln and no conversion: the bits are those of
/// a number in [1, 2), 1 above.
#[inline]
fn short(draw: u64) -> f64 {
    f64::from_bits(1.0f64.to_bits() | !draw >> 12) - 1.0
}

/// At most the node's cost for its weight: −ln u is over 1 − u.
#[inline]
pub(super) fn bound(draw: u64, inverse: f64) -> f64 {
    short(draw) * inverse
}

/// No node whose [`bound`] is over this has a score that beats or equals that of this draw.
pub(super) fn reach(draw: u64, weight: u32) -> f64 {
    let x = short(draw);
    if x < 0.5 {
        // −ln(1 − x) is x + x²÷2 + x³÷3 + …, below x + x² for x up to 0.68.
        over(x + x * x, inverse(weight))
    } else {
        Score::new(draw, weight).reach()
    }
}

/// The least two bounds, and whose the first is: any node's of equal bounds. Without nodes the place is none of
/// theirs.
#[inline(always)]
pub(super) fn least_two<const L: usize>(
    hashes: &[u64],
    inverses: &[f64],
    digest: u64,
) -> (f64, usize, f64) {
    let (rows, rest) = hashes.as_chunks::<L>();
    let (scales, rest_scales) = inverses.as_chunks::<L>();
    let mut least = [f64::INFINITY; L];
    let mut second = [f64::INFINITY; L];
    let mut at = [0; L];
    let mut step = |lane: usize, row: usize, hash: u64, inverse: f64| {
        let bound = bound(draw(hash ^ digest), inverse);
        let less = bound < least[lane];
        let other = if less { least[lane] } else { bound };
        second[lane] = if other < second[lane] {
            other
        } else {
            second[lane]
        };
        least[lane] = if less { bound } else { least[lane] };
        at[lane] = if less { row } else { at[lane] };
    };
    for (row, (hashes, inverses)) in rows.iter().zip(scales).enumerate() {
        for lane in 0..L {
            step(lane, row, hashes[lane], inverses[lane]);
        }
    }
    for (lane, (&hash, &inverse)) in rest.iter().zip(rest_scales).enumerate() {
        step(lane, rows.len(), hash, inverse);
    }
    let (mut first, mut place, mut other) = (least[0], at[0] * L, second[0]);
    for lane in 1..L {
        let less = least[lane] < first;
        let behind = if less { first } else { least[lane] };
        other = other.min(second[lane]).min(behind);
        place = if less { at[lane] * L + lane } else { place };
        first = if less { least[lane] } else { first };
    }
    (first, place, other)
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "within half of the margin")]
mod tests {
    use super::*;
    use crate::hash::mix64;

    /// What decides without a logarithm, at its edges: draws near the greatest, near none, and round one half.
    #[test]
    fn a_score_is_between_its_bound_and_its_reach() {
        let spread = (0..20_000).map(mix64).flat_map(|draw| {
            let shift = draw % 64;
            [
                draw,
                draw >> shift,
                !(draw >> shift),
                1 << 63 ^ draw >> shift,
            ]
        });
        for draw in spread.chain([0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1]) {
            for weight in [1, 2, 3, 1000, u32::MAX] {
                let score = Score::new(draw, weight);
                let [own, reach] = [bound(draw, inverse(weight)), reach(draw, weight)];
                let cost = score.cost as f64 / TWO_64 / f64::from(weight);
                assert!(
                    own * (1.0 - 1.0 / f64::from(1 << 25)) <= cost,
                    "{draw:#x} {weight}"
                );
                assert!(
                    cost * (1.0 + 1.0 / f64::from(1 << 25)) <= reach,
                    "{draw:#x} {weight}"
                );
            }
        }
    }
}
