//! What chance allows: limits on loads under ideal hashing.
//!
//! All limits are two-sided: a load that is too even is as suspicious as one that is too uneven. Each
//! is crossed by an ideal router with a chance of at most 10^-9 (and under the fixed seed either
//! never or always).

/// Φ⁻¹(1 − 10⁻⁹/1000): a limit for each of 1000 nodes that all together keep but for 1 in 10⁹.
const Z: f64 = 7.034;

/// The most that a load may be of its expectation, if its relative variance is this.
///
/// Wilson and Hilferty's approximation (1931) on a gamma distribution of that variance. Against exact
/// quantiles of the beta distribution of a ring's shares it is never too tight, and loose by at most
/// 11 % for 50 points a node and more.
pub(crate) fn most(variance: f64) -> f64 {
    let a = 1.0 / variance;
    (1.0 - 1.0 / (9.0 * a) + Z / (3.0 * a.sqrt())).powi(3)
}

/// The least that a load may be of its expectation, if its relative variance is this; never too
/// tight for 40 points a node and more.
pub(crate) fn least(variance: f64) -> f64 {
    let a = 0.7 / variance;
    (1.0 - 1.0 / (9.0 * a) - Z / (3.0 * a.sqrt())).powi(3) - 0.01
}

/// The least points a node for which these limits hold.
pub(crate) const LEAST_POINTS: u32 = 40;

/// The relative variance of the keys that a share `p` of all gets, of `keys` in all, where `points`
/// points on a ring stand for the whole: of the share itself, Beta(p·points, (1 − p)·points), and of
/// the sample.
pub(crate) fn ring_variance(p: f64, points: f64, keys: f64) -> f64 {
    (1.0 - p) / (p * (points + 1.0)) + (1.0 - p) / (p * keys)
}

/// How far the mean of `n` squared standard deviations may be from 1: six of its own, √(2/n) each.
pub(crate) fn spread(n: f64) -> f64 {
    6.0 * (2.0 / n).sqrt()
}

/// The chi-square limits for 10 and for 100 equal nodes, at 10⁻⁹ on either side.
pub(crate) const CHI_SQUARE: [(u32, f64, f64); 2] = [(10, 0.0484, 60.7), (100, 36.3, 207.9)];

#[cfg(test)]
mod tests {
    use super::*;

    // Exact union bounds at 10⁻⁹ for 1000 nodes of V points and unlimited keys: the closed forms
    // must lie outside them, and near.
    #[test]
    fn the_limits_lie_just_outside_the_exact_ones() {
        for (points, exact_most) in [(50.0, 2.337), (160.0, 1.660), (1000.0, 1.239)] {
            let variance = ring_variance(1e-3, 1000.0 * points, f64::INFINITY);
            let limit = most(variance);
            let rounded = exact_most - 0.0005;
            assert!(
                (rounded..1.11 * exact_most).contains(&limit),
                "{points} {limit}"
            );
        }
        // At 10⁻⁶, which the lower limit must lie below.
        for (points, exact_least) in [(50.0, 0.369), (160.0, 0.596), (1000.0, 0.822)] {
            let limit = least(ring_variance(1e-3, 1000.0 * points, f64::INFINITY));
            assert!(
                (0.4 * exact_least..exact_least).contains(&limit),
                "{points} {limit}"
            );
        }
    }
}
