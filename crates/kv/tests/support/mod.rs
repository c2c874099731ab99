//! Shards that outlive a store, and can be looked into.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use keyroute_core::{RouteError, Router, WalkExt};
use keyroute_interop::{hash::Crc32, seeds::HashRing};
use keyroute_kv::{
    AnyRouter, Entry, Journal, KvError, MemoryJournal, MemoryShard, Next, Node, NodeId, Page,
    Pending, Purged, Shard, ShardError, Store, StoreBuilder,
};
use keyroute_rendezvous::Rendezvous;
use keyroute_vector_ring::VectorRing;

pub fn ring(nodes: &[Node]) -> Result<AnyRouter, RouteError> {
    Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?))
}

/// The ring of an article's key-value system: CRC-32 of `{id}-{i}`, 2048 points, equal ones to the lower id.
pub fn article_ring(nodes: &[Node]) -> Result<AnyRouter, RouteError> {
    let scheme = HashRing::new(Crc32, HashRing::<Crc32>::POINTS)?;
    let ring = VectorRing::from_nodes_with(scheme, nodes.iter().cloned())?;
    Ok(Box::new(ring))
}

/// A router that keeps nothing in place: another strategy for an even number of nodes than for an odd one.
pub fn moody(nodes: &[Node]) -> Result<AnyRouter, RouteError> {
    if nodes.len().is_multiple_of(2) {
        ring(nodes)
    } else {
        Ok(Box::new(Rendezvous::from_nodes(nodes.iter().cloned())?))
    }
}

pub fn node(id: &str) -> Node {
    Node::new(id).unwrap()
}

/// What is outside of the process: shards and journal. Clones are one world.
#[derive(Clone, Default)]
pub struct World {
    /// By address.
    shards: Arc<Mutex<BTreeMap<String, Arc<MemoryShard>>>>,
    journal: MemoryJournal,
    pub clock: Arc<AtomicU64>,
    /// How many operations on shards and writes of the journal there have been.
    pub operations: Arc<AtomicU64>,
    /// How many there may be: from then on all fail and nothing changes any more.
    pub end: Arc<AtomicU64>,
    /// Addresses that answer nothing from this operation on.
    dead: Arc<Mutex<BTreeMap<String, u64>>>,
    /// How many operations found a dead one.
    pub asked_dead: Arc<AtomicU64>,
    /// How many sets there have been.
    pub sets: Arc<AtomicU64>,
    /// Whether others may come in between any two operations.
    yields: bool,
    /// Whether shards can list their keys.
    dumb: bool,
}

impl World {
    pub fn new() -> Self {
        let world = Self::default();
        world.end.store(u64::MAX, SeqCst);
        world
    }

    pub fn that_yields(self) -> Self {
        Self {
            yields: true,
            ..self
        }
    }

    pub fn that_cannot_list(self) -> Self {
        Self { dumb: true, ..self }
    }

    pub fn builder(&self) -> StoreBuilder {
        self.builder_over(ring)
    }

    pub fn builder_over(
        &self,
        ring: impl Fn(&[Node]) -> Result<AnyRouter, RouteError> + Send + Sync + 'static,
    ) -> StoreBuilder {
        let (world, clock) = (self.clone(), self.clock.clone());
        let connect = move |_id: &NodeId, address: &str| -> Result<Arc<dyn Shard>, ShardError> {
            let within = world.shard(address);
            let world = world.clone();
            let address = address.to_owned();
            Ok(Arc::new(WorldShard {
                within,
                world,
                address,
            }))
        };
        Store::builder_of_any(ring, connect)
            .journal(WorldJournal(self.clone()))
            .clock(move || clock.load(SeqCst))
    }

    pub fn shard(&self, address: &str) -> Arc<MemoryShard> {
        self.shards
            .lock()
            .unwrap()
            .entry(address.to_owned())
            .or_default()
            .clone()
    }

    /// Counts an operation; fails once the world has ended.
    fn operate(&self) -> Result<(), io::Error> {
        if self.operations.fetch_add(1, SeqCst) < self.end.load(SeqCst) {
            Ok(())
        } else {
            Err(io::Error::other("the process is no more"))
        }
    }

    async fn operation(&self, address: &str) -> Result<(), ShardError> {
        if self.yields {
            tokio::task::yield_now().await;
        }
        self.operate().map_err(ShardError::new)?;
        if self.is_dead(address) {
            self.asked_dead.fetch_add(1, SeqCst);
            return Err(ShardError::new("connection refused"));
        }
        Ok(())
    }

    /// From so many more operations on this address answers nothing.
    pub fn die_in(&self, address: &str, operations: u64) {
        let at = self.operations.load(SeqCst) + operations;
        self.dead.lock().unwrap().insert(address.to_owned(), at);
    }

    pub fn is_dead(&self, address: &str) -> bool {
        let at = self.dead.lock().unwrap().get(address).copied();
        at.is_some_and(|at| self.operations.load(SeqCst) > at)
    }

    /// What the journal holds.
    pub fn journal_text(&self) -> String {
        String::from_utf8(self.journal.load().unwrap().unwrap()).unwrap()
    }

    /// Every copy, by key and address.
    pub fn copies(&self) -> BTreeMap<Vec<u8>, BTreeMap<String, Entry>> {
        let mut copies: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for (address, shard) in &*self.shards.lock().unwrap() {
            if self.is_dead(address) {
                continue;
            }
            for (key, entry) in shard.snapshot() {
                copies
                    .entry(key)
                    .or_default()
                    .insert(address.clone(), entry);
            }
        }
        copies
    }

    /// Holds that each live key lies on its holders and nowhere else, and that its copies are equal.
    pub fn assert_placed(&self, nodes: &[Node], replicas: usize) {
        self.assert_placed_by(&ring(nodes).unwrap(), replicas);
    }

    pub fn assert_placed_by(&self, ring: &AnyRouter, replicas: usize) {
        let now = self.clock.load(SeqCst);
        for (key, copies) in self.copies() {
            let mut holders: Vec<String> = ring
                .replica_ids(&key, replicas)
                .iter()
                .map(ToString::to_string)
                .collect();
            holders.sort();
            let found: Vec<String> = copies.keys().cloned().collect();
            if copies.values().any(|it| it.is_live(now)) {
                assert_eq!(found, holders, "of {key:?}");
            }
            assert!(
                copies.values().all(|it| Some(it) == copies.values().next()),
                "of {key:?}"
            );
        }
    }
}

struct WorldJournal(World);

impl Journal for WorldJournal {
    fn load(&self) -> io::Result<Option<Vec<u8>>> {
        self.0.journal.load()
    }
    fn store(&self, text: &[u8]) -> io::Result<()> {
        self.0.operate()?;
        self.0.journal.store(text)
    }
}

struct WorldShard {
    within: Arc<MemoryShard>,
    world: World,
    address: String,
}

impl Shard for WorldShard {
    fn get<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<Option<Entry>, ShardError>> {
        Box::pin(async move {
            self.world.operation(&self.address).await?;
            self.within.get(key).await
        })
    }
    fn set<'a>(&'a self, key: &'a [u8], entry: Entry) -> Pending<'a, Result<(), ShardError>> {
        Box::pin(async move {
            self.world.operation(&self.address).await?;
            self.world.sets.fetch_add(1, SeqCst);
            self.within.set(key, entry).await
        })
    }
    fn delete<'a>(&'a self, key: &'a [u8]) -> Pending<'a, Result<bool, ShardError>> {
        Box::pin(async move {
            self.world.operation(&self.address).await?;
            self.within.delete(key).await
        })
    }
    fn scan<'a>(
        &'a self,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'a, Result<Page, ShardError>> {
        Box::pin(async move {
            self.world.operation(&self.address).await?;
            self.within.scan(cursor, limit).await
        })
    }
    fn purge(
        &self,
        now: u64,
        cursor: Option<Vec<u8>>,
        limit: usize,
    ) -> Pending<'_, Result<Purged, ShardError>> {
        Box::pin(async move {
            self.world.operation(&self.address).await?;
            self.within.purge(now, cursor, limit).await
        })
    }
    fn count(&self) -> Pending<'_, Result<Option<u64>, ShardError>> {
        Box::pin(async move {
            if self.world.is_dead(&self.address) {
                return Err(ShardError::new("connection refused"));
            }
            self.within.count().await
        })
    }
    fn lists(&self) -> bool {
        !self.world.dumb
    }
}

/// Steps until the change is over; gives how many keys moved.
pub async fn finish(store: &Store) -> Result<u64, KvError> {
    let mut moved = 0;
    loop {
        let step = store.advance(3).await?;
        moved += step.moved;
        if step.next == Next::Done {
            return Ok(moved);
        }
    }
}

/// All keys that a scan gives, with how often.
pub async fn scan_all(store: &Store, limit: usize) -> BTreeMap<Vec<u8>, u32> {
    let mut all = BTreeMap::new();
    let mut cursor: Option<Vec<u8>> = None;
    loop {
        let page = store.scan(cursor.as_deref(), limit).await.unwrap();
        for key in page.keys {
            *all.entry(key).or_default() += 1;
        }
        match page.next {
            Some(next) => cursor = Some(next),
            None => return all,
        }
    }
}

/// Numbers from a seed.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (it ^ (it >> 31)) % limit
    }
}

/// How many keys have other holders after than before.
pub fn planned(before: &[Node], after: &[Node], replicas: usize, keys: &[Vec<u8>]) -> u64 {
    let (before, after) = (ring(before).unwrap(), ring(after).unwrap());
    let holders = |ring: &AnyRouter, key: &[u8]| {
        let mut ids: Vec<String> = ring
            .replica_ids(key, replicas)
            .iter()
            .map(ToString::to_string)
            .collect();
        ids.sort();
        ids
    };
    let moves = |key: &&Vec<u8>| holders(&before, key) != holders(&after, key);
    keys.iter().filter(moves).count() as u64
}

/// The node that has the key.
pub fn owner(nodes: &[Node], key: &[u8]) -> String {
    ring(nodes).unwrap().route_id(key).unwrap().to_string()
}
