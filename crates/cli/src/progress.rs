//! [`Progress`]: a bar on standard error for work that takes long.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(500);

/// A bar that appears once the work has gone on for a while, if standard error is a terminal, and goes
/// when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    since: Instant,
    waiting: u64,
    shown: bool,
}

impl Progress {
    /// A bar for this work; `total` is its size in any unit, if known.
    pub(crate) fn new(work: &'static str, total: Option<u64>) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = match total {
            Some(_) => "{msg} [{bar:40}] {percent:>3} %, {eta} to go",
            None => "{msg} {spinner} {human_pos}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(work);
        Self {
            bar,
            since: Instant::now(),
            waiting: 0,
            shown: false,
        }
    }

    /// So much more is done. Cheap enough to be called for every key.
    pub(crate) fn advance(&mut self, done: u64) {
        self.waiting += done;
        if self.waiting < 1 << 14 {
            return;
        }
        self.bar.inc(std::mem::take(&mut self.waiting));
        self.show();
    }

    /// So much is done in all: for work that goes on elsewhere, and is asked now and then.
    #[cfg(feature = "kv")]
    pub(crate) fn reach(&mut self, done: u64) {
        self.bar.set_position(done);
        self.show();
    }

    fn show(&mut self) {
        if !self.shown && self.since.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
