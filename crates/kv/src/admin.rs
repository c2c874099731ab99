//! Changes of the nodes: begin, pause, resume, abort, close.

use std::mem;
use std::sync::Arc;

use keyroute_core::{Node, Weight};
use tokio::sync::{oneshot, watch};

use crate::edit::{Edit, place_of};
use crate::journal::{ChangeRecord, Record};
use crate::open::{Rings, fleet_of};
use crate::ring::{Holder, Ring};
use crate::state::{Change, Phase, State};
use crate::to_the_end::to_the_end;
use crate::{KvError, Store};
use tokio::runtime::Handle;

/// What changes of the nodes go by, one at a time.
pub(crate) struct Admin {
    pub(crate) record: Record,
    /// Ends when no operation goes by the present state any more.
    let_go: oneshot::Receiver<()>,
    /// The same of earlier states that no change has waited for.
    pub(crate) earlier: Vec<oneshot::Receiver<()>>,
}

impl Admin {
    pub(crate) fn new(record: Record, let_go: oneshot::Receiver<()>) -> Self {
        Self {
            record,
            let_go,
            earlier: Vec::new(),
        }
    }
}

/// Changes of the nodes, one at a time. Each of `add`, `remove`, `reweight` and `set_replicas` begins one and answers
/// when keys may move: once the operations that were under way have ended. [`run`](Store::run) then moves them.
///
/// They need a Tokio runtime, one and the same while the store lives: else [`KvError::NoRuntime`].
impl Store {
    /// Begins a change. [`add`](Self::add), [`remove`](Self::remove) and their like are this one.
    ///
    /// # Errors
    ///
    /// - Of `Add`: [`RouteError::AlreadyMember`](crate::RouteError::AlreadyMember), whatever the address;
    ///   [`KvError::Retired`] if a node of this name has left and it is not to come [`again`](Edit::again);
    ///   [`KvError::AddressTaken`] by another node; [`KvError::NotEmpty`] if it holds keys; [`KvError::Shard`] if it
    ///   cannot be opened.
    /// - Of `Remove`: [`RouteError::NotMember`](crate::RouteError::NotMember), [`KvError::LastNode`].
    /// - Of `Reweight`: [`RouteError::NotMember`](crate::RouteError::NotMember).
    /// - Of `Replicas`: [`KvError::Replicas`].
    /// - Of all: [`KvError::ChangeUnderWay`], [`KvError::LeftOvers`], [`KvError::Journal`], or what the router refuses.
    pub async fn begin(&self, edit: Edit) -> Result<(), KvError> {
        check_runtime()?;
        let inner = &*self.inner;
        let mut admin = inner.admin.lock().await;
        let mut record = admin.record.clone();
        let (nodes, replicas) = edit.apply(&mut record)?;
        let state = self.state();
        let Phase::Steady(from) = &state.phase else {
            return Err(KvError::ChangeUnderWay);
        };
        let from = from.clone();
        let known = state.holders();
        drop(state); // the change waits until nobody holds it
        let fleet = fleet_of(&*inner.make, nodes, replicas)?;
        let to = Rings::of(inner, known).ring_of(&record, &fleet)?;
        for holder in to.holders() {
            if !from.holders().any(|it| it.id == holder.id) {
                check_empty(holder).await?;
                record.marks.give(holder).await?;
            }
        }

        record.generation += 1;
        record.change = Some(ChangeRecord {
            fleet,
            back: false,
            paused: false,
        });
        record.store(&*inner.journal)?;
        admin.record = record;
        self.change(&mut admin, Change::new(from, to, false, false));
        drop(admin);
        self.until_ready().await;
        Ok(())
    }

    /// A node joins. Its address is its id's text.
    ///
    /// # Errors
    ///
    /// Those of `Add` in [`begin`](Self::begin).
    pub async fn add(&self, node: Node) -> Result<(), KvError> {
        self.begin(Edit::add(node)).await
    }

    /// A node joins that is at this address.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub async fn add_at(&self, node: Node, address: impl Into<String>) -> Result<(), KvError> {
        self.begin(Edit::add(node).at(address)).await
    }

    /// A node joins, under a name that one had which left.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), but [`KvError::Retired`].
    pub async fn add_again(&self, node: Node) -> Result<(), KvError> {
        self.begin(Edit::add(node).again()).await
    }

    /// A node leaves; its keys move first. Its name is not taken again by mistake.
    ///
    /// # Errors
    ///
    /// Those of `Remove` in [`begin`](Self::begin).
    pub async fn remove(&self, id: &str) -> Result<(), KvError> {
        self.begin(Edit::Remove { id: id.to_owned() }).await
    }

    /// A node's weight changes.
    ///
    /// # Errors
    ///
    /// Those of `Reweight` in [`begin`](Self::begin).
    pub async fn reweight(&self, id: &str, weight: Weight) -> Result<(), KvError> {
        let id = id.to_owned();
        self.begin(Edit::Reweight { id, weight }).await
    }

    /// Each key lies on more nodes, or on fewer: 1 to [`MAX_REPLICAS`](crate::MAX_REPLICAS).
    ///
    /// # Errors
    ///
    /// Those of `Replicas` in [`begin`](Self::begin).
    pub async fn set_replicas(&self, replicas: usize) -> Result<(), KvError> {
        self.begin(Edit::Replicas { replicas }).await
    }

    /// Turns the change round: keys move back to where they were before it began. Again, it does nothing.
    ///
    /// Nodes that are [lost](Self::remove_lost) leave all the same, if need be in another change that follows.
    ///
    /// # Errors
    ///
    /// [`KvError::NoChange`], [`KvError::Journal`], or [`KvError::CannotList`] if another change would follow among
    /// nodes that cannot list their keys.
    pub async fn abort(&self) -> Result<(), KvError> {
        check_runtime()?;
        let inner = &*self.inner;
        let mut admin = inner.admin.lock().await;
        self.until_ready().await; // an earlier one may have been begun by a future that was dropped
        let state = self.state();
        let change = state.change().ok_or(KvError::NoChange)?;
        let mut record = admin.record.clone();
        let stored = record.change.as_mut().ok_or(KvError::NoChange)?;
        if stored.back {
            return Ok(());
        }
        stored.back = true;
        let paused = stored.paused;
        record.generation += 1;
        let back = Change::new(change.to.clone(), change.from.clone(), true, paused);
        record.check_next(&back)?;
        record.store(&*inner.journal)?;
        admin.record = record;
        drop(state);
        self.change(&mut admin, back);
        drop(admin);
        self.until_ready().await;
        Ok(())
    }

    /// Moves nothing for now but what is written. A pause outlives the process.
    ///
    /// # Errors
    ///
    /// [`KvError::NoChange`] or [`KvError::Journal`].
    pub async fn pause(&self) -> Result<(), KvError> {
        self.set_paused(true).await
    }

    /// Goes on moving.
    ///
    /// # Errors
    ///
    /// [`KvError::NoChange`] or [`KvError::Journal`].
    pub async fn resume(&self) -> Result<(), KvError> {
        self.set_paused(false).await
    }

    async fn set_paused(&self, paused: bool) -> Result<(), KvError> {
        let inner = &*self.inner;
        let mut admin = inner.admin.lock().await;
        let state = self.state();
        let change = state.change().ok_or(KvError::NoChange)?;
        let mut record = admin.record.clone();
        record.change.as_mut().ok_or(KvError::NoChange)?.paused = paused;
        record.store(&*inner.journal)?;
        admin.record = record;
        change.paused.send_replace(paused);
        inner.wake.notify_waiters();
        Ok(())
    }

    /// Ends a change from nodes that cannot list their keys: what was not touched since it began is given up.
    ///
    /// Operations that begin now wait until those that were under way have ended.
    ///
    /// Such nodes may then hold keys which others own. So they are noted, and no further change begins while one of
    /// them has a part in it, until it is [`emptied`](Self::emptied) or has left.
    ///
    /// # Errors
    ///
    /// [`KvError::NoChange`], [`KvError::StillMoving`] or [`KvError::Journal`].
    pub async fn close(&self) -> Result<(), KvError> {
        let state = self.state();
        let change = state.change().ok_or(KvError::NoChange)?;
        if !change.mover.lock().await.ended {
            return Err(KvError::StillMoving);
        }
        let generation = state.generation;
        drop(state);
        let store = self.clone();
        // To the end: operations would wait for ever.
        to_the_end(async move { store.settle(generation).await }).await
    }

    /// Says that a node which cannot list its keys has been emptied by hand since a change was [closed](Self::close).
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`](crate::RouteError::NotMember) or [`KvError::Journal`].
    pub async fn emptied(&self, id: &str) -> Result<(), KvError> {
        let mut admin = self.inner.admin.lock().await;
        place_of(&admin.record.fleet.nodes, id)?;
        let mut record = admin.record.clone();
        record.left_overs.retain(|it| *it != *id);
        record.store(&*self.inner.journal)?;
        admin.record = record;
        Ok(())
    }

    /// Ends the change of this generation, if it is the present one. The caller holds no state.
    pub(crate) async fn settle(&self, generation: u64) -> Result<(), KvError> {
        let inner = &*self.inner;
        let mut admin = inner.admin.lock().await;
        let state = self.state();
        let Some(change) = state.change() else {
            return Ok(());
        };
        if state.generation != generation {
            return Ok(());
        }
        let mut record = admin.record.settled(&*inner.make)?;
        let mut gives_up = false;
        let unlisted = change.from.holders().filter(|it| !it.shard.lists());
        for id in unlisted.map(|it| &it.id) {
            gives_up = true;
            if record.fleet.has(id) && !record.left_overs.contains(id) {
                record.left_overs.push(id.clone());
            }
        }
        let (before, after) = (change.from.holders(), change.to.clone());
        let left = before.filter(|it| !record.fleet.has(&it.id)).cloned();
        let left: Vec<_> = left.collect();
        let phase = match &record.change {
            None => Phase::Steady(after),
            Some(_) => Rings::of(inner, state.holders()).phase_of(&record)?,
        };
        record.store(&*inner.journal)?;
        admin.record = record;
        drop(state);
        match phase {
            Phase::Change(change) => self.change(&mut admin, change),
            // Whoever still goes by the change may bring a copy of what is given up, over what is written by then.
            Phase::Steady(after) if gives_up => {
                self.exchange(&mut admin, after.clone(), after).await;
                inner.wake.notify_waiters();
            }
            steady => {
                let generation = admin.record.generation;
                self.swap(&mut admin, generation, steady);
                inner.wake.notify_waiters();
            }
        }
        for holder in left {
            let _ = holder.shard.mark(None).await; // a mark that stays does no harm
        }
        Ok(())
    }

    /// From here on operations go by this change; keys move once none goes by an earlier state.
    pub(crate) fn change(&self, admin: &mut Admin, change: Change) {
        let generation = admin.record.generation;
        self.swap(admin, generation, Phase::Change(change));
        let earlier = mem::take(&mut admin.earlier);
        let state = self.state();
        // A task of its own: if the caller is dropped, keys still learn that they may move.
        tokio::spawn(async move {
            for let_go in earlier {
                let _ = let_go.await; // an error is how it ends
            }
            if let Some(change) = state.change() {
                change.ready.send_replace(true);
            }
        });
        self.inner.wake.notify_waiters();
    }

    pub(crate) fn swap(&self, admin: &mut Admin, generation: u64, phase: Phase) {
        let (state, let_go) = State::new(generation, phase);
        let before = mem::replace(&mut admin.let_go, let_go);
        admin.earlier.push(before);
        self.inner.state.store(state);
    }

    /// Operations go by the ring after, once those have ended that were under way. Those that begin meanwhile wait; if
    /// this is dropped meanwhile, for ever.
    pub(crate) async fn exchange(&self, admin: &mut Admin, before: Arc<Ring>, after: Arc<Ring>) {
        let opened = watch::Sender::new(false);
        let generation = admin.record.generation;
        let shut = Phase::Shut {
            ring: before,
            opened: opened.subscribe(),
        };
        self.swap(admin, generation, shut);
        for let_go in mem::take(&mut admin.earlier) {
            let _ = let_go.await; // an error is how it ends
        }
        self.swap(admin, generation, Phase::Steady(after));
        opened.send_replace(true);
    }

    pub(crate) async fn until_ready(&self) {
        if let Some(change) = self.state().change() {
            change.until_ready().await;
        }
    }
}

/// Asked before anything is changed.
pub(crate) fn check_runtime() -> Result<(), KvError> {
    Handle::try_current()
        .map(drop)
        .map_err(|_| KvError::NoRuntime)
}

/// A node that joins with keys of its own would answer with them.
async fn check_empty(holder: &Holder) -> Result<(), KvError> {
    let empty = if holder.shard.lists() {
        let page = holder.shard.scan(None, 1).await;
        page.map_err(|error| holder.failed(error))?.keys.is_empty()
    } else {
        let count = holder.shard.count().await;
        count
            .map_err(|error| holder.failed(error))?
            .is_none_or(|count| count == 0)
    };
    if empty {
        return Ok(());
    }
    let id = holder.id.clone();
    Err(KvError::NotEmpty { id })
}
