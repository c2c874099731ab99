//! [`Watch`]: a future for the next change.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use event_listener::Event;

use crate::Snapshot;

/// A future for the next change: for async programs, under any runtime or none.
///
/// It tells of the latest state, not of each change: who is slow skips what lies between. For each change there
/// is [`Cluster::subscribe`](crate::Cluster::subscribe).
///
/// ```no_run
/// use keyroute_cluster::Watch;
/// use keyroute_vector_ring::VectorRing;
///
/// async fn follow(mut watch: Watch<VectorRing, String>) {
///     while let Some(snapshot) = watch.changed().await {
///         println!("epoch {}: {} members", snapshot.epoch(), snapshot.all_members().count());
///     }
///     println!("the cluster is gone");
/// }
/// ```
pub struct Watch<R, T> {
    current: Arc<ArcSwap<Snapshot<R, T>>>,
    signal: Arc<Signal>,
    seen: u64,
}

/// Wakes whoever watches.
#[derive(Default)]
pub(crate) struct Signal {
    event: Event,
    closed: AtomicBool,
}

impl Signal {
    pub(crate) fn notify(&self) {
        self.event.notify(usize::MAX);
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.notify();
    }
}

impl<R, T> Watch<R, T> {
    pub(crate) fn new(current: Arc<ArcSwap<Snapshot<R, T>>>, signal: Arc<Signal>) -> Self {
        let seen = current.load().epoch();
        Self {
            current,
            signal,
            seen,
        }
    }

    /// Waits until the epoch is another than when this was last answered, at first than when the watch was made;
    /// gives the cluster as it is then. `None` when the cluster has been dropped.
    ///
    /// Dropping the future loses nothing: the next one answers.
    pub async fn changed(&mut self) -> Option<Arc<Snapshot<R, T>>> {
        loop {
            // Listen, then look: a change between the two wakes the listener.
            let listener = self.signal.event.listen();
            let snapshot = self.current.load_full();
            if snapshot.epoch() != self.seen {
                self.seen = snapshot.epoch();
                return Some(snapshot);
            }
            if self.signal.closed.load(Ordering::SeqCst) {
                return None;
            }
            listener.await;
        }
    }
}

impl<R, T> fmt::Debug for Watch<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}
