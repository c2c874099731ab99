//! Many keys at once: one question to each shard, all shards at the same time, instead of one for each key.
//!
//! Only keys that must move in a change are dealt with singly, each by the rule of [`roles`](crate::roles).

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};

use crate::ring::{Holder, Holders};
use crate::shard::all_answered;
use crate::state::{Phase, State};
use crate::store::{Write, check_key};
use crate::to_the_end::to_the_end;
use crate::{Entry, KvError, Store};

/// How many keys are dealt with singly at the same time.
const SINGLES: usize = 32;

impl Store {
    /// The values of these keys, in their order.
    ///
    /// Each answer is what [`get`](Self::get) would give at some time during the call; together they are of no one
    /// instant. Each shard is asked once, all at the same time; if one fails its keys are asked for singly, with their
    /// other replicas. So are keys that must move.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get), of any key.
    pub async fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, KvError> {
        keys.iter().try_for_each(|key| check_key(key))?;
        let mut values: Vec<Option<Vec<u8>>> = vec![None; keys.len()];
        let left = self.get_groups(keys, &mut values).await?;
        for places in left.chunks(SINGLES) {
            let singly = places.iter().map(|&place| self.get(keys[place]));
            for (&place, value) in places.iter().zip(try_join_all(singly).await?) {
                values[place] = value;
            }
        }
        Ok(values)
    }

    /// Asks each shard once; gives the places of keys that must be asked for singly.
    ///
    /// A function of its own, since it holds a state: whoever holds one must not wait for an operation on the store,
    /// which may wait until nobody does.
    async fn get_groups(
        &self,
        keys: &[&[u8]],
        values: &mut [Option<Vec<u8>>],
    ) -> Result<Vec<usize>, KvError> {
        let state = self.entered().await;
        let mut places = Vec::with_capacity(keys.len());
        let mut left = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            match state.stays(key) {
                Some(holders) => places.push((holders.first().ok_or(KvError::NoNodes)?, place)),
                None => left.push(place),
            }
        }
        let asked = by_holder(&mut places).map(|(holder, places)| async move {
            let asked: Vec<&[u8]> = places.iter().map(|&(_, place)| keys[place]).collect();
            let found = holder.shard.look_many(&asked).await;
            (places, found)
        });
        let answers = join_all(asked).await;
        let now = self.now();
        for (places, found) in answers {
            let places = places.iter().map(|&(_, place)| place);
            let Some(found) = found.ok().filter(|it| it.len() == places.len()) else {
                left.extend(places);
                continue;
            };
            for (place, entry) in places.zip(found) {
                let live = entry.filter(|entry| entry.is_live(now));
                values[place] = live.map(|entry| entry.value);
            }
        }
        Ok(left)
    }

    /// Gives these keys these entries. Of a key that is there twice the last counts.
    ///
    /// Each shard is asked once, all at the same time, and with several replicas all first ones after all second ones.
    /// Keys that must move are set singly.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set), of any key; then some may be set and others not.
    pub async fn set_many(&self, mut entries: Vec<(Vec<u8>, Entry)>) -> Result<(), KvError> {
        // The last of each stands first then: the sort keeps the order of equals.
        entries.reverse();
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        entries.dedup_by(|(a, _), (b, _)| a == b);
        let writes = entries.into_iter();
        let writes = writes.map(|(key, entry)| (key, Write::Set(entry)));
        self.write_many(writes.collect()).await.map(drop)
    }

    /// Takes the values of these keys away; says of each whether one lay there, ended or not. A key that is there
    /// twice had none the second time. Costs as [`set_many`](Self::set_many).
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set), of any key; then some may be deleted and others not.
    pub async fn delete_many(&self, keys: &[&[u8]]) -> Result<Vec<bool>, KvError> {
        let mut places: Vec<usize> = (0..keys.len()).collect();
        places.sort_by_key(|&place| keys[place]);
        places.dedup_by_key(|place| keys[*place]); // the first of equals stays
        let writes = places
            .iter()
            .map(|&place| (keys[place].to_vec(), Write::Delete));
        let found = self.write_many(writes.collect()).await?;
        let mut was = vec![false; keys.len()];
        for (place, found) in places.into_iter().zip(found) {
            was[place] = found;
        }
        Ok(was)
    }

    /// Writes all of one kind, to keys of which no two are the same; says of each whether something lay there.
    async fn write_many(&self, writes: Vec<(Vec<u8>, Write)>) -> Result<Vec<bool>, KvError> {
        writes.iter().try_for_each(|(key, _)| check_key(key))?;
        let (store, writes) = (self.clone(), Arc::new(writes));
        let shared = writes.clone();
        let (mut was, left) = to_the_end(async move { store.write_groups(&shared).await }).await?;
        for places in left.chunks(SINGLES) {
            let singly = places.iter().map(|&place| {
                let (key, write) = &writes[place];
                self.write(key, write.clone())
            });
            for (&place, found) in places.iter().zip(try_join_all(singly).await?) {
                was[place] = found;
            }
        }
        Ok(was)
    }

    /// Asks each shard once for each rank of replicas; gives the places of keys that must be written singly.
    async fn write_groups(
        &self,
        writes: &[(Vec<u8>, Write)],
    ) -> Result<(Vec<bool>, Vec<usize>), KvError> {
        let state = self.entered().await;
        let mut all = Vec::with_capacity(writes.len());
        let mut left = Vec::new();
        for (place, (key, _)) in writes.iter().enumerate() {
            match state.stays(key) {
                Some(holders) if holders.is_empty() => return Err(KvError::NoNodes),
                Some(holders) => all.push((holders, place)),
                None => left.push(place),
            }
        }
        let mut held = Vec::new();
        if state.locks() {
            // In ascending order, each once: two that do so cannot wait for each other.
            let keys = all.iter().map(|&(_, place)| &writes[place].0);
            let stripes: BTreeSet<usize> = keys.map(|key| self.stripe_of(key)).collect();
            for stripe in stripes {
                held.push(self.inner.stripes[stripe].write().await);
            }
        }
        let mut was = vec![false; writes.len()];
        let ranks = all.iter().map(|(holders, _)| holders.len()).max();
        for rank in (0..ranks.unwrap_or(0)).rev() {
            let of_rank = all.iter();
            let of_rank = of_rank.filter_map(|(holders, place)| Some((holders.at(rank)?, *place)));
            let mut places: Vec<_> = of_rank.collect();
            let asked = by_holder(&mut places).map(|(holder, places)| async move {
                let writes = places.iter().map(|&(_, place)| &writes[place]);
                (places, write_on(holder, writes).await)
            });
            for (places, found) in join_all(asked).await {
                for (&(_, place), found) in places.iter().zip(found?) {
                    was[place] = found;
                }
            }
        }
        Ok((was, left))
    }
}

async fn write_on(
    holder: &Holder,
    writes: impl Iterator<Item = &(Vec<u8>, Write)> + Clone,
) -> Result<Vec<bool>, KvError> {
    let mut sets = Vec::new();
    let mut deletes = Vec::new();
    for (key, write) in writes {
        match write {
            Write::Set(entry) => sets.push((key.as_slice(), entry)),
            Write::Delete => deletes.push(key.as_slice()),
        }
    }
    let mut found = vec![true; sets.len()];
    if !sets.is_empty() {
        let set = holder.shard.set_many(&sets).await;
        set.map_err(|error| holder.failed(error))?;
    }
    if !deletes.is_empty() {
        let deleted = holder.shard.delete_many(&deletes).await;
        let deleted = deleted.and_then(|it| all_answered(deletes.len(), it));
        found.extend(deleted.map_err(|error| holder.failed(error))?);
    }
    Ok(found)
}

impl State {
    /// Who holds the key, before and after: `None` if it must move.
    fn stays(&self, key: &[u8]) -> Option<Holders<'_>> {
        match &self.phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => Some(ring.holders_of(key)),
            Phase::Change(change) => {
                let roles = change.roles_of(key);
                (!roles.differ()).then_some(roles.to)
            }
        }
    }

    /// Whether a write takes its key's lock: one shard's own order is enough without.
    fn locks(&self) -> bool {
        match &self.phase {
            Phase::Steady(ring) | Phase::Shut { ring, .. } => ring.replicas > 1,
            Phase::Change(_) => true,
        }
    }
}

/// A key's holder, and its place.
type At<'a> = (&'a Arc<Holder>, usize);

/// For each holder its keys, in their order.
fn by_holder<'a, 'p>(
    places: &'p mut [At<'a>],
) -> impl Iterator<Item = (&'a Arc<Holder>, &'p [At<'a>])> + use<'a, 'p> {
    // In whatever order: they are asked at the same time. The sort keeps that of each one's keys.
    places.sort_by_key(|(holder, _)| Arc::as_ptr(holder));
    let groups = places.chunk_by(|(a, _), (b, _)| Arc::ptr_eq(a, b));
    groups.map(|group| (group[0].0, group))
}
