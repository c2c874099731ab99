//! Timings: medians of several rounds.

use std::convert::Infallible;
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

/// The median of the rounds of one work, and the median of how many times as long it took as a round of
/// another just before: what slows a machine down for a while slows both.
pub(crate) fn beside(
    mut yardstick: impl FnMut() -> Duration,
    mut work: impl FnMut() -> Duration,
) -> (Duration, f64) {
    let mut ratios = Vec::with_capacity(ROUNDS);
    let median: Result<_, Infallible> = median(|| {
        let beside = yardstick();
        let took = work();
        ratios.push(took.as_secs_f64() / beside.as_secs_f64().max(f64::MIN_POSITIVE));
        Ok(took)
    });
    ratios.sort_unstable_by(f64::total_cmp);
    let Ok(median) = median;
    (median, ratios[ratios.len() / 2])
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
        let mut yardstick = [1, 100, 1, 10, 1].into_iter();
        let mut work = [2, 300, 4, 50, 6].into_iter();
        let next = |times: &mut std::array::IntoIter<u64, 5>| {
            Duration::from_secs(times.next().unwrap_or_default())
        };
        let (took, ratio) = beside(|| next(&mut yardstick), || next(&mut work));
        // Ratios 2, 3, 4, 5, 6; times 2, 4, 6, 50, 300.
        assert_eq!((took, ratio), (Duration::from_secs(6), 4.0));
    }
}
