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
    /// As [`set`](Self::set), of any key; then some may be set and others not: [`set_each`](Self::set_each) says which.
    /// If one is too long none is set.
    pub async fn set_many(&self, entries: Vec<(Vec<u8>, Entry)>) -> Result<(), KvError> {
        entries.iter().try_for_each(|(key, _)| check_key(key))?;
        self.set_each(entries).await.into_iter().collect()
    }

    /// The same, with an answer for each in their order, an error as of [`set`](Self::set): a node that fails fails its
    /// own keys alone. Of a key that is there twice both answers are that of its last entry.
    ///
    /// ```
    /// use keyroute_kv::{Entry, KvError, MAX_KEY_LEN, MemoryShard, Node, Store};
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
    /// let entries = || vec![(b"k".to_vec(), Entry::new("v")), (vec![b'k'; MAX_KEY_LEN + 1], Entry::new("v"))];
    /// assert!(store.set_many(entries()).await.is_err());
    /// assert_eq!(store.get_many(&[b"k"]).await?, [None]);
    ///
    /// let answers = store.set_each(entries()).await;
    /// assert!(matches!(answers[..], [Ok(()), Err(KvError::KeyTooLong { length: 65_537 })]));
    /// assert_eq!(store.get_many(&[b"k"]).await?, [Some(b"v".to_vec())]);
    /// assert_eq!(store.delete_many(&[b"k", b"none"]).await?, [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "each answer may be an error"]
    pub async fn set_each(&self, entries: Vec<(Vec<u8>, Entry)>) -> Vec<Result<(), KvError>> {
        let keys: Vec<&[u8]> = entries.iter().map(|(key, _)| key.as_slice()).collect();
        let distinct = Distinct::of(&keys, |equals| equals.last());
        let mut entries: Vec<_> = entries.into_iter().map(Some).collect();
        let chosen = distinct.places.iter();
        let chosen = chosen.filter_map(|&place| entries.get_mut(place)?.take());
        let writes = chosen.map(|(key, entry)| (key, Write::Set(entry)));
        let done = self.write_each(writes.collect()).await;
        let answers = distinct.numbers.iter();
        answers
            .map(|&number| done[number].clone().map(drop))
            .collect()
    }

    /// Takes the values of these keys away; says of each whether one lay there, ended or not. A key that is there
    /// twice had none the second time. Costs as [`set_many`](Self::set_many).
    ///
    /// # Errors
    ///
    /// As [`set`](Self::set), of any key; then some may be deleted and others not: [`delete_each`](Self::delete_each)
    /// says which. If one is too long none is deleted.
    pub async fn delete_many(&self, keys: &[&[u8]]) -> Result<Vec<bool>, KvError> {
        keys.iter().try_for_each(|key| check_key(key))?;
        self.delete_each(keys).await.into_iter().collect()
    }

    /// The same, with an answer for each in their order, an error as of [`delete`](Self::delete): a node that fails
    /// fails its own keys alone.
    #[must_use = "each answer may be an error"]
    pub async fn delete_each(&self, keys: &[&[u8]]) -> Vec<Result<bool, KvError>> {
        let distinct = Distinct::of(keys, |equals| equals.first());
        let chosen = distinct.places.iter();
        let writes = chosen.map(|&place| (keys[place].to_vec(), Write::Delete));
        let done = self.write_each(writes.collect()).await;
        let answers = distinct.numbers.iter().enumerate().map(|(place, &number)| {
            let first = distinct.places[number] == place;
            done[number].clone().map(|was| was && first)
        });
        answers.collect()
    }

    /// Writes all of one kind, to keys of which no two are the same; says of each whether something lay there.
    async fn write_each(&self, writes: Vec<(Vec<u8>, Write)>) -> Vec<Result<bool, KvError>> {
        let (store, writes) = (self.clone(), Arc::new(writes));
        let shared = writes.clone();
        let (mut was, left) = to_the_end(async move { store.write_groups(&shared).await }).await;
        for places in left.chunks(SINGLES) {
            let singly = places.iter().map(|&place| {
                let (key, write) = &writes[place];
                self.write(key, write.clone())
            });
            for (&place, found) in places.iter().zip(join_all(singly).await) {
                was[place] = found;
            }
        }
        was
    }

    /// Asks each shard once for each rank of replicas; gives the places of keys that must be written singly.
    async fn write_groups(
        &self,
        writes: &[(Vec<u8>, Write)],
    ) -> (Vec<Result<bool, KvError>>, Vec<usize>) {
        let state = self.entered().await;
        let mut was = Vec::with_capacity(writes.len());
        let mut all = Vec::with_capacity(writes.len());
        let mut left = Vec::new();
        for (place, (key, _)) in writes.iter().enumerate() {
            let found = check_key(key).map(|()| state.stays(key));
            was.push(match found {
                Ok(Some(holders)) if holders.is_empty() => Err(KvError::NoNodes),
                Ok(Some(holders)) => {
                    all.push((holders, place));
                    Ok(false)
                }
                Ok(None) => {
                    left.push(place);
                    Ok(false)
                }
                Err(error) => Err(error),
            });
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
        let ranks = all.iter().map(|(holders, _)| holders.len()).max();
        for rank in (0..ranks.unwrap_or(0)).rev() {
            // What failed at a later rank goes no further, as with a single key.
            let of_rank = all.iter().filter(|(_, place)| was[*place].is_ok());
            let of_rank = of_rank.filter_map(|(holders, place)| Some((holders.at(rank)?, *place)));
            let mut places: Vec<_> = of_rank.collect();
            let asked = by_holder(&mut places).map(|(holder, places)| async move {
                let writes = places.iter().map(|&(_, place)| &writes[place]);
                (places, write_on(holder, writes).await)
            });
            for (places, found) in join_all(asked).await {
                let places = places.iter().map(|&(_, place)| place);
                match found {
                    Ok(found) => places
                        .zip(found)
                        .for_each(|(place, it)| was[place] = Ok(it)),
                    Err(error) => places.for_each(|place| was[place] = Err(error.clone())),
                }
            }
        }
        (was, left)
    }
}

/// Each of some keys once.
struct Distinct {
    /// The place of each.
    places: Vec<usize>,
    /// For each place given, which of those it is.
    numbers: Vec<usize>,
}

impl Distinct {
    /// Of equals the one that is chosen, from their places in order.
    fn of(keys: &[&[u8]], choose: impl Fn(&[usize]) -> Option<&usize>) -> Self {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by_key(|&place| keys[place]); // which keeps the order of equals
        let mut places = Vec::with_capacity(keys.len());
        let mut numbers = vec![0; keys.len()];
        for equals in order.chunk_by(|&a, &b| keys[a] == keys[b]) {
            for &place in equals {
                numbers[place] = places.len();
            }
            places.extend(choose(equals));
        }
        Self { places, numbers }
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
