//! How it is timed: everybody in turn, round after round.
//!
//! A machine that others use is slow for some milliseconds here and there. Contestants that take short turns
//! are all hit alike, and a ratio of two times of one round survives what each time alone does not. So a figure is
//! the median of rounds, and a ratio the median of ratios. A turn is the best of three runs: the first warms the
//! caches that others have used, and one that the scheduler interrupts does not count.

use std::time::{Duration, Instant};

/// Does its work so many times, and says how long that took.
pub trait Timed {
    /// Does it `times` times. What is not asked about (undoing a change, say) is not in the time.
    fn run(&mut self, times: u32) -> Duration;

    /// Checks, when all is done, that the work did not break what was worked on.
    ///
    /// # Panics
    ///
    /// If it did.
    fn finish(&mut self) {}
}

impl<F: FnMut(u32) -> Duration> Timed for F {
    fn run(&mut self, times: u32) -> Duration {
        self(times)
    }
}

/// How long it takes to do this.
pub fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

/// How long and how often.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Rounds; odd, so that there is a median.
    pub rounds: u32,
    /// How long a run shall last. Where doing it once takes longer, a run is once, and a turn one run.
    pub run: Duration,
}

impl Pace {
    /// For a result that is reported.
    pub const FULL: Self = Self {
        rounds: 15,
        run: Duration::from_millis(2),
    };

    /// For a look.
    pub const QUICK: Self = Self {
        rounds: 5,
        run: Duration::from_micros(500),
    };

    /// For the answers alone.
    pub const ONCE: Self = Self {
        rounds: 1,
        run: Duration::ZERO,
    };
}

/// Runs of one turn.
const RUNS: u32 = 3;

/// The times of one contestant, a round each, in nanoseconds for doing it once.
#[derive(Clone, Debug, PartialEq)]
pub struct Series(Vec<f64>);

impl Series {
    /// The middle one.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(self.0.iter().copied())
    }

    /// The least one.
    #[must_use]
    pub fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The median of the ratios to the other's times of the same rounds.
    #[must_use]
    pub fn ratio_to(&self, other: &Self) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(own, other)| own / other))
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Times all of them, in rounds; the order of turns shifts by one each round, so that nobody always comes after
/// the same one.
pub fn measure(all: &mut [Box<dyn Timed>], pace: Pace) -> Vec<Series> {
    let times: Vec<u32> = all
        .iter_mut()
        .map(|one| times_a_run(&mut **one, pace.run))
        .collect();
    let mut series = vec![Series(Vec::new()); all.len()];
    for round in 0..pace.rounds as usize {
        for turn in 0..all.len() {
            let who = (round + turn) % all.len();
            let runs = if times[who] > 1 { RUNS } else { 1 };
            let spent = best(runs, &mut *all[who], times[who]);
            series[who]
                .0
                .push(spent.as_secs_f64() * 1e9 / f64::from(times[who]));
        }
    }
    for one in all {
        one.finish();
    }
    series
}

fn best(runs: u32, one: &mut dyn Timed, times: u32) -> Duration {
    let spent = (0..runs).map(|_| one.run(times));
    spent.min().unwrap_or(Duration::ZERO)
}

/// How often fills a run: at least doubles until it does, also when it is not interrupted.
fn times_a_run(one: &mut dyn Timed, run: Duration) -> u32 {
    let mut times = 1_u32;
    loop {
        let first = one.run(times);
        // What takes a second is not asked again.
        let spent = if first > run * 100 {
            first
        } else {
            first.min(best(RUNS - 1, one, times))
        };
        if spent >= run || times >= MOST_TIMES {
            return times;
        }
        let missing = run.as_secs_f64() / spent.as_secs_f64().max(1e-9);
        let factor = if missing > 10.0 { 10 } else { 2 };
        times = (times * factor).min(MOST_TIMES);
    }
}

/// Half as many as there are keys.
const MOST_TIMES: u32 = 1 << 19;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ratios_are_taken_over_rounds() {
        let (own, other) = (Series(vec![4.0, 1.0, 9.0]), Series(vec![2.0, 1.0, 3.0]));
        assert_eq!(own.median(), 4.0);
        assert_eq!(own.least(), 1.0);
        assert_eq!(own.ratio_to(&other), 2.0);
    }

    #[test]
    fn everybody_has_as_many_turns_and_is_asked_at_the_end() {
        struct Counted<'a>(u32, Duration, &'a std::cell::Cell<u32>);
        impl Timed for Counted<'_> {
            fn run(&mut self, times: u32) -> Duration {
                self.0 += times;
                self.1 * times
            }
            fn finish(&mut self) {
                self.2.set(self.2.get() + 1);
            }
        }
        let finished = Box::leak(Box::default());
        let pace = Pace {
            rounds: 3,
            run: Duration::from_micros(100),
        };
        let mut all: Vec<Box<dyn Timed>> = vec![
            Box::new(Counted(0, Duration::from_micros(1), finished)),
            Box::new(Counted(0, Duration::from_micros(300), finished)),
        ];
        let series = measure(&mut all, pace);
        assert_eq!(series[0].0.len(), 3);
        assert!((series[0].median() - 1_000.0).abs() < 1e-6);
        assert!((series[1].ratio_to(&series[0]) - 300.0).abs() < 1e-6);
        assert_eq!(finished.get(), 2);
    }
}
