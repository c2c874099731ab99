//! [`Stopwatch`]: how long something took, to be told and never acted on.

use std::time::{Duration, Instant};

/// Time since it was started. Where the platform has no clock (`wasm32-unknown-unknown`) that is always 0.
#[derive(Clone, Copy)]
pub(crate) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Self(has_clock.then(Instant::now))
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |began| began.elapsed())
    }
}
