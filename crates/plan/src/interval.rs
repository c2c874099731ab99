//! [`Interval`]: what a sample says of all keys.

use std::fmt;

/// In which part of all keys something holds, judged from a sample: 95 times of 100 the truth lies between `low` and
/// `high`.
///
/// The score interval of Wilson, 1927: unlike the usual one it is right for parts near 0 and 1 too, and never leaves
/// them.
///
/// ```
/// use keyroute_plan::Interval;
///
/// let interval = Interval::of(0, 1000); // none of a thousand
/// assert_eq!(interval.low, 0.0);
/// assert_eq!(format!("{interval}"), "0.00 % to 0.38 %");
/// assert_eq!(format!("{}", Interval::of(250, 1000)), "22.42 % to 27.78 %");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Interval {
    /// The least it may be, 0 to 1.
    pub low: f64,
    /// The most it may be, 0 to 1.
    pub high: f64,
}

/// The point of the normal distribution that 2.5 % lie beyond.
const Z: f64 = 1.959_963_984_540_054;

impl Interval {
    /// What follows if it holds in `hits` of `samples`. Of no sample nothing: 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn of(hits: u64, samples: u64) -> Self {
        if samples == 0 {
            return Self {
                low: 0.0,
                high: 1.0,
            };
        }
        let n = samples as f64;
        let part = hits.min(samples) as f64 / n;
        let whole = 1.0 + Z * Z / n;
        let middle = (part + Z * Z / (2.0 * n)) / whole;
        let spread = (part * (1.0 - part) / n + Z * Z / (4.0 * n * n)).sqrt() * Z / whole;
        // What rounding leaves of 0 and 1.
        let low = if hits == 0 { 0.0 } else { middle - spread };
        let high = if hits >= samples {
            1.0
        } else {
            middle + spread
        };
        Self {
            low: low.max(0.0),
            high: high.min(1.0),
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = [self.low, self.high].map(|it| 100.0 * it);
        write!(f, "{low:.2} % to {high:.2} %")
    }
}
