//! [`MemoryShard`]: a shard in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::shard::Pending;
use crate::{Entry, Page, Purged, Shard, ShardError};

/// A shard in memory: for tests, and for caches within a process. It ends with the process.
///
/// One ordered map behind a lock that is held for one operation on it.
///
/// ```
/// use keyroute_kv::{Entry, MemoryShard, Shard};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let shard = MemoryShard::new();
/// shard.set(b"user:1", Entry::new("v")).await?;
/// assert_eq!(shard.get(b"user:1").await?, Some(Entry::new("v")));
/// assert!(shard.delete(b"user:1").await? && shard.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct MemoryShard {
    entries: Mutex<BTreeMap<Vec<u8>, Entry>>,
}

impl MemoryShard {
    /// An empty shard.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many keys it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// A copy of all it holds, in the order of the keys.
    #[must_use]
    pub fn snapshot(&self) -> BTreeMap<Vec<u8>, Entry> {
        self.entries().clone()
    }

    /// No operation leaves the map half changed, so one that panicked does no harm.
    fn entries(&self) -> MutexGuard<'_, BTreeMap<Vec<u8>, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard for MemoryShard {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move { Ok(self.entries().get(key).cloned()) })
    }

    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            self.entries().insert(key.to_vec(), entry);
            Ok(())
        })
    }

    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move { Ok(self.entries().remove(key).is_some()) })
    }

    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        Box::pin(async move {
            let limit = limit.max(1);
            let after = cursor.map_or(Bound::Unbounded, Bound::Excluded);
            let entries = self.entries();
            let keys = entries.range::<Vec<u8>, _>((after, Bound::Unbounded));
            let keys: Vec<Vec<u8>> = keys.take(limit).map(|(key, _)| key.clone()).collect();
            let next = keys.last().filter(|_| keys.len() == limit).cloned();
            Ok(Page { keys, next })
        })
    }

    fn get_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        Box::pin(async move {
            let entries = self.entries();
            Ok(keys.iter().map(|key| entries.get(*key).cloned()).collect())
        })
    }

    fn purge(
        &self,
        now: u64,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'_, Result<Purged, ShardError>> {
        Box::pin(async move {
            let Page { keys, next } = self.scan(cursor, limit).await?;
            let mut entries = self.entries();
            let mut ended = 0;
            for key in &keys {
                if entries.get(key).is_some_and(|entry| !entry.is_live(now)) {
                    entries.remove(key);
                    ended += 1;
                }
            }
            let looked = keys.len() as u64;
            Ok(Purged {
                looked,
                ended,
                next,
            })
        })
    }

    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async move { Ok(u64::try_from(self.len()).ok()) })
    }
}
