//! [`Changes`]: a cluster's changes, to be taken when it suits.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::outbox::Outbox;
use crate::{BACKLOG, Change, Subscription};

/// A cluster's changes from now on, to be taken when it suits: what a thread of its own reads.
///
/// At most [`BACKLOG`] wait; beyond, the oldest is dropped, and the next one taken does not begin at the epoch
/// at which the last one ended. Nobody waits for a slow reader.
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_cluster::{Batch, Cluster, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::new(), |_| ());
/// let changes = cluster.changes();
/// cluster.apply(Batch::new().add(Node::new("a")?, ()))?;
///
/// assert_eq!(changes.try_next().unwrap().added(), ["a"]);
/// assert!(changes.try_next().is_none());
/// assert!(changes.next_within(Duration::from_millis(1)).is_none());
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[must_use = "changes are only kept for whom holds this"]
pub struct Changes {
    inbox: Arc<Inbox>,
    _subscription: Subscription,
}

#[derive(Default)]
struct Inbox {
    waiting: Mutex<VecDeque<Arc<Change>>>,
    arrived: Condvar,
}

impl Changes {
    pub(crate) fn of(outbox: &Arc<Outbox>) -> Self {
        let inbox = Arc::<Inbox>::default();
        let filled = Arc::clone(&inbox);
        let subscriber = outbox.subscribe(Box::new(move |change| filled.put(change)));
        Self {
            inbox,
            _subscription: Subscription::new(Arc::clone(outbox), subscriber),
        }
    }

    /// The oldest change that waits.
    #[must_use]
    pub fn try_next(&self) -> Option<Arc<Change>> {
        self.inbox.lock().pop_front()
    }

    /// The oldest change that waits, or the next one, if it comes within this time. Blocks the thread.
    #[must_use]
    pub fn next_within(&self, time: Duration) -> Option<Arc<Change>> {
        let waiting = self.inbox.lock();
        let arrived = &self.inbox.arrived;
        let waited = arrived.wait_timeout_while(waiting, time, |waiting| waiting.is_empty());
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.pop_front()
    }
}

impl Inbox {
    fn put(&self, change: &Arc<Change>) {
        let mut waiting = self.lock();
        if waiting.len() == BACKLOG {
            waiting.pop_front();
        }
        waiting.push_back(Arc::clone(change));
        self.arrived.notify_one();
    }

    /// Nothing panics while it is held.
    fn lock(&self) -> MutexGuard<'_, VecDeque<Arc<Change>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("waiting", &self.inbox.lock().len())
            .finish_non_exhaustive()
    }
}
