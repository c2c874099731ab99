//! [`Shared`]: what all connections share.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::Limits;
use super::cursors::Cursors;
use crate::Store;

pub(super) struct Shared {
    pub(super) store: Store,
    pub(super) limits: Limits,
    pub(super) began: Instant,
    pub(super) port: u16,
    pub(super) counts: Counts,
    /// A change may have begun.
    pub(super) change: Notify,
    cursors: Mutex<Cursors>,
}

#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) clients: AtomicUsize,
    pub(super) accepted: AtomicU64,
    pub(super) rejected: AtomicU64,
    pub(super) commands: AtomicU64,
    /// Bytes kept for commands that have not come in whole.
    pub(super) incomplete: AtomicUsize,
}

impl Shared {
    pub(super) fn new(store: Store, limits: Limits, port: u16) -> Self {
        Self {
            store,
            limits,
            began: Instant::now(),
            port,
            counts: Counts::default(),
            change: Notify::new(),
            cursors: Mutex::default(),
        }
    }

    pub(super) fn cursors(&self) -> MutexGuard<'_, Cursors> {
        self.cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps room for so many bytes more, if there is some.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let kept = self.counts.incomplete.fetch_add(bytes, Relaxed);
        let fits = kept.saturating_add(bytes) <= self.limits.incomplete;
        if !fits {
            self.release(bytes);
        }
        fits
    }

    pub(super) fn release(&self, bytes: usize) {
        self.counts.incomplete.fetch_sub(bytes, Relaxed);
    }
}
