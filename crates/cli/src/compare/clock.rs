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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_five() {
        let mut times = [9, 1, 5, 2, 7].into_iter();
        let median = median(|| times.next().map(Duration::from_secs).ok_or("a sixth round"));
        assert_eq!(median, Ok(Duration::from_secs(5)));
    }
}
