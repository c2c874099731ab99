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
use crate::marks::Marks;
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
    lost: Vec<String>,
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
            lost: Vec::new(),
            replicas: 1,
        }
    }
}

impl StoreBuilder {
    /// The nodes that a new store begins with. It takes over what they hold, as its own, and marks them: so a store
    /// that lost its journal may begin anew over its shards, with the nodes that it had. One that has a journal has
    /// the journal's.
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

    /// This node is lost, and is not opened: [`remove_lost`](Store::remove_lost), for a store that is closed. It may be
    /// said again.
    #[must_use]
    pub fn lost(mut self, id: impl Into<String>) -> Self {
        self.lost.push(id.into());
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
    /// the id of an [`address`](Self::address) is there, what [`remove_lost`](Store::remove_lost) refuses of one that is
    /// [`lost`](Self::lost), [`KvError::Journal`] or [`KvError::JournalText`].
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
                    marks: Marks::default(),
                    retired: Vec::new(),
                    lost: Vec::new(),
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
        for id in self.lost {
            record.lose(&id, &*self.make)?;
        }
        let mut rings = Rings {
            make: &*self.make,
            connect: &*self.connect,
            holders: BTreeMap::new(),
        };
        let phase = rings.phase_of(&record)?;
        if let Phase::Change(change) = &phase {
            change.ready.send_replace(true); // no operation came before
        }
        if stored.is_none() {
            for holder in rings.holders.values() {
                record.marks.give(holder).await?;
            }
        }
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

/// What rings are made with.
pub(crate) struct Rings<'a> {
    pub(crate) make: &'a MakeRouter,
    pub(crate) connect: &'a Connect,
    /// Those that are there; others are opened.
    pub(crate) holders: BTreeMap<NodeId, Arc<Holder>>,
}

impl<'a> Rings<'a> {
    /// What opens the shards of nodes that are in none of these.
    pub(crate) fn of(inner: &'a Inner, holders: impl IntoIterator<Item = Arc<Holder>>) -> Self {
        Self {
            make: &*inner.make,
            connect: &*inner.connect,
            holders: holders.into_iter().map(|it| (it.id.clone(), it)).collect(),
        }
    }

    /// What operations go by under this record.
    pub(crate) fn phase_of(&mut self, record: &Record) -> Result<Phase, KvError> {
        let here = self.ring_of(record, &record.fleet)?;
        let Some(change) = &record.change else {
            return Ok(Phase::Steady(here));
        };
        let there = self.ring_of(record, &change.fleet)?;
        let (from, to) = if change.back {
            (there, here)
        } else {
            (here, there)
        };
        let change = Change::new(from, to, change.back, change.paused);
        record.check_next(&change)?;
        Ok(Phase::Change(change))
    }

    /// The ring of this fleet, without the record's lost nodes.
    pub(crate) fn ring_of(&mut self, record: &Record, fleet: &Fleet) -> Result<Arc<Ring>, KvError> {
        check_replicas(fleet.replicas)?;
        for id in fleet.nodes.iter().map(Node::id) {
            if self.holders.contains_key(id) || record.lost.contains(id) {
                continue;
            }
            let (id, address) = (id.clone(), record.addresses.of(id).to_owned());
            let shard = (self.connect)(&id, &address).map_err(|error| KvError::Shard {
                id: id.clone(),
                error,
            })?;
            if let Some(mark) = record.marks.of(&id) {
                shard.expect_mark(mark);
            }
            self.holders
                .insert(id.clone(), Arc::new(Holder { id, address, shard }));
        }
        let lost: Vec<&NodeId> = record
            .lost
            .iter()
            .filter(|id| fleet.nodes.iter().any(|node| node.id() == *id))
            .collect();
        let ring = self.chain(&fleet.nodes, fleet.replicas, &lost, &record.lost)?;
        let router = ring.router.fingerprint();
        if router == fleet.fingerprint {
            Ok(ring)
        } else {
            Err(KvError::OtherRouter {
                journal: fleet.fingerprint,
                router,
            })
        }
    }

    /// The ring of these nodes, and behind it those without one lost node after the other.
    fn chain(
        &self,
        nodes: &[Node],
        replicas: usize,
        lost: &[&NodeId],
        all_lost: &[NodeId],
    ) -> Result<Arc<Ring>, KvError> {
        let next = match lost {
            [] => None,
            [first, rest @ ..] => {
                let left: Vec<Node> = nodes
                    .iter()
                    .filter(|node| node.id() != *first)
                    .cloned()
                    .collect();
                Some(self.chain(&left, replicas, rest, all_lost)?)
            }
        };
        let holder = |id: &NodeId| {
            let holder = self.holders.get(id).filter(|_| !all_lost.contains(id));
            holder.cloned()
        };
        let ring = Ring::new(self.make, nodes.to_vec(), replicas, holder, next)?;
        Ok(Arc::new(ring))
    }
}
