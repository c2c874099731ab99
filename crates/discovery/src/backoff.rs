//! [`Backoff`]: how long to wait before the next attempt.

use std::time::Duration;

use keyroute_core::buckets::word;

/// The shortest wait, before jitter.
const LEAST: Duration = Duration::from_millis(100);

/// Waits that double from a tenth of a second up to a limit, each shortened by up to a half, so that those who lost the
/// same server do not come back at once.
#[derive(Clone, Debug)]
pub(crate) struct Backoff {
    most: Duration,
    seed: u64,
    drawn: u64,
    failures: u32,
}

impl Backoff {
    /// Waits up to this long, with jitter drawn under this seed.
    pub(crate) fn new(most: Duration, seed: u64) -> Self {
        Self {
            most,
            seed,
            drawn: 0,
            failures: 0,
        }
    }

    /// All is well: the next wait is a short one.
    pub(crate) fn reset(&mut self) {
        self.failures = 0;
    }

    /// How long to wait after one more failure.
    pub(crate) fn next(&mut self) -> Duration {
        let doubled = LEAST.saturating_mul(1 << self.failures.min(20));
        self.failures = self.failures.saturating_add(1);
        self.drawn += 1;
        let whole = doubled.min(self.most);
        // In 2^16 parts, of which the draw takes up to a half away.
        let parts = 0x1_0000 - u32::from((word(self.seed, self.drawn) & 0x7fff) as u16);
        whole.saturating_mul(parts) / 0x1_0000
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Backoff, LEAST};

    const MOST: Duration = Duration::from_secs(10);

    #[test]
    fn waits_double_up_to_the_limit_and_keep_half_of_it() {
        for seed in 0..200 {
            let mut backoff = Backoff::new(MOST, seed);
            for failure in 0..40 {
                let whole = LEAST.saturating_mul(1 << failure.min(20)).min(MOST);
                let wait = backoff.next();
                assert!(wait <= whole && wait >= whole / 2, "{failure}: {wait:?}");
            }
            backoff.reset();
            assert!(backoff.next() <= LEAST);
        }
    }

    #[test]
    fn seeds_tell_clients_apart_and_repeat_them() {
        let waits = |seed| {
            let mut backoff = Backoff::new(MOST, seed);
            [(); 8].map(|()| backoff.next())
        };
        assert_eq!(waits(1), waits(1));
        assert_ne!(waits(1), waits(2));
    }
}
