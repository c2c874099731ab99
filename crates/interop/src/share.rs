//! [`Fleet`]: how many labels a node of some weight gets, in the arithmetic of each client.
//!
//! All of them mean weight ÷ total × n × labels a node. They round on different ways there, and the
//! difference shows: a label more or less at ordinary weights.

use keyroute_core::Members;

/// What a share depends on besides the weight itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    total: u64,
    nodes: u64,
}

impl Fleet {
    pub(crate) fn of(members: &Members) -> Self {
        Self::new(members.total_weight(), members.len() as u64)
    }

    pub(crate) fn new(total: u64, nodes: u64) -> Self {
        Self { total, nodes }
    }

    /// libmemcached, twemproxy, spymemcached: every step is rounded to single precision, in this order.
    /// 40 at equal weights, but 39 at n = 25, 47, 50, 55 and others.
    ///
    /// They add 1e-10 before they round down, which is far below one unit in the last place.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "single precision is the rule; the cast rounds down as they do, and 40 × n fits"
    )]
    pub(crate) fn in_singles(self, weight: u32) -> u64 {
        let share = weight as f32 / self.total as f32;
        (share * 160.0 / 4.0 * self.nodes as f32) as u64
    }

    /// node-hashring: weight ÷ total × labels × n, in doubles from left to right.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "double precision is the rule; the cast rounds down as it does"
    )]
    pub(crate) fn share_in_doubles(self, weight: u32, labels: u32) -> u64 {
        (f64::from(weight) / self.total as f64 * f64::from(labels) * self.nodes as f64) as u64
    }

    /// hash_ring, dalli: labels × n × weight is a whole number, and divided once in doubles.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "double precision is the rule; the cast rounds down as they do"
    )]
    pub(crate) fn quotient_in_doubles(self, weight: u32, labels: u32) -> u64 {
        (self.product(weight, labels) as f64 / self.total as f64) as u64
    }

    /// uhashring: labels × n × weight ÷ total in whole numbers.
    pub(crate) fn in_integers(self, weight: u32, labels: u32) -> u64 {
        let quotient = self.product(weight, labels) / u128::from(self.total.max(1));
        u64::try_from(quotient).unwrap_or(u64::MAX)
    }

    fn product(self, weight: u32, labels: u32) -> u128 {
        u128::from(labels) * u128::from(self.nodes) * u128::from(weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to 200 nodes of weight 1: where the rounding takes a label away.
    fn short(labels: impl Fn(Fleet) -> u64, whole: u64) -> alloc::vec::Vec<u64> {
        (1..=200)
            .filter(|&n| labels(Fleet::new(n, n)) != whole)
            .collect()
    }

    #[test]
    fn singles_take_a_label_away_at_these_sizes() {
        let short = short(|fleet| fleet.in_singles(1), 40);
        #[rustfmt::skip]
        assert_eq!(short, [25, 47, 50, 55, 61, 71, 94, 100, 107, 109, 110, 115, 122, 142, 159, 163, 188, 193, 200]);
        assert_eq!(Fleet::new(25, 5).in_singles(1), 7); // 8 exactly
        assert_eq!(Fleet::new(40, 3).in_singles(21), 63);
        assert_eq!(Fleet::new(60, 3).in_singles(29), 57);
    }

    #[test]
    fn doubles_take_a_label_away_at_others() {
        let short = short(|fleet| fleet.share_in_doubles(1, 40), 40);
        assert_eq!(short[..10], [7, 14, 28, 49, 56, 98, 103, 112, 141, 147]);
    }

    #[test]
    fn one_division_takes_nothing_away() {
        assert!(short(|fleet| fleet.quotient_in_doubles(1, 40), 40).is_empty());
        assert!(short(|fleet| fleet.in_integers(1, 40), 40).is_empty());
        assert_eq!(Fleet::new(7, 3).quotient_in_doubles(2, 160), 137);
        assert_eq!(Fleet::new(7, 3).quotient_in_doubles(5, 160), 342);
        assert_eq!(Fleet::new(7, 3).in_integers(2, 40), 34);
        assert_eq!(Fleet::new(7, 3).in_integers(5, 40), 85);
    }
}
