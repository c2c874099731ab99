//! [`Reader`]: a thread's own handle on a cluster, for the hot path.

use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use arc_swap::cache::Cache;
use keyroute_core::{SlotSet, Walk};

use crate::{Lease, Pick, Snapshot, Unavailable};

/// A thread's own handle on a cluster: it keeps the last snapshot it saw, and asks with one load of a shared word
/// whether there is a newer one.
///
/// Keep one for each thread or task; [`Cluster::load`](crate::Cluster::load) does without, for a little more. It
/// holds a snapshot alive until it is asked again.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |node| format!("{}:80", node.id()));
/// let mut reader = cluster.reader();
/// let owner = reader.pick(b"user:1")?.id().clone();
///
/// cluster.apply(Batch::new().remove(owner.as_str()))?;
/// let snapshot = reader.snapshot(); // one for each unit of work
/// assert_eq!(snapshot.epoch(), 1);
/// assert_ne!(*snapshot.pick(b"user:1")?.id(), owner);
///
/// let kept = reader.shared_snapshot(); // one for a task of its own
/// std::thread::spawn(move || assert!(kept.pick(b"user:1").is_ok())).join().unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader<R, T> {
    cache: Cached<R, T>,
    seen: SlotSet,
}

type Cached<R, T> = Cache<Arc<ArcSwap<Snapshot<R, T>>>, Arc<Snapshot<R, T>>>;

impl<R, T> Reader<R, T> {
    pub(crate) fn new(current: Arc<ArcSwap<Snapshot<R, T>>>) -> Self {
        Self {
            cache: Cache::new(current),
            seen: SlotSet::new(),
        }
    }

    /// The cluster as it is now. It stays so while it is borrowed: ask once for each unit of work.
    #[inline]
    #[must_use = "the snapshot is what the reader is for"]
    pub fn snapshot(&mut self) -> &Snapshot<R, T> {
        self.cache.load()
    }

    /// The cluster as it is now, to keep.
    #[must_use = "the snapshot is what the reader is for"]
    pub fn shared_snapshot(&mut self) -> Arc<Snapshot<R, T>> {
        Arc::clone(self.cache.load())
    }
}

impl<R: Walk, T> Reader<R, T> {
    /// [`Snapshot::pick`] on the cluster as it is now; allocates nothing beyond 1,024 slots either.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::pick`].
    #[inline(always)]
    pub fn pick(&mut self, key: &[u8]) -> Result<Pick<'_, T>, Unavailable> {
        self.cache.load().pick_with(key, &mut self.seen)
    }

    /// [`Snapshot::acquire`] on the cluster as it is now; allocates nothing beyond 1,024 slots either.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::acquire`].
    #[inline]
    pub fn acquire(&mut self, key: &[u8]) -> Result<Lease<T>, Unavailable> {
        self.cache.load().acquire_with(key, &mut self.seen)
    }
}

/// The clone has its own snapshot, the same as this one's.
impl<R, T> Clone for Reader<R, T> {
    fn clone(&self) -> Self {
        Self {
            cache: self.cache.clone(),
            seen: SlotSet::new(),
        }
    }
}

impl<R, T> fmt::Debug for Reader<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").finish_non_exhaustive()
    }
}
