//! Changes as events of [`tracing`]: counts and ids, and no byte of a key.

use std::fmt;

use keyroute_core::{NodeId, RouteError};
use tracing::{debug, info, warn};

use crate::{Change, StatusChange};

/// A change was made. `promised`: the caller says that none moves keys needlessly.
pub(crate) fn changed(change: &Change, promised: bool) {
    let movement = change.movement();
    info!(
        epoch = change.after(),
        added = %First(change.added()),
        removed = %First(change.removed()),
        reweighted = change.reweighted().len(),
        rezoned = change.rezoned().len(),
        payloads = change.payloads().len(),
        statuses = change.statuses().len(),
        status = %FirstStatuses(change.statuses()),
        rebuilt = change.rebuilt(),
        samples = movement.samples(),
        needed = movement.needed(),
        needless = movement.needless(),
        rebuild_micros = micros(change.rebuild_time()),
        micros = micros(change.time()),
        "cluster changed"
    );
    if promised && movement.needless() > 0 {
        warn!(
            epoch = change.after(),
            needless = movement.needless(),
            samples = movement.samples(),
            "keys moved needlessly, under a strategy that was said to move none so"
        );
    }
}

/// A change was refused, and all is as it was.
pub(crate) fn refused(epoch: u64, error: &RouteError) {
    debug!(epoch, error = %error, "change refused");
}

/// A subscriber panicked when it was told of a change.
pub(crate) fn panicked(change: &Change, panics: u64) {
    warn!(epoch = change.after(), panics, "a subscriber panicked");
}

fn micros(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// How many nodes a field names at most.
const NAMED: usize = 8;

/// Ids in one field: `"a", "b"`, and beyond the first eight how many there are more.
struct First<'i>(&'i [NodeId]);

impl fmt::Display for First<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        first(f, self.0, |id| format!("{id:?}"))
    }
}

/// As many statuses, as they are now: `"a" (down), "b" (up)`.
struct FirstStatuses<'i>(&'i [StatusChange]);

impl fmt::Display for FirstStatuses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        first(f, self.0, |it| format!("{:?} ({})", it.id, it.after))
    }
}

fn first<I>(f: &mut fmt::Formatter<'_>, all: &[I], told: impl Fn(&I) -> String) -> fmt::Result {
    let named: Vec<String> = all.iter().take(NAMED).map(told).collect();
    f.write_str(&named.join(", "))?;
    match all.len().saturating_sub(NAMED) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}
