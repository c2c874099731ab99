//! [`SteadyConfig`]: how much is off, how far to go.

use alloc::format;
use alloc::string::ToString;

use keyroute_core::{RouteError, Weight};

/// The settings of [`Steady`](crate::Steady). Parts are in thousandths.
///
/// ```
/// use keyroute_adaptive::{Steady, SteadyConfig};
///
/// let careful = SteadyConfig { movement: 20, ..SteadyConfig::default() };
/// assert!(Steady::new(careful).is_ok());
/// let error = Steady::new(SteadyConfig { settled: 300, ..careful }).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "settled is 300, not under threshold 250: give 1 or more, and less than threshold"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SteadyConfig {
    /// It begins when a node is off its fair share by more than this: 250, a quarter.
    pub threshold: u32,
    /// It ends when none is off by more than this: 100.
    pub settled: u32,
    /// How many requests it takes: 1000.
    pub min_samples: u64,
    /// How many standard deviations are still chance: 5. A key needs the square of it in requests to be hot.
    pub certainty: u32,
    /// The most points that come and go in one round, of all points: 100, a tenth.
    pub movement: u32,
    /// The fewest points of a node, of those it was given: 200, a fifth; never less than one point.
    pub min_points: u32,
    /// The most points of a node, of those it was given: 4000, four times.
    pub max_points: u32,
    /// A key is hot if it has more than this of its node's fair share: 250. From half of it on it counts in part.
    pub hot_key: u32,
    /// After so many rounds of moving in which the worst node came no closer it accepts what is left: 8.
    pub patience: u32,
    /// After so many rounds of moving it does so in any case: 30.
    pub max_rounds: u32,
}

impl Default for SteadyConfig {
    fn default() -> Self {
        Self {
            threshold: 250,
            settled: 100,
            min_samples: 1000,
            certainty: 5,
            movement: 100,
            min_points: 200,
            max_points: 4000,
            hot_key: 250,
            patience: 8,
            max_rounds: 30,
        }
    }
}

impl SteadyConfig {
    /// Whether a policy can have these settings.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for what is out of range: any 0, `settled` not below `threshold`, `threshold` and
    /// `hot_key` over 1,000,000, `movement` and `min_points` over 1000, `max_points` under 1000 or over 1,000,000,
    /// `certainty` over 1000.
    pub fn check(&self) -> Result<(), RouteError> {
        let ranges = [
            ("threshold", self.threshold, 1, 1_000_000, "1 to 1000000"),
            ("certainty", self.certainty, 1, 1000, "1 to 1000"),
            ("movement", self.movement, 1, 1000, "1 to 1000"),
            ("min_points", self.min_points, 1, 1000, "1 to 1000"),
            (
                "max_points",
                self.max_points,
                1000,
                1_000_000,
                "1000 to 1000000",
            ),
            ("hot_key", self.hot_key, 1, 1_000_000, "1 to 1000000"),
            ("patience", self.patience, 1, u32::MAX, "1 or more"),
            ("max_rounds", self.max_rounds, 1, u32::MAX, "1 or more"),
        ];
        for (name, given, least, most, accepted) in ranges {
            if !(least..=most).contains(&given) {
                return Err(RouteError::Parameter {
                    name,
                    given: given.to_string(),
                    accepted,
                });
            }
        }
        if self.min_samples == 0 {
            return Err(RouteError::Parameter {
                name: "min_samples",
                given: "0".to_string(),
                accepted: "1 or more",
            });
        }
        if self.settled == 0 || self.settled >= self.threshold {
            return Err(RouteError::Parameter {
                name: "settled",
                given: format!("{}, not under threshold {}", self.settled, self.threshold),
                accepted: "1 or more, and less than threshold",
            });
        }
        Ok(())
    }

    /// The fewest and the most points of a node that was given so many.
    pub(crate) fn bounds(&self, given: Weight) -> (u32, u32) {
        let part = |thousandths: u32| {
            let points = u64::from(given.get()) * u64::from(thousandths) / 1000;
            u32::try_from(points).unwrap_or(u32::MAX).max(1)
        };
        (part(self.min_points), part(self.max_points))
    }
}
