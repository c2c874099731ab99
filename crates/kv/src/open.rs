//! [`StoreBuilder`]: opens a store, new or from its journal.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arc_swap::ArcSwap;
use keyroute_core::{Node, NodeId, RouteError};
use tokio::sync::{Mutex, Notify, watch};

use crate::addresses::Addresses;
use crate::admin::Admin;
use crate::journal::{Fleet, One, Record};
use crate::ring::{AnyRouter, Holder, MakeRouter, Ring};
use crate::state::{Change, Phase, State};
use crate::store::{Inner, Store, stripes};
use crate::{Journal, KvError, MAX_REPLICAS, MemoryJournal, Rate, Shard, ShardError, system_clock};

pub(crate) type Connect = dyn Fn(&NodeId, &str) -> Result<Arc<dyn Shard>, ShardError> + Send + Sync;

/// Opens a [`Store`].
pub struct StoreBuilder {
    make: Box<MakeRouter>,
    connect: Box<Connect>,
    journal: Box<dyn Journal>,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
    nodes: Vec<Node>,
    /// Where those are.
    placed: Addresses,
    /// Where nodes have moved to.
    moved: Vec<(String, String)>,
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
        shard: impl Fn(&NodeId, &str) -> Result<S, ShardError> + Send + Sync + 'static,
    ) -> StoreBuilder {
        Self::builder_of_any(router, move |id, address| Ok(Arc::new(shard(id, address)?)))
    }

    /// The same for shards of several kinds, or that others hold too.
    pub fn builder_of_any(
        router: impl Fn(&[Node]) -> Result<AnyRouter, RouteError> + Send + Sync + 'static,
        shard: impl Fn(&NodeId, &str) -> Result<Arc<dyn Shard>, ShardError> + Send + Sync + 'static,
    ) -> StoreBuilder {
        StoreBuilder {
            make: Box::new(router),
            connect: Box::new(shard),
            journal: Box::new(MemoryJournal::default()),
            clock: Box::new(system_clock),
            nodes: Vec::new(),
            placed: Addresses::default(),
            moved: Vec::new(),
            replicas: 1,
        }
    }
}

impl StoreBuilder {
    /// The nodes that a new store begins with. One that has a journal has the journal's.
    #[must_use]
    pub fn nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.nodes = nodes.into_iter().collect();
        self.placed = Addresses::default();
        self
    }

    /// The nodes that a new store begins with, each with its address. The others' are their ids' texts.
    ///
    /// ```
    /// use keyroute_kv::{MemoryShard, Node, Store};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
    /// let store = Store::builder(
    ///     |nodes| Ok(Box::new(VectorRing::from_nodes(nodes.iter().cloned())?)),
    ///     |_id, _address| Ok(MemoryShard::new()), // a client would connect to the address
    /// )
    /// .nodes_at([(Node::new("a")?, "10.0.0.1:6379"), (Node::new("b")?, "10.0.0.2:6379")])
    /// .open()
    /// .await?;
    /// store.readdress("b", "10.0.0.7:6379").await?; // it moved, with its data
    /// assert_eq!(store.address_of("b").as_deref(), Some("10.0.0.7:6379"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nodes_at<A: Into<String>>(mut self, nodes: impl IntoIterator<Item = (Node, A)>) -> Self {
        self = self.nodes([]);
        for (node, address) in nodes {
            self.placed.set(node.id(), &address.into());
            self.nodes.push(node);
        }
        self
    }

    /// Where this node is, whatever the journal says: for one that moved, with its data, while the store was closed.
    #[must_use]
    pub fn address(mut self, id: impl Into<String>, address: impl Into<String>) -> Self {
        self.moved.push((id.into(), address.into()));
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
    /// [`KvError::OtherRouter`], [`KvError::AddressTaken`] if two nodes have one, [`RouteError::NotMember`] if none of
    /// the id of an [`address`](Self::address) is there, [`KvError::Journal`] or [`KvError::JournalText`].
    pub async fn open(self) -> Result<Store, KvError> {
        let stored = Record::load(&*self.journal)?;
        let mut record = match stored.clone() {
            Some(record) => record,
            None => {
                check_replicas(self.replicas)?;
                let fleet = fleet_of(&*self.make, self.nodes, self.replicas)?;
                Record {
                    version: One,
                    generation: 0,
                    fleet,
                    change: None,
                    addresses: self.placed,
                    retired: Vec::new(),
                    left_overs: Vec::new(),
                }
            }
        };
        for (id, address) in self.moved {
            let node = record.nodes().find(|node| *node.id() == *id);
            let node = node.ok_or(RouteError::NotMember { id })?.id().clone();
            record.addresses.set(&node, &address);
        }
        record.addresses.check(record.nodes())?;
        let mut holders = BTreeMap::new();
        let here = ring_of(
            &*self.make,
            &*self.connect,
            &record.fleet,
            &record.addresses,
            &mut holders,
        )?;
        let phase = match &record.change {
            None => Phase::Steady(here),
            Some(change) => {
                let there = ring_of(
                    &*self.make,
                    &*self.connect,
                    &change.fleet,
                    &record.addresses,
                    &mut holders,
                )?;
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
        if stored.as_ref() != Some(&record) {
            record.store(&*self.journal)?;
        }
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
    addresses: &Addresses,
    holders: &mut BTreeMap<NodeId, Arc<Holder>>,
) -> Result<Arc<Ring>, KvError> {
    check_replicas(fleet.replicas)?;
    for node in &fleet.nodes {
        if !holders.contains_key(node.id()) {
            let id = node.id().clone();
            let address = addresses.of(&id).to_owned();
            let shard = connect(&id, &address).map_err(|error| KvError::Shard {
                id: id.clone(),
                error,
            })?;
            holders.insert(id.clone(), Arc::new(Holder { id, address, shard }));
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
