//! The mover: goes through the nodes of a change and moves what must move.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use futures_util::future::join_all;
use keyroute_core::NodeId;

use crate::ring::Holder;
use crate::roles::Moved;
use crate::state::{Change, MoverPlace, State};
use crate::to_the_end::to_the_end;
use crate::{KvError, Store};

/// How many keys it looks at in one step, unless the rate is low.
const BATCH: usize = 256;
/// How many it moves at the same time: so many values it holds.
const AT_ONCE: usize = 32;
/// How long it waits after a failure, at first and at most.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// How long it waits for a call that it may have missed.
const NAP: Duration = Duration::from_millis(500);

/// How fast the mover may be; as fast as it can unless said. Keys that are moved because they are written count not.
///
/// ```
/// use keyroute_kv::Rate;
///
/// let rate = Rate { keys_per_second: Some(1_000), bytes_per_second: Some(10 << 20) };
/// assert_ne!(rate, Rate::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Keys; 0 counts as 1.
    pub keys_per_second: Option<u32>,
    /// Bytes of values; 0 counts as 1.
    pub bytes_per_second: Option<u64>,
}

impl Rate {
    /// So many that a step is about a tenth of a second.
    pub(crate) fn batch(self) -> usize {
        self.keys_per_second.map_or(BATCH, |keys| {
            usize::try_from(keys / 10).map_or(BATCH, |keys| keys.clamp(1, BATCH))
        })
    }

    pub(crate) fn time(self, keys: u64, bytes: u64) -> Duration {
        let at = |amount: u64, rate: Option<u64>| {
            let nanos = rate.map_or(0, |rate| {
                u128::from(amount) * 1_000_000_000 / u128::from(rate.max(1))
            });
            Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
        };
        let keys = at(keys, self.keys_per_second.map(u64::from));
        keys.max(at(bytes, self.bytes_per_second))
    }
}

/// What a step of the mover did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// How many keys it moved.
    pub moved: u64,
    /// The bytes of their values.
    pub bytes: u64,
    /// What comes next.
    pub next: Next,
}

/// What comes after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// More.
    More,
    /// Nothing until the pause ends.
    Paused,
    /// Nothing but what is touched: nodes that cannot list their keys are left. See [`Store::close`].
    Touched,
    /// Nothing: no change is under way any more.
    Done,
}

/// How far a change is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whether it goes back to where it began.
    pub back: bool,
    /// Whether it is paused.
    pub paused: bool,
    /// The keys of the nodes that it goes through, counted when it began or went on; not those of nodes that cannot
    /// say. Those that stay are among them, and a key counts once for each replica.
    pub keys: u64,
    /// How many of them have been looked at.
    pub seen: u64,
    /// How many keys have moved, by the mover or since they were written.
    pub moved: u64,
    /// The bytes of their values.
    pub bytes: u64,
    /// Nodes that cannot list their keys.
    pub unlisted: Vec<NodeId>,
    /// Why the last step failed, if it did. The next one tries again.
    pub error: Option<String>,
}

impl Store {
    /// How far the change is; `None` without one.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        let state = self.state();
        let change = state.change()?;
        let unlisted = change.from.holders().filter(|it| !it.shard.lists());
        let error = change.last_error.lock();
        Some(Progress {
            back: change.back,
            paused: *change.paused.borrow(),
            keys: change.counts.total.load(Relaxed),
            seen: change.counts.seen.load(Relaxed),
            moved: change.counts.moved.load(Relaxed),
            bytes: change.counts.bytes.load(Relaxed),
            unlisted: unlisted.map(|it| it.id.clone()).collect(),
            error: error.unwrap_or_else(PoisonError::into_inner).clone(),
        })
    }

    /// From here on the mover is so fast.
    pub fn set_rate(&self, rate: Rate) {
        self.inner.rate.send_replace(rate);
    }

    /// Moves keys until no change is under way.
    ///
    /// Keeps to the rate, waits in pauses, and tries again when a node fails, ever more slowly. Two at once do no
    /// harm. Dropping the future stops it between two keys; another goes on.
    pub async fn run(&self) {
        let mut back_off = BACK_OFF.0;
        loop {
            let rate = *self.inner.rate.borrow();
            match self.advance(rate.batch()).await {
                Ok(step) => {
                    back_off = BACK_OFF.0;
                    match step.next {
                        Next::More => self.rest(rate.time(step.moved, step.bytes)).await,
                        Next::Paused | Next::Touched => {
                            let woken = self.inner.wake.notified();
                            let _ = tokio::time::timeout(NAP, woken).await; // either will do
                        }
                        Next::Done => return,
                    }
                }
                Err(_) => {
                    tokio::time::sleep(back_off).await;
                    back_off = (back_off * 2).min(BACK_OFF.1);
                }
            }
        }
    }

    pub(crate) async fn rest(&self, time: Duration) {
        if time.is_zero() {
            tokio::task::yield_now().await;
            return;
        }
        // A new rate ends the rest that the old one asked for.
        let mut rate = self.inner.rate.subscribe();
        let _ = tokio::time::timeout(time, rate.changed()).await;
    }

    /// One step of the mover: looks at up to so many keys and moves those that must move; ends the change after the
    /// last. [`run`](Self::run) calls it until then.
    ///
    /// # Errors
    ///
    /// [`KvError::Shard`] of a node that failed, or [`KvError::Journal`]. The next step begins with the same keys.
    pub async fn advance(&self, limit: usize) -> Result<Step, KvError> {
        let state = self.state();
        let Some(change) = state.change() else {
            return Ok(Step::none(Next::Done));
        };
        let generation = state.generation;
        let stepped = self.step(&state, change, limit).await;
        change.note(stepped.as_ref().err().map(ToString::to_string));
        let step = stepped?;
        if step.next != Next::Done {
            return Ok(step);
        }
        drop::<Arc<State>>(state);
        self.settle(generation).await?;
        let next = if self.state().change().is_some() {
            Next::More
        } else {
            Next::Done
        };
        Ok(Step { next, ..step })
    }

    async fn step(
        &self,
        state: &Arc<State>,
        change: &Change,
        limit: usize,
    ) -> Result<Step, KvError> {
        change.until_ready().await;
        let mut place = change.mover.lock().await;
        if *change.paused.borrow() {
            return Ok(Step::none(Next::Paused));
        }
        let all = || change.from.holders();
        let sources: Vec<&Arc<Holder>> = all().filter(|it| it.shard.lists()).collect();
        if !place.counted {
            change.counts.total.store(count(&sources).await?, Relaxed);
            place.counted = true;
        }
        let mut step = Step::none(Next::More);
        if let Some(source) = sources.get(place.nodes) {
            let moved = self.page(state, change, source, &mut place, limit).await?;
            (step.moved, step.bytes) = (moved.keys, moved.bytes);
        }
        if place.nodes >= sources.len() {
            place.ended = true;
            let unlisted = all().count() > sources.len();
            step.next = if unlisted { Next::Touched } else { Next::Done };
        }
        Ok(step)
    }

    /// Moves what must move of one page of a node's keys.
    async fn page(
        &self,
        state: &Arc<State>,
        change: &Change,
        source: &Arc<Holder>,
        place: &mut MoverPlace,
        limit: usize,
    ) -> Result<Moved, KvError> {
        let page = source.shard.scan(place.cursor.clone(), limit.max(1)).await;
        let page = page.map_err(|error| source.failed(error))?;
        // Keys that have come here from elsewhere are among them too: those are not from here.
        let from_here = |key: &&Vec<u8>| {
            let roles = change.roles_of(key);
            let leaves = roles.leavers.contains(source);
            let is_copied = roles.leavers.is_empty() && roles.from.contains(source);
            roles.differ() && (leaves || is_copied)
        };
        // Each once: a shard may list one twice.
        let keys: BTreeSet<&Vec<u8>> = page.keys.iter().filter(from_here).collect();
        let keys: Vec<&Vec<u8>> = keys.into_iter().collect();
        let mut sum = Moved::default();
        for keys in keys.chunks(AT_ONCE) {
            let moves = keys.iter().map(|&key| {
                let (store, state, key) = (self.clone(), state.clone(), key.clone());
                to_the_end(async move { store.move_now(&state, &key).await })
            });
            for moved in join_all(moves).await {
                let moved = moved?;
                sum.keys += moved.keys;
                sum.bytes += moved.bytes;
            }
        }
        change
            .counts
            .seen
            .fetch_add(page.keys.len() as u64, Relaxed);
        place.cursor = page.next;
        if place.cursor.is_none() {
            place.nodes += 1;
        }
        Ok(sum)
    }
}

impl Store {
    async fn move_now(&self, state: &State, key: &[u8]) -> Result<Moved, KvError> {
        let Some(change) = state.change() else {
            return Ok(Moved::default());
        };
        let _held = self.stripe(key).write().await;
        let moved = change.roles_of(key).move_key(key, self.now()).await?;
        change.counts.count(moved);
        Ok(moved)
    }
}

impl Step {
    fn none(next: Next) -> Self {
        Self {
            moved: 0,
            bytes: 0,
            next,
        }
    }
}

async fn count(sources: &[&Arc<Holder>]) -> Result<u64, KvError> {
    let mut total = 0u64;
    for source in sources {
        let keys = source.shard.count().await;
        let keys = keys.map_err(|error| source.failed(error))?;
        total = total.saturating_add(keys.unwrap_or(0));
    }
    Ok(total)
}
