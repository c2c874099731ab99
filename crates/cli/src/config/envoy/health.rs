//! Which hosts are up, and when those that are down take part after all.

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Health {
    Up,
    /// Counts among all hosts where the part of those that are up is asked for.
    Down,
    /// Does not.
    Draining,
    Degraded,
}

pub(super) const HEALTHS: [(&str, u32, Health); 6] = [
    ("UNKNOWN", 0, Health::Up),
    ("HEALTHY", 1, Health::Up),
    ("UNHEALTHY", 2, Health::Down),
    ("DRAINING", 3, Health::Draining),
    ("TIMEOUT", 4, Health::Down),
    ("DEGRADED", 5, Health::Degraded),
];

/// When hosts that are down take part after all.
#[derive(Clone, Copy, Debug)]
pub(super) struct HealthRule {
    /// In percent.
    pub(super) threshold: f64,
    /// `overprovisioning_factor`, in percent.
    pub(super) factor: u32,
}

impl HealthRule {
    /// Whether so many hosts that are up, of all, are enough for the whole traffic.
    pub(super) fn suffices(self, up: usize, all: usize) -> bool {
        up as u128 * u128::from(self.factor) >= all as u128 * 100
    }

    /// Whether all hosts take part, for want of those that are up.
    pub(super) fn panics(self, up: usize, all: usize) -> bool {
        (all == 0 || !self.suffices(up, all)) && percent(up, all) < self.threshold
    }
}

/// The part of a count, in percent.
#[expect(
    clippy::cast_precision_loss,
    reason = "counts of hosts, and Envoy does so"
)]
fn percent(part: usize, all: usize) -> f64 {
    if all == 0 {
        return 0.0;
    }
    100.0 * part as f64 / all as f64
}
