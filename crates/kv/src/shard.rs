//! [`Shard`]: what a backend must be able to do.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::Entry;

/// A future in a box, so that shards of several kinds stand in one store.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where a node's keys lie.
///
/// Each operation on one key happens at once or not at all, and is there for whoever asks after it was answered;
/// a shard that outlives its process keeps it through a crash. One that failed may have happened, or may still, but
/// not once a later one on this node has been answered, be it another process' and on another key: a key may have
/// moved since. The store awaits each to its end. A shard may forget an entry that has ended but need
/// not: the store looks at the time itself. [`MemoryShard`](crate::MemoryShard) is the smallest.
pub trait Shard: Send + Sync {
    /// What is held under the key.
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>>;

    /// Holds the entry under the key, whatever was there.
    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>>;

    /// Holds nothing under the key; says whether there was something.
    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>>;

    /// Keys, about `limit` of them (at least one if any is left), from this cursor on; none begins.
    ///
    /// A key that is held from the first page to the last is on one of them at least, it may be on several, whatever
    /// else comes and goes meanwhile. Entries that have ended may be among them. Only asked if it [`lists`](Self::lists).
    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>>;

    /// How many keys it holds, about; `None` if it cannot say.
    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async { Ok(None) })
    }

    /// Forgets entries that have ended by this time, in milliseconds since 1970, of about `limit` keys from this cursor
    /// on; none begins. An entry that is set meanwhile stays.
    ///
    /// A shard that ends its entries itself has nothing to do, and does nothing unless it says otherwise.
    fn purge(
        &self,
        now: u64,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'_, Result<Purged, ShardError>> {
        let _ = (now, cursor, limit);
        Box::pin(async { Ok(Purged::default()) })
    }

    /// Whether it can list its keys. Memcached cannot: keys then move when they are touched.
    fn lists(&self) -> bool {
        true
    }

    /// What is held under the key, for a reader: a shard that ends its entries itself may leave out when, if that is
    /// cheaper.
    fn look<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        self.get(key)
    }

    /// The same for each of these keys.
    fn look_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        self.get_many(keys)
    }

    /// Bears this mark from now on, as long as it holds anything, or none any more.
    ///
    /// A shard that lost all it held, a server that started again empty for example, would answer that there is
    /// nothing, and so would another one at the same address. So the store marks a shard when its node joins, and says
    /// what it [`expects`](Self::expect_mark) whenever it opens one. A shard that cannot outlive its process, or is a
    /// cache, need not bear marks.
    fn mark<'a>(&'a self, mark: Option<&'a str>) -> Pending<'a, Result<(), ShardError>> {
        let _ = mark;
        Box::pin(async { Ok(()) })
    }

    /// From now on all it is asked fails unless it bears this mark.
    fn expect_mark(&self, mark: &str) {
        let _ = mark;
    }

    /// What is held under each of these keys.
    fn get_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<Option<Entry>>, ShardError>> {
        Box::pin(async move {
            let mut entries = Vec::with_capacity(keys.len());
            for key in keys {
                entries.push(self.get(key).await?);
            }
            Ok(entries)
        })
    }

    /// Holds these entries, of which no two have the same key. If it fails some may be held.
    fn set_many<'a>(
        &'a self,
        entries: &'a [(&'a [u8], &'a Entry)],
    ) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            for &(key, entry) in entries {
                self.set(key, entry.clone()).await?;
            }
            Ok(())
        })
    }

    /// Holds nothing under these keys, of which no two are the same; says of each whether there was something. If it
    /// fails some may be deleted.
    fn delete_many<'a>(
        &'a self,
        keys: &'a [&'a [u8]],
    ) -> Pending<'a, Result<Vec<bool>, ShardError>> {
        Box::pin(async move {
            let mut deleted = Vec::with_capacity(keys.len());
            for key in keys {
                deleted.push(self.delete(key).await?);
            }
            Ok(deleted)
        })
    }
}

/// Some of a shard's keys, and where the next begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The keys.
    pub keys: Vec<Vec<u8>>,
    /// What to ask the next page with; `None` at the end. Its bytes are the shard's own.
    pub next: Option<Vec<u8>>,
}

/// What one page of [`purge`](Shard::purge) did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// How many keys it looked at.
    pub looked: u64,
    /// How many entries it forgot.
    pub ended: u64,
    /// What to ask the next page with; `None` at the end.
    pub next: Option<Vec<u8>>,
}

/// Why a shard did not do what it was asked to.
///
/// Whether a write that failed was done is not known: it may be.
///
/// ```
/// use keyroute_kv::ShardError;
///
/// assert_eq!(ShardError::new("connection refused").to_string(), "connection refused");
/// ```
#[derive(Clone, Debug)]
pub struct ShardError(Arc<dyn Error + Send + Sync>);

impl ShardError {
    /// An error for this reason: a text, or the backend's own error.
    #[must_use]
    pub fn new(reason: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(Arc::from(reason.into()))
    }
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Error for ShardError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// The answers, if they are as many as were asked for.
pub(crate) fn all_answered<T>(asked: usize, answers: Vec<T>) -> Result<Vec<T>, ShardError> {
    if answers.len() == asked {
        return Ok(answers);
    }
    let text = format!("{asked} answers were due, {} came", answers.len());
    Err(ShardError::new(text))
}
