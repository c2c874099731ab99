//! [`Subscription`]: being told of changes, for as long as it lives.

use std::fmt;
use std::sync::Arc;

use crate::outbox::{Outbox, Subscriber};

/// How many changes wait for a subscriber at most. Beyond, the oldest is dropped, which shows in the epochs of
/// those that come.
pub const BACKLOG: usize = 1024;

/// Being told of a cluster's changes: until it is dropped.
///
/// Once it is dropped no further call begins; one that runs on another thread may still be at work.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::sync::Arc;
///
/// use keyroute_cluster::{Batch, Cluster, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::new(), |_| ());
/// let seen = Arc::new(AtomicU64::new(0));
/// let subscription = cluster.subscribe({
///     let seen = Arc::clone(&seen);
///     move |change| seen.store(change.after(), Ordering::Relaxed)
/// });
///
/// cluster.apply(Batch::new().add(Node::new("a")?, ()))?;
/// assert_eq!(seen.load(Ordering::Relaxed), 1);
///
/// drop(subscription);
/// cluster.apply(Batch::new().remove("a"))?;
/// assert_eq!(seen.load(Ordering::Relaxed), 1);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
#[must_use = "the subscription ends where it is dropped"]
pub struct Subscription {
    outbox: Arc<Outbox>,
    subscriber: Option<Arc<Subscriber>>,
}

impl Subscription {
    pub(crate) fn new(outbox: Arc<Outbox>, subscriber: Arc<Subscriber>) -> Self {
        Self {
            outbox,
            subscriber: Some(subscriber),
        }
    }

    /// Stays subscribed for as long as the cluster lives.
    ///
    /// ```
    /// use keyroute_cluster::Cluster;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a"])?, |_| ());
    /// cluster.subscribe(|change| println!("{change}")).forget();
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    pub fn forget(mut self) {
        self.subscriber = None;
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(subscriber) = &self.subscriber {
            self.outbox.unsubscribe(subscriber);
        }
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}
