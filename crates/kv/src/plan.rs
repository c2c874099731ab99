//! [`Plan`]: what a change would move, before it does.

use std::collections::BTreeSet;
use std::sync::Arc;

use keyroute_core::KeyHasher;
use keyroute_core::hash::Xxh3;
use keyroute_plan::{Flows, Interval, Survey};

use crate::ring::{AnyRouter, Holder, Ring};
use crate::shard::all_answered;
use crate::state::{Phase, State};
use crate::{Edit, Entry, KvError, Store};

/// How many keys are looked at between two looks at what else goes on.
const PAGE: usize = 256;

/// What a change would move: counted over all keys, or over a sample of them.
///
/// A key that must move has other nodes after than before, whatever their order. The copies that are made for it and
/// those that are dropped are in [`copies`](Self::copies), from node to node and of each node, with how many of them
/// the change needs; the bytes of their values in [`bytes`](Self::bytes).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plan {
    /// How many keys were looked at: those that have a value.
    pub keys: u64,
    /// How many of them must move.
    pub moved: u64,
    /// The bytes of their values, each once: what [`Progress::bytes`](crate::Progress::bytes) comes to.
    pub moved_bytes: u64,
    /// Whether these are all keys there are.
    pub all: bool,
    /// Who sends how many copies to whom.
    pub copies: Flows,
    /// Who sends how many bytes of values to whom.
    pub bytes: Flows,
}

impl Plan {
    /// Which part of all keys must move, if those looked at are a sample: 95 times of 100 it lies in between.
    #[must_use]
    pub fn interval(&self) -> Interval {
        Interval::of(self.moved, self.keys)
    }
}

impl Store {
    /// What this change would move, counted over all keys. Nothing changes.
    ///
    /// If nobody writes meanwhile, that is exactly what then moves. It needs nothing of a node that would join but its
    /// name, so whether that is there and empty shows only when the change [begins](Self::begin).
    ///
    /// Costs a read of each key, its value included, and two lookups; and as much memory as eight bytes for each key of
    /// one node.
    ///
    /// ```
    /// use keyroute_kv::{Edit, MemoryShard, Node, Store};
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
    /// for number in 0..300 {
    ///     store.set(format!("user:{number}").as_bytes(), "12345").await?;
    /// }
    ///
    /// let edit = Edit::add(Node::new("c")?);
    /// let plan = store.plan(&edit).await?;
    /// assert!(plan.all && plan.keys == 300 && plan.moved_bytes == 5 * plan.moved);
    /// for ((from, to), flow) in plan.copies.iter() {
    ///     println!("{from:?} gives {to:?} {} keys", flow.amount());
    /// }
    /// assert_eq!(plan.copies.needless(), 0);
    ///
    /// store.begin(edit).await?;
    /// let mut moved = 0;
    /// while let Some(progress) = store.progress() {
    ///     moved = progress.moved + store.advance(10).await?.moved;
    /// }
    /// assert_eq!(moved, plan.moved);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What [`begin`](Self::begin) refuses, without asking a node that would join; [`KvError::CannotList`],
    /// [`KvError::ChangeUnderWay`], also if one begins meanwhile, or [`KvError::Shard`] of a node that fails.
    pub async fn plan(&self, edit: &Edit) -> Result<Plan, KvError> {
        self.survey(edit, None).await
    }

    /// The same, counted over about so many keys: from each node the first that it lists, in proportion to how many
    /// it holds.
    ///
    /// Routers place keys by their hashes, so those that are listed first move like any others;
    /// [`interval`](Plan::interval) says how well that tells the part of all keys. Sizes are told as well as those of
    /// the keys listed first tell all.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan).
    pub async fn plan_sample(&self, edit: &Edit, keys: u64) -> Result<Plan, KvError> {
        self.survey(edit, Some(keys)).await
    }

    async fn survey(&self, edit: &Edit, sample: Option<u64>) -> Result<Plan, KvError> {
        let mut record = self.inner.admin.lock().await.record.clone();
        let generation = record.generation;
        let (nodes, replicas) = edit.apply(&mut record)?;
        let after = (self.inner.make)(&nodes)?;
        let holders = self.unchanged(generation).await?.holders();
        if let Some(dumb) = holders.iter().find(|it| !it.shard.lists()) {
            let id = dumb.id.clone();
            return Err(KvError::CannotList { id });
        }
        let mut quotas = vec![u64::MAX; holders.len()];
        if let Some(keys) = sample {
            let held = counts(&holders).await?;
            let total: u128 = held.iter().map(|&it| u128::from(it)).sum();
            for (quota, held) in quotas.iter_mut().zip(held) {
                let part = (u128::from(keys) * u128::from(held)).div_ceil(total.max(1));
                let least = keys.min(1); // the count may be behind
                *quota = u64::try_from(part).map_or(u64::MAX, |part| part.max(least));
            }
        }
        let mut plan = Plan {
            all: true,
            ..Plan::default()
        };
        for (holder, quota) in holders.iter().zip(quotas) {
            let (mut cursor, mut left) = (None, quota);
            let mut seen = BTreeSet::new();
            while left > 0 {
                // Held for a page alone: a change waits until nobody holds it.
                let state = self.unchanged(generation).await?;
                let Phase::Steady(before) = &state.phase else {
                    return Err(KvError::ChangeUnderWay);
                };
                let limit = usize::try_from(left).map_or(PAGE, |left| left.min(PAGE));
                let page = holder.shard.scan(cursor, limit).await;
                let page = page.map_err(|error| holder.failed(error))?;
                let mut keys = page.keys;
                // A shard may list a key again.
                keys.retain(|key| first_at(before, holder, key) && seen.insert(Xxh3.hash(key)));
                if let Ok(most) = usize::try_from(left)
                    && keys.len() > most
                {
                    keys.truncate(most);
                    plan.all = false;
                }
                let lent: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let found = holder.shard.get_many(&lent).await;
                let found = found.and_then(|it| all_answered(lent.len(), it));
                let found = found.map_err(|error| holder.failed(error))?;
                let now = self.now();
                let live = found.into_iter().map(|it| it.filter(|it| it.is_live(now)));
                left -= plan.count(before, &after, replicas, lent.into_iter().zip(live));
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            plan.all &= cursor.is_none() && quota > 0;
        }
        Ok(plan)
    }

    /// The state, if it is still of this generation.
    async fn unchanged(&self, generation: u64) -> Result<Arc<State>, KvError> {
        let state = self.entered().await;
        if state.generation == generation {
            Ok(state)
        } else {
            Err(KvError::ChangeUnderWay)
        }
    }
}

impl Plan {
    /// Counts keys that have a value; says how many those are.
    fn count<'k>(
        &mut self,
        before: &Ring,
        after: &AnyRouter,
        replicas: usize,
        keys: impl Iterator<Item = (&'k [u8], Option<Entry>)>,
    ) -> u64 {
        let mut survey =
            Survey::of_replicas_each(&*before.router, before.replicas, &**after, replicas);
        for (key, entry) in keys {
            let Some(entry) = entry else { continue };
            let bytes = entry.value.len() as u64;
            let Some(transfer) = survey.key(key) else {
                continue;
            };
            self.copies.count(transfer, 1);
            self.bytes.count(transfer, bytes.into());
            if transfer.copies().len() > 0 || transfer.drops().next().is_some() {
                self.moved += 1;
                self.moved_bytes += bytes;
            }
        }
        self.keys += survey.keys();
        survey.keys()
    }
}

/// Whether this is where the key is looked at, of all that hold it.
fn first_at(ring: &Ring, holder: &Holder, key: &[u8]) -> bool {
    let first = ring.holders_of(key).first();
    first.is_some_and(|it| it.id == holder.id)
}

/// How many keys each holds; of those that cannot say, as many as one of the others.
async fn counts(holders: &[Arc<Holder>]) -> Result<Vec<u64>, KvError> {
    let mut counts = Vec::with_capacity(holders.len());
    for holder in holders {
        let count = holder.shard.count().await;
        counts.push(count.map_err(|error| holder.failed(error))?);
    }
    let known = counts.iter().flatten().count().max(1) as u64;
    let mean = counts.iter().flatten().sum::<u64>() / known;
    Ok(counts
        .into_iter()
        .map(|it| it.unwrap_or(mean.max(1)))
        .collect())
}
