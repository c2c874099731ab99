//! [`Deviation`]: how far a node is from its share, and whether chance can do that.

/// One node's load beside what it should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deviation {
    /// Over its fair share, in thousandths, toward zero: −1000 is idle, 1000 twice its share.
    pub(crate) thousandths: i64,
    /// Whether it is further off than chance would have it.
    pub(crate) significant: bool,
    /// How far chance would have it, in thousandths, rounded up.
    pub(crate) chance: u64,
}

/// What a fair share is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    /// The requests of all nodes.
    pub(crate) requests: u64,
    /// The points that all were given.
    pub(crate) given: u64,
    /// How many standard deviations chance is granted.
    pub(crate) certainty: u32,
}

impl Fleet {
    /// Of a node with so many requests that was given so many points. The fleet has some of both.
    ///
    /// Requests that fall at random have a binomial count: n requests, each here with probability q, vary by
    /// √(n·q·(1 − q)) around n·q. Both are rounded up to whole requests, the difference down: in doubt it is chance.
    pub(crate) fn deviation(&self, requests: u64, given: u32) -> Deviation {
        // Below 2^120: 64 bits of requests, and 2^24 nodes of 32 bits of points.
        let (fair_times, times) = (
            u128::from(self.requests) * u128::from(given),
            u128::from(self.given.max(1)),
        );
        let mine = u128::from(requests) * times;
        let thousandths = thousandths(mine, fair_times);
        let expected = fair_times.div_ceil(times);
        let others = times.saturating_sub(u128::from(given));
        let variance = (expected * others).div_ceil(times);
        let distance = mine.abs_diff(fair_times) / times;
        let granted = u128::from(self.certainty) * u128::from(self.certainty) * variance;
        let chance = (granted.isqrt() + 1) * 1000 / expected.max(1) + 1;
        Deviation {
            thousandths,
            significant: distance * distance > granted,
            chance: u64::try_from(chance).unwrap_or(u64::MAX),
        }
    }

    /// So many thousandths of the fair share of a node that was given so many points.
    pub(crate) fn part_of_fair(&self, given: u32, thousandths: u32) -> u64 {
        let times = u128::from(self.given.max(1)) * 1000;
        let part = u128::from(self.requests) * u128::from(given) * u128::from(thousandths) / times;
        u64::try_from(part).unwrap_or(u64::MAX)
    }
}

/// How far `a` is over `b`, in thousandths of `b`, toward zero.
fn thousandths(a: u128, b: u128) -> i64 {
    // Where a thousand times as much would not fit, the last bits are of no account.
    let shift = if (a | b) >> 112 == 0 { 0 } else { 16 };
    let (a, b) = (a >> shift, b >> shift);
    let off = a.abs_diff(b) * 1000 / b.max(1);
    let off = i64::try_from(off).unwrap_or(i64::MAX);
    if a < b { -off } else { off }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(requests: u64, given: u32, all: u64, all_given: u64) -> Deviation {
        let fleet = Fleet {
            requests: all,
            given: all_given,
            certainty: 5,
        };
        fleet.deviation(requests, given)
    }

    #[test]
    fn deviations_are_thousandths_of_the_fair_share() {
        for (requests, given, thousandths) in [
            (1000, 100, 0),
            (1250, 100, 250),
            (1251, 100, 251),
            (749, 100, -251),
            (0, 100, -1000),
            (4000, 100, 3000),
            (1000, 200, -500),
        ] {
            let deviation = of(requests, given, 4000, 400);
            assert_eq!(deviation.thousandths, thousandths, "{requests} of {given}");
        }
    }

    #[test]
    fn chance_is_five_standard_deviations() {
        // 2500 expected of 10,000 at a quarter: √1875 = 43.3, five of them 216.5.
        assert_eq!(of(2716, 1, 10_000, 4).chance, 87);
        assert!(!of(2716, 1, 10_000, 4).significant);
        assert!(of(2717, 1, 10_000, 4).significant);
        assert!(!of(2284, 1, 10_000, 4).significant);
        assert!(of(2283, 1, 10_000, 4).significant);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let deviation = of(u64::MAX, u32::MAX, u64::MAX, u64::from(u32::MAX) << 24);
        assert!(deviation.significant && deviation.thousandths > 1_000_000);
        let idle = of(0, u32::MAX, u64::MAX, u64::from(u32::MAX) << 24);
        assert_eq!((idle.thousandths, idle.significant), (-1000, true));
        assert!(!of(0, 1, 0, 1).significant);
    }
}
