//! [`Timers`]: ramps that grow and members that leave, at ticks.

use std::collections::BTreeMap;
use std::time::Duration;

use keyroute_core::NodeId;

use crate::Ramp;

/// A time that begins at the first tick after it was set. It cannot begin before: nothing here reads a clock,
/// and the last tick may be long ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timer<P> {
    pub(crate) plan: P,
    began: Option<Duration>,
}

impl<P> Timer<P> {
    pub(crate) fn new(plan: P) -> Self {
        Self { plan, began: None }
    }

    /// The time since it began, which it does now if it has not.
    pub(crate) fn elapsed(&mut self, now: Duration) -> Duration {
        now.saturating_sub(*self.began.get_or_insert(now))
    }
}

/// The timers by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Timers {
    pub(crate) ramps: BTreeMap<NodeId, Timer<Ramp>>,
    pub(crate) leaves: BTreeMap<NodeId, Timer<Duration>>,
}

impl Timers {
    pub(crate) fn are_none(&self) -> bool {
        self.ramps.is_empty() && self.leaves.is_empty()
    }

    /// Lets all begin that have not.
    pub(crate) fn begin(&mut self, now: Duration) {
        for timer in self.ramps.values_mut() {
            timer.elapsed(now);
        }
        for timer in self.leaves.values_mut() {
            timer.elapsed(now);
        }
    }

    pub(crate) fn forget(&mut self, id: &str) {
        self.ramps.remove(id);
        self.leaves.remove(id);
    }
}
