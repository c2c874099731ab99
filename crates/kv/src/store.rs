//! [`Store`]: gets, sets and deletes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use keyroute_core::hash::Xxh3;
use keyroute_core::{KeyHasher, Node};
use tokio::sync::{Mutex, Notify, RwLock, watch};

use crate::admin::Admin;
use crate::open::Connect;
use crate::ring::{Holders, MakeRouter};
use crate::state::{Phase, State};
use crate::to_the_end::to_the_end;
use crate::{Entry, Journal, KvError, Rate};

/// The longest key, in bytes.
pub const MAX_KEY_LEN: usize = 1 << 16;

/// How many locks the keys share.
const STRIPES: usize = 1024;

/// A key-value store over shards that a router chooses, which serves while they change.
///
/// A handle: clones are one store. Its operations may run at once, from any number of tasks.
///
/// - What a `set` or `delete` has answered is seen by every `get` that begins after, before, during and after a
///   change.
/// - A write is answered when all replicas took it. One that failed may be done or not. One whose future is dropped
///   after it was polled is done all the same.
/// - A read asks the first replica, and the next only if that one fails.
///
/// Without a change a read costs a lookup and one question to one shard, and takes no lock. A write of a store with
/// more than one replica takes the key's lock, so that all replicas see one order. While nodes change, the keys that
/// must move are locked and asked for at two places; all others are not.
///
/// ```
/// use keyroute_kv::{MemoryShard, Node, Store};
/// use keyroute_vector_ring::VectorRing;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let store = Store::builder(
///     |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
///     |_id, _address| Ok(MemoryShard::new()),
/// )
/// .nodes([Node::new("a")?, Node::new("b")?])
/// .open()
/// .await?;
///
/// store.set(b"user:1", "v").await?;
/// store.add(Node::new("c")?).await?;
/// assert_eq!(store.get(b"user:1").await?, Some(b"v".to_vec())); // wherever it is
/// store.run().await; // moves what must move, a quarter to a third of the keys
/// assert_eq!(store.get(b"user:1").await?, Some(b"v".to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) make: Box<MakeRouter>,
    pub(crate) connect: Box<Connect>,
    pub(crate) journal: Box<dyn Journal>,
    pub(crate) clock: Box<dyn Fn() -> u64 + Send + Sync>,
    pub(crate) state: ArcSwap<State>,
    pub(crate) admin: Mutex<Admin>,
    pub(crate) stripes: Vec<RwLock<()>>,
    pub(crate) rate: watch::Sender<Rate>,
    /// A pause ended, or another change began.
    pub(crate) wake: Notify,
}

pub(crate) fn stripes() -> Vec<RwLock<()>> {
    (0..STRIPES).map(|_| RwLock::new(())).collect()
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("nodes", &self.nodes())
            .field("progress", &self.progress())
            .finish_non_exhaustive()
    }
}

impl Store {
    /// The key's value; `None` if there is none, or it has ended.
    ///
    /// # Errors
    ///
    /// [`KvError::NoNodes`], [`KvError::KeyTooLong`], or [`KvError::Shard`] of the first replica if all failed.
    pub async fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
        let found = self.read(key, Depth::Value).await?;
        Ok(found.map(|entry| entry.value))
    }

    /// The key's value and when it ends.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn entry(&self, key: &[u8]) -> Result<Option<Entry>, KvError> {
        self.read(key, Depth::Entry).await
    }

    async fn read(&self, key: &[u8], depth: Depth) -> Result<Option<Entry>, KvError> {
        check_key(key)?;
        let state = self.entered().await;
        let found = match &state.phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => {
                ring.holders_of(key).read(key, depth).await?
            }
            Phase::Change(change) => {
                let roles = change.roles_of(key);
                if roles.differ() {
                    change.until_ready().await;
                    if roles.are_unlisted() {
                        let (store, state, key) = (self.clone(), state.clone(), key.to_vec());
                        let read = async move { store.move_and_read(&state, &key).await };
                        return to_the_end(read).await;
                    }
                    let _held = self.stripe(key).read().await;
                    roles.read(key).await?
                } else {
                    roles.to.read(key, depth).await?
                }
            }
        };
        Ok(found.filter(|entry| entry.is_live(self.now())))
    }

    /// For a key that nobody will find by listing: who reads it moves it. If that fails it is read where it is.
    async fn move_and_read(&self, state: &State, key: &[u8]) -> Result<Option<Entry>, KvError> {
        let change = state.change().ok_or(KvError::NoChange)?;
        let _held = self.stripe(key).write().await;
        let roles = change.roles_of(key);
        let now = self.now();
        if let Ok(moved) = roles.move_key(key, now).await {
            change.counts.count(moved);
        }
        let found = roles.read(key).await?;
        Ok(found.filter(|entry| entry.is_live(now)))
    }

    /// Gives the key this value, for ever.
    ///
    /// # Errors
    ///
    /// [`KvError::NoNodes`], [`KvError::KeyTooLong`], or [`KvError::Shard`] of a holder that failed; then the key may
    /// have its old value or the new.
    pub async fn set(&self, key: &[u8], value: impl Into<Vec<u8>>) -> Result<(), KvError> {
        self.set_entry(key, Entry::new(value)).await
    }

    /// Gives the key this value for so long.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub async fn set_for(
        &self,
        key: &[u8],
        value: impl Into<Vec<u8>>,
        time: Duration,
    ) -> Result<(), KvError> {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let end = self.now().saturating_add(time);
        self.set_entry(key, Entry::new(value).until(end)).await
    }

    /// Gives the key this entry.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub async fn set_entry(&self, key: &[u8], entry: Entry) -> Result<(), KvError> {
        self.write(key, Write::Set(entry)).await.map(drop)
    }

    /// Takes the key's value away; says whether one lay there, ended or not.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set).
    pub async fn delete(&self, key: &[u8]) -> Result<bool, KvError> {
        self.write(key, Write::Delete).await
    }

    pub(crate) async fn write(&self, key: &[u8], write: Write) -> Result<bool, KvError> {
        check_key(key)?;
        let (store, key) = (self.clone(), key.to_vec());
        to_the_end(async move { store.write_now(&key, write).await }).await
    }

    async fn write_now(&self, key: &[u8], write: Write) -> Result<bool, KvError> {
        let state = self.entered().await;
        match &state.phase {
            // One shard's own order is enough.
            Phase::Steady(ring) | Phase::Shut { ring, .. } if ring.replicas == 1 => {
                write.on(ring.holders_of(key), key).await
            }
            Phase::Steady(ring) | Phase::Shut { ring, .. } => {
                let _held = self.stripe(key).write().await;
                write.on(ring.holders_of(key), key).await
            }
            Phase::Change(change) => {
                let roles = change.roles_of(key);
                if roles.differ() {
                    change.until_ready().await;
                }
                let _held = self.stripe(key).write().await;
                if !roles.differ() {
                    return write.on(roles.to, key).await;
                }
                change.counts.count(roles.move_key(key, self.now()).await?);
                write.on(roles.written(), key).await
            }
        }
    }

    /// The nodes that keys are on or on their way to, as they were listed.
    #[must_use]
    pub fn nodes(&self) -> Vec<Node> {
        match &self.state().phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => ring.nodes.clone(),
            Phase::Change(change) => change.to.live_nodes().to_vec(),
        }
    }

    /// On how many nodes each key lies, or is to lie.
    #[must_use]
    pub fn replicas(&self) -> usize {
        match &self.state().phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => ring.replicas,
            Phase::Change(change) => change.to.replicas,
        }
    }

    /// All nodes, and on how many of them each key lies.
    #[cfg(feature = "resp")]
    pub(crate) fn holders_and_copies(&self) -> (Vec<Arc<crate::ring::Holder>>, u64) {
        let holders = self.state().holders();
        let copies = self.replicas().min(self.nodes().len()).max(1);
        (holders, u64::try_from(copies).unwrap_or(1))
    }

    /// Held from an operation's beginning to its end: see [`State`].
    pub(crate) fn state(&self) -> Arc<State> {
        self.inner.state.load_full()
    }

    pub(crate) fn now(&self) -> u64 {
        (self.inner.clock)()
    }

    /// The lock that this key shares with others.
    pub(crate) fn stripe(&self, key: &[u8]) -> &RwLock<()> {
        &self.inner.stripes[self.stripe_of(key)]
    }

    /// Its number.
    pub(crate) fn stripe_of(&self, key: &[u8]) -> usize {
        let number = Xxh3.hash(key) % STRIPES as u64;
        usize::try_from(number).unwrap_or(0)
    }
}

/// How much of an entry is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Depth {
    /// Its value will do.
    Value,
    /// When it ends, too.
    Entry,
}

#[derive(Clone)]
pub(crate) enum Write {
    Set(Entry),
    Delete,
}

impl Write {
    async fn on(&self, holders: Holders<'_>, key: &[u8]) -> Result<bool, KvError> {
        match self {
            Self::Set(entry) => holders.set(key, entry).await.map(|()| true),
            Self::Delete => holders.delete(key).await,
        }
    }
}

pub(crate) fn check_key(key: &[u8]) -> Result<(), KvError> {
    if key.len() > MAX_KEY_LEN {
        return Err(KvError::KeyTooLong { length: key.len() });
    }
    Ok(())
}
