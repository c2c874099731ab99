//! Timings: medians of several rounds.

use std::time::{Duration, Instant};

/// How many rounds a timing has, unless they take long.
const ROUNDS: usize = 5;

/// Rounds end early once they have taken this long.
const ENOUGH: Duration = Duration::from_secs(1);

/// What the work gives, and how long it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

/// The median of [`ROUNDS`] rounds, each of which says how long its measured part took; fewer if all
/// parts together take long.
///
/// # Errors
///
/// The first that a round gives.
pub(crate) fn median<E>(mut round: impl FnMut() -> Result<Duration, E>) -> Result<Duration, E> {
    let start = Instant::now();
    let mut times = Vec::with_capacity(ROUNDS);
    while times.len() < ROUNDS && (times.is_empty() || start.elapsed() < ENOUGH) {
        times.push(round()?);
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// The median time of a work, and the median of how many times as long it took as another just before it
/// in its round: what slows a machine down for a while slows both.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    took: Vec<Duration>,
    ratios: Vec<f64>,
}

impl Beside {
    /// Adds a round.
    pub(crate) fn round(&mut self, yardstick: Duration, work: Duration) {
        self.took.push(work);
        let yardstick = yardstick.as_secs_f64().max(f64::MIN_POSITIVE);
        self.ratios.push(work.as_secs_f64() / yardstick);
    }

    /// Both medians; zeros without rounds.
    pub(crate) fn medians(mut self) -> (Duration, f64) {
        let middle = self.took.len() / 2;
        self.took.sort_unstable();
        self.ratios.sort_unstable_by(f64::total_cmp);
        let took = self.took.get(middle).copied().unwrap_or_default();
        (took, self.ratios.get(middle).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_five() {
        let mut times = [9, 1, 5, 2, 7].into_iter();
        let median = median(|| times.next().map(Duration::from_secs).ok_or("a sixth round"));
        assert_eq!(median, Ok(Duration::from_secs(5)));
    }

    #[test]
    fn a_ratio_is_taken_within_its_round() {
        let mut beside = Beside::default();
        for (yardstick, work) in [(1, 2), (100, 300), (1, 4), (10, 50), (1, 6)] {
            beside.round(Duration::from_secs(yardstick), Duration::from_secs(work));
        }
        // Ratios 2, 3, 4, 5, 6; times 2, 4, 6, 50, 300.
        assert_eq!(beside.medians(), (Duration::from_secs(6), 4.0));
    }
}
