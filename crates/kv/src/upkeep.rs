//! Slow passes over all that is held: [`Store::repair`] and [`Store::purge`].

use std::sync::Arc;

use keyroute_core::NodeId;

use crate::ring::{Holder, Holders};
use crate::state::{Phase, State};
use crate::to_the_end::to_the_end;
use crate::{KvError, Store};

/// What a repair found and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// How many copies it looked at.
    pub seen: u64,
    /// How many keys had copies that were not alike, or too few, and have no more.
    pub keys: u64,
    /// How many copies lay where no reader looks for them. They are deleted unless a change is under way.
    pub strays: u64,
}

impl Store {
    /// Makes all replicas of each key alike. Goes on serving meanwhile, at the [rate](Self::set_rate) of the mover.
    ///
    /// With several replicas a process that dies in the midst of a write leaves them apart, and so does a shard that
    /// comes back without the last that it was given. No answer is wrong for that, but a reader whose first replica
    /// fails may see another value. So: call it after an unclean end, and after a shard has lost something. What was
    /// answered stays. A write that was cut short is completed or forgotten: the first replica that has a value has the
    /// value, which readers see, or would if their first one had any.
    ///
    /// With one replica it only looks for strays: copies on nodes that the router does not name, which nobody reads. They
    /// are deleted, so a shard must be the store's alone. During a change they are counted and stay. Keys that must move in a change are moved, which makes them alike.
    ///
    /// Costs a page of each node's keys after the other, and for each key a question to each replica or two.
    ///
    /// ```
    /// # use keyroute_kv::{Entry, MemoryShard, Node, NodeId, Shard, ShardError, Store};
    /// # use keyroute_vector_ring::VectorRing;
    /// # use std::sync::Arc;
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let shards = [Arc::new(MemoryShard::new()), Arc::new(MemoryShard::new())];
    /// let [a, b] = shards.clone();
    /// # let connect = move |id: &NodeId, _: &str| -> Result<Arc<dyn Shard>, ShardError> {
    /// #     Ok(if *id == *"a" { a.clone() } else { b.clone() })
    /// # };
    /// # let ring = |nodes: &[Node]| -> Result<keyroute_kv::AnyRouter, keyroute_kv::RouteError> {
    /// #     Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?))
    /// # };
    /// let store = Store::builder_of_any(ring, connect)
    ///     .nodes([Node::new("a")?, Node::new("b")?])
    ///     .replicas(2)
    ///     .open()
    ///     .await?;
    /// store.set(b"user:1", "v").await?;
    /// shards[0].delete(b"user:1").await?; // an accident
    /// let repaired = store.repair().await?;
    /// assert_eq!((repaired.keys, repaired.strays), (1, 0));
    /// assert_eq!(shards[0].get(b"user:1").await?, Some(Entry::new("v")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`KvError::CannotList`], or [`KvError::Shard`] of a node that failed; then the rest is as it was.
    pub async fn repair(&self) -> Result<Repaired, KvError> {
        let mut sum = Repaired::default();
        let mut pass = Pass::default();
        loop {
            let rate = *self.inner.rate.borrow();
            let state = self.entered().await;
            if let Some(dumb) = state.holders().iter().find(|it| !it.shard.lists()) {
                let id = dumb.id.clone();
                return Err(KvError::CannotList { id });
            }
            let Some(holder) = pass.holder(&state) else {
                return Ok(sum);
            };
            let page = holder.shard.scan(pass.within.take(), rate.batch()).await;
            let page = page.map_err(|error| holder.failed(error))?;
            let seen = page.keys.len() as u64;
            sum.seen += seen;
            for key in page.keys {
                let (store, state, holder) = (self.clone(), state.clone(), holder.clone());
                let repair = async move { store.repair_key(&state, &holder, &key).await };
                match to_the_end(repair).await? {
                    Found::Alike => {}
                    Found::Apart => sum.keys += 1,
                    Found::Stray => sum.strays += 1,
                }
            }
            pass.went(&holder.id, page.next);
            drop(state);
            self.rest(rate.time(seen, 0)).await;
        }
    }

    /// Looks at a key that lies on this holder.
    async fn repair_key(
        &self,
        state: &State,
        holder: &Arc<Holder>,
        key: &[u8],
    ) -> Result<Found, KvError> {
        let stray = match &state.phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => {
                let holders = ring.holders_of(key);
                if holders.contains(holder) {
                    let _held = self.stripe(key).write().await;
                    return self.make_alike(holders, holder, key).await;
                }
                // Nobody writes there: a change in which one could begins when this state is let go.
                holder.delete(key).await?
            }
            Phase::Change(change) => {
                let roles = change.roles_of(key);
                if roles.differ() {
                    change.until_ready().await;
                }
                let _held = self.stripe(key).write().await;
                if roles.differ() {
                    change.counts.count(roles.move_key(key, self.now()).await?);
                    // A deletion that was cut may have left it on keepers alone.
                    if let (false, Some(first)) = (roles.leavers.is_empty(), roles.to.first()) {
                        return self.make_alike(roles.to, first, key).await;
                    }
                } else if roles.to.contains(holder) {
                    return self.make_alike(roles.to, holder, key).await;
                }
                !roles.from.contains(holder) && !roles.to.contains(holder)
            }
        };
        Ok(if stray { Found::Stray } else { Found::Alike })
    }

    /// Under the key's lock, alone; with one holder it does nothing.
    async fn make_alike(
        &self,
        holders: Holders<'_>,
        at: &Holder,
        key: &[u8],
    ) -> Result<Found, KvError> {
        if holders.len() < 2 {
            return Ok(Found::Alike);
        }
        let mut copies = Vec::with_capacity(holders.len());
        for holder in holders.iter() {
            copies.push((holder, holder.get(key).await?));
            let first = copies.len() == 1 && holder.id != at.id;
            if first && matches!(copies.as_slice(), [(_, Some(_))]) {
                return Ok(Found::Alike); // it is looked at there
            }
        }
        let now = self.now();
        let value = copies.iter().filter_map(|(_, entry)| entry.clone());
        let value = value.into_iter().find(|entry| entry.is_live(now));
        let mut found = Found::Alike;
        for (holder, entry) in copies.iter().rev() {
            if *entry == value {
                continue;
            }
            found = Found::Apart;
            match &value {
                Some(value) => holder.set(key, value.clone()).await?,
                None => drop(holder.delete(key).await?),
            }
        }
        Ok(found)
    }

    /// Forgets entries that have ended; says how many. Goes on serving meanwhile, at the [rate](Self::set_rate) of the
    /// mover.
    ///
    /// No reader sees them, but shards keep them that do not end their entries themselves: those of this crate that
    /// need no server. Costs a look at each of their keys.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use keyroute_kv::{MemoryShard, Node, Store};
    /// # use keyroute_vector_ring::VectorRing;
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// # let store = Store::builder(
    /// #     |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
    /// #     |_id, _address| Ok(MemoryShard::new()),
    /// # )
    /// # .nodes([Node::new("a")?])
    /// # .open()
    /// # .await?;
    /// store.set(b"user:1", "v").await?;
    /// store.set_for(b"session:1", "v", Duration::ZERO).await?;
    /// assert_eq!(store.purge().await?, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`KvError::Shard`] of a node that failed; then the rest is as it was.
    pub async fn purge(&self) -> Result<u64, KvError> {
        let mut ended = 0;
        let mut pass = Pass::default();
        loop {
            let rate = *self.inner.rate.borrow();
            let state = self.entered().await;
            let Some(holder) = pass.holder(&state) else {
                return Ok(ended);
            };
            let within = pass.within.take();
            let purged = holder.shard.purge(self.now(), within, rate.batch()).await;
            let purged = purged.map_err(|error| holder.failed(error))?;
            ended += purged.ended;
            pass.went(&holder.id, purged.next);
            drop(state);
            self.rest(rate.time(purged.looked, 0)).await;
        }
    }
}

enum Found {
    Alike,
    Apart,
    Stray,
}

/// Where a pass over all nodes is, in the order of their ids. A node that joins behind it is not met.
#[derive(Default)]
struct Pass {
    /// The node to go on with, or the next behind it if it has left.
    node: Option<NodeId>,
    /// Where to go on in it.
    within: Option<Vec<u8>>,
    /// The node that has been gone through.
    behind: Option<NodeId>,
}

impl Pass {
    fn holder(&mut self, state: &State) -> Option<Arc<Holder>> {
        let ahead = |it: &Arc<Holder>| Some(&it.id) > self.behind.as_ref();
        let holder = state.holders().into_iter().find(ahead)?;
        if Some(&holder.id) != self.node.as_ref() {
            self.within = None;
        }
        Some(holder)
    }

    fn went(&mut self, id: &NodeId, next: Option<Vec<u8>>) {
        if next.is_none() {
            self.behind = Some(id.clone());
        }
        self.node = Some(id.clone());
        self.within = next;
    }
}
