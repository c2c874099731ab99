//! [`StoreBuilder`]: opens a store, new or from its journal.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use keyroute_core::{Node, NodeId, RouteError};
use tokio::sync::{Mutex, Notify, watch};

use crate::admin::Admin;
use crate::journal::{Fleet, One, Record};
use crate::ring::{AnyRouter, Holder, MakeRouter, Ring};
use crate::state::{Change, Phase, State};
use crate::store::{Inner, Store, stripes};
use crate::{Journal, KvError, MAX_REPLICAS, MemoryJournal, Rate, Shard, ShardError, system_clock};

pub(crate) type Connect = dyn Fn(&NodeId) -> Result<Arc<dyn Shard>, ShardError> + Send + Sync;

/// Opens a [`Store`].
pub struct StoreBuilder {
    make: Box<MakeRouter>,
    connect: Box<Connect>,
    journal: Box<dyn Journal>,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    nodes: Vec<Node>,
    replicas: usize,
}

impl fmt::Debug for StoreBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreBuilder")
            .field("nodes", &self.nodes)
            .field("replicas", &self.replicas)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// A store whose router is made by the first and whose shards are opened by the second.
    ///
    /// The router must be the same one whenever it is made of the same nodes: the journal keeps its fingerprint and
    /// another is refused. [`Store`] shows one.
    pub fn builder<S: Shard + 'static>(
        router: impl Fn(&[Node]) -> Result<AnyRouter, RouteError> + Send + Sync + 'static,
        shard: impl Fn(&NodeId) -> Result<S, ShardError> + Send + Sync + 'static,
    ) -> StoreBuilder {
        Self::builder_of_any(router, move |id| Ok(Arc::new(shard(id)?)))
    }

    /// The same for shards of several kinds, or that others hold too.
    pub fn builder_of_any(
        router: impl Fn(&[Node]) -> Result<AnyRouter, RouteError> + Send + Sync + 'static,
        shard: impl Fn(&NodeId) -> Result<Arc<dyn Shard>, ShardError> + Send + Sync + 'static,
    ) -> StoreBuilder {
        StoreBuilder {
            make: Box::new(router),
            connect: Box::new(shard),
            journal: Box::new(MemoryJournal::default()),
            clock: Box::new(system_clock),
            nodes: Vec::new(),
            replicas: 1,
        }
    }
}

impl StoreBuilder {
    /// The nodes that a new store begins with. One that has a journal has the journal's.
    #[must_use]
    pub fn nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.nodes = nodes.into_iter().collect();
        self
    }

    /// On how many nodes each key of a new store lies, 1 to [`MAX_REPLICAS`]; 1 unless said. On all, where nodes
    /// are fewer.
    #[must_use]
    pub fn replicas(mut self, replicas: usize) -> Self {
        self.replicas = replicas;
        self
    }

    /// Where the record is kept; in memory unless said, and then a change does not outlive the process.
    #[must_use]
    pub fn journal(mut self, journal: impl Journal + 'static) -> Self {
        self.journal = Box::new(journal);
        self
    }

    /// What the time is, in milliseconds since 1970; the system's unless said.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Box::new(clock);
        self
    }

    /// Opens it. A change that the journal tells of goes on when the mover is [`run`](Store::run).
    ///
    /// # Errors
    ///
    /// [`KvError::Replicas`], [`KvError::Route`], [`KvError::Shard`] of a node that cannot be opened,
    /// [`KvError::OtherRouter`], [`KvError::Journal`] or [`KvError::JournalText`].
    pub async fn open(self) -> Result<Store, KvError> {
        let record = match Record::load(&*self.journal)? {
            Some(record) => record,
            None => {
                check_replicas(self.replicas)?;
                let fleet = fleet_of(&*self.make, self.nodes, self.replicas)?;
                let record = Record {
                    version: One,
                    generation: 0,
                    fleet,
                    change: None,
                    retired: Vec::new(),
                    left_overs: Vec::new(),
                };
                record.store(&*self.journal)?;
                record
            }
        };
        let mut holders = BTreeMap::new();
        let here = ring_of(&*self.make, &*self.connect, &record.fleet, &mut holders)?;
        let phase = match &record.change {
            None => Phase::Steady(here),
            Some(change) => {
                let there = ring_of(&*self.make, &*self.connect, &change.fleet, &mut holders)?;
                let (from, to) = if change.back {
                    (there, here)
                } else {
                    (here, there)
                };
                let change = Change::new(from, to, change.back, change.paused);
                change.ready.send_replace(true); // no operation came before
                Phase::Change(change)
            }
        };
        let (state, let_go) = State::new(record.generation, phase);
        let inner = Inner {
            make: self.make,
            connect: self.connect,
            journal: self.journal,
            clock: self.clock,
            state: ArcSwap::new(state),
            admin: Mutex::new(Admin::new(record, let_go)),
            stripes: stripes(),
            rate: watch::Sender::new(Rate::default()),
            wake: Notify::new(),
        };
        Ok(Store {
            inner: Arc::new(inner),
        })
    }
}

pub(crate) fn check_replicas(given: usize) -> Result<(), KvError> {
    if (1..=MAX_REPLICAS).contains(&given) {
        Ok(())
    } else {
        Err(KvError::Replicas { given })
    }
}

pub(crate) fn fleet_of(
    make: &MakeRouter,
    nodes: Vec<Node>,
    replicas: usize,
) -> Result<Fleet, KvError> {
    Ok(Fleet {
        fingerprint: make(&nodes)?.fingerprint(),
        nodes,
        replicas,
    })
}

/// The ring of this fleet, over holders that are there or opened now.
pub(crate) fn ring_of(
    make: &MakeRouter,
    connect: &Connect,
    fleet: &Fleet,
    holders: &mut BTreeMap<NodeId, Arc<Holder>>,
) -> Result<Arc<Ring>, KvError> {
    check_replicas(fleet.replicas)?;
    for node in &fleet.nodes {
        if !holders.contains_key(node.id()) {
            let id = node.id().clone();
            let shard = connect(&id).map_err(|error| KvError::Shard {
                id: id.clone(),
                error,
            })?;
            holders.insert(id.clone(), Arc::new(Holder { id, shard }));
        }
    }
    let holder = |id: &NodeId| holders.get(id).cloned();
    let ring = Ring::new(make, fleet.nodes.clone(), fleet.replicas, holder)?;
    let router = ring.router.fingerprint();
    if router == fleet.fingerprint {
        Ok(Arc::new(ring))
    } else {
        Err(KvError::OtherRouter {
            journal: fleet.fingerprint,
            router,
        })
    }
}
