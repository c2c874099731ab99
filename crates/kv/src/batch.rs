//! Many keys at once: one question to each shard instead of one for each key.

use std::sync::Arc;

use crate::ring::{Holder, Ring};
use crate::state::Phase;
use crate::store::check_key;
use crate::to_the_end::to_the_end;
use crate::{Entry, KvError, Store};

impl Store {
    /// The values of these keys, in their order.
    ///
    /// Each answer is what [`get`](Self::get) would give at some time during the call; together they are of no one
    /// instant. Without a change each shard is asked once; if one fails its keys are asked for singly, with their other
    /// replicas.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get), of any key.
    pub async fn get_many(&self, keys: &[&[u8]]) -> Result<Vec<Option<Vec<u8>>>, KvError> {
        keys.iter().try_for_each(|key| check_key(key))?;
        let mut values: Vec<Option<Vec<u8>>> = vec![None; keys.len()];
        for place in self.get_groups(keys, &mut values).await? {
            values[place] = self.get(keys[place]).await?;
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
        let state = self.state();
        let Phase::Steady(ring) = &state.phase else {
            return Ok((0..keys.len()).collect());
        };
        let mut left = Vec::new();
        for (holder, places) in by_holder(ring, keys)? {
            let asked: Vec<&[u8]> = places.iter().map(|&place| keys[place]).collect();
            let Ok(found) = holder.shard.get_many(&asked).await else {
                left.extend(places);
                continue;
            };
            let now = self.now();
            for (&place, entry) in places.iter().zip(found) {
                let live = entry.filter(|entry| entry.is_live(now));
                values[place] = live.map(|entry| entry.value);
            }
        }
        Ok(left)
    }

    /// Gives these keys these entries. Of a key that is there twice the last counts.
    ///
    /// With one replica and without a change each shard is asked once, otherwise each key is set by itself.
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set), of any key; then some may be set and others not.
    pub async fn set_many(&self, entries: &[(&[u8], Entry)]) -> Result<(), KvError> {
        entries.iter().try_for_each(|(key, _)| check_key(key))?;
        let store = self.clone();
        let owned: Vec<(Vec<u8>, Entry)> = entries
            .iter()
            .map(|(key, entry)| (key.to_vec(), entry.clone()))
            .collect();
        if to_the_end(async move { store.set_groups(&owned).await }).await? {
            return Ok(());
        }
        for (key, entry) in entries {
            self.set_entry(key, entry.clone()).await?;
        }
        Ok(())
    }

    /// Asks each shard once if that will do; says whether it did.
    async fn set_groups(&self, entries: &[(Vec<u8>, Entry)]) -> Result<bool, KvError> {
        let state = self.state();
        let ring = match &state.phase {
            Phase::Steady(ring) if ring.replicas == 1 => ring,
            _ => return Ok(false),
        };
        let keys: Vec<&[u8]> = entries.iter().map(|(key, _)| key.as_slice()).collect();
        for (holder, places) in by_holder(ring, &keys)? {
            let group = places
                .iter()
                .map(|&place| (keys[place], entries[place].1.clone()));
            let set = holder.shard.set_many(group.collect()).await;
            set.map_err(|error| holder.failed(error))?;
        }
        Ok(true)
    }
}

/// A holder, and places of keys.
type Group<'a> = (&'a Arc<Holder>, Vec<usize>);

/// For each first holder the places of its keys, ascending.
fn by_holder<'a>(ring: &'a Ring, keys: &[&[u8]]) -> Result<Vec<Group<'a>>, KvError> {
    let mut places: Vec<(&Arc<Holder>, usize)> = Vec::with_capacity(keys.len());
    for (place, key) in keys.iter().enumerate() {
        let first = ring.holders_of(key).first().ok_or(KvError::NoNodes)?;
        places.push((first, place));
    }
    places.sort_by(|a, b| (&a.0.id, a.1).cmp(&(&b.0.id, b.1)));
    let groups = places.chunk_by(|a, b| a.0.id == b.0.id);
    let group = |it: &[(&'a Arc<Holder>, usize)]| (it[0].0, it.iter().map(|it| it.1).collect());
    Ok(groups.map(group).collect())
}
