//! The counters: one a node, one for all, each on a cache line of its own.
//!
//! **The total never is below the sum of the nodes' counts.** Whatever changes raises the total before
//! a node's count and lowers it after, so a capacity computed from the total is never too small for
//! what the nodes hold. (An observer who reads several counters one after another sees each at another
//! moment.)
//!
//! **A load is given back once, whatever happens to its node.** A node that leaves has its counter
//! marked and its count taken out of the total in one step each; a lease that ends later finds the mark
//! and leaves the total alone. So a lease needs no lock and no look at the router, which may be gone.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::size_of;
use core::sync::atomic::{AtomicUsize, Ordering};

use keyroute_core::{Members, Node, NodeId, Slot, Weight};

/// The mark of a node that left, above any count: a load takes memory, so counts stay below it.
const LEFT: usize = 1 << (usize::BITS - 1);

/// What all nodes hold together.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct FleetLoad {
    total: AtomicUsize,
    overflows: AtomicUsize,
}

impl FleetLoad {
    /// Counts a load before it has a node. Gives how many there were.
    #[inline]
    pub(crate) fn announce(&self) -> u64 {
        self.total.fetch_add(1, Ordering::AcqRel) as u64
    }

    /// Takes a load back out of the total.
    #[inline]
    pub(crate) fn withdraw(&self) {
        self.total.fetch_sub(1, Ordering::AcqRel);
    }

    #[inline]
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Acquire) as u64
    }

    pub(crate) fn overflows(&self) -> u64 {
        self.overflows.load(Ordering::Relaxed) as u64
    }

    pub(crate) fn count_overflow(&self) {
        self.overflows.fetch_add(1, Ordering::Relaxed);
    }
}

/// What one node holds.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct NodeLoad {
    held: AtomicUsize,
    id: NodeId,
    fleet: Arc<FleetLoad>,
}

impl NodeLoad {
    fn new(id: &NodeId, fleet: &Arc<FleetLoad>) -> Arc<Self> {
        Arc::new(Self {
            held: AtomicUsize::new(0),
            id: id.clone(),
            fleet: fleet.clone(),
        })
    }

    pub(crate) fn id(&self) -> &NodeId {
        &self.id
    }

    #[inline]
    pub(crate) fn held(&self) -> u64 {
        (self.held.load(Ordering::Acquire) & !LEFT) as u64
    }

    /// Takes a load if `admits` says so of the count, in one step. Gives the new count.
    #[inline]
    pub(crate) fn take_if(&self, admits: impl Fn(u64) -> bool) -> Option<u64> {
        self.held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |held| {
                admits(held as u64).then_some(held + 1)
            })
            .ok()
            .map(|held| held as u64 + 1)
    }

    /// Gives a load back.
    #[inline]
    pub(crate) fn release(&self) {
        // The low bits count the leases of a node that left down to 0, and never reach the mark.
        if self.held.fetch_sub(1, Ordering::AcqRel) & LEFT == 0 {
            self.fleet.withdraw();
        }
    }

    /// Takes the node and all it holds out of the total, once and for all.
    fn leave(&self) {
        let held = self.held.fetch_or(LEFT, Ordering::AcqRel);
        self.fleet.total.fetch_sub(held & !LEFT, Ordering::AcqRel);
    }
}

/// The counters of a router's members, by slot.
#[derive(Debug, Default)]
pub(crate) struct Loads {
    fleet: Arc<FleetLoad>,
    nodes: Vec<Option<Weighed>>,
    total_weight: u64,
}

/// A member's counter, and beside it what its capacity is computed from.
#[derive(Debug)]
struct Weighed {
    load: Arc<NodeLoad>,
    weight: u64,
}

impl Loads {
    /// Idle counters for these members.
    pub(crate) fn new(members: &Members) -> Self {
        let mut loads = Self::default();
        loads.follow(members);
        loads
    }

    #[inline]
    pub(crate) fn fleet(&self) -> &FleetLoad {
        &self.fleet
    }

    #[inline]
    pub(crate) fn node(&self, slot: Slot) -> Option<&Arc<NodeLoad>> {
        Some(self.weighed(slot)?.0)
    }

    /// The counter and the weight of the member in this slot.
    #[inline]
    pub(crate) fn weighed(&self, slot: Slot) -> Option<(&Arc<NodeLoad>, u64)> {
        let node = self.nodes.get(at(slot))?.as_ref()?;
        Some((&node.load, node.weight))
    }

    #[inline]
    pub(crate) fn total_weight(&self) -> u64 {
        self.total_weight
    }

    /// A node joined: it holds nothing.
    pub(crate) fn join(&mut self, slot: Slot, node: &Node) {
        if self.nodes.len() <= at(slot) {
            self.nodes.resize_with(at(slot) + 1, || None);
        }
        let weight = node.weight().get().into();
        self.nodes[at(slot)] = Some(Weighed {
            load: NodeLoad::new(node.id(), &self.fleet),
            weight,
        });
        self.total_weight += weight;
    }

    /// A node left: what it holds counts no more.
    pub(crate) fn leave(&mut self, slot: Slot) {
        if let Some(left) = self.nodes.get_mut(at(slot)).and_then(Option::take) {
            left.load.leave();
            self.total_weight -= left.weight;
        }
    }

    /// A node's weight changed.
    pub(crate) fn reweight(&mut self, slot: Slot, weight: Weight) {
        if let Some(Some(node)) = self.nodes.get_mut(at(slot)) {
            let weight = weight.get().into();
            self.total_weight = self.total_weight - node.weight + weight;
            node.weight = weight;
        }
    }

    /// All members changed: those that stay keep their counters, whatever their slots are now.
    pub(crate) fn follow(&mut self, members: &Members) {
        let mut before: BTreeMap<NodeId, Arc<NodeLoad>> = core::mem::take(&mut self.nodes)
            .into_iter()
            .flatten()
            .map(|node| (node.load.id.clone(), node.load))
            .collect();
        self.nodes.resize_with(members.slot_bound(), || None);
        for (slot, node) in members.iter() {
            let load = before
                .remove(node.id())
                .unwrap_or_else(|| NodeLoad::new(node.id(), &self.fleet));
            let weight = node.weight().get().into();
            self.nodes[at(slot)] = Some(Weighed { load, weight });
        }
        for left in before.into_values() {
            left.leave();
        }
        self.total_weight = members.total_weight();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let counters = self.nodes.iter().flatten().count();
        // An `Arc` puts its own two counts in front, on a line of their own.
        let shared = 64;
        self.nodes.capacity() * size_of::<Option<Weighed>>()
            + counters * (size_of::<NodeLoad>() + shared)
            + size_of::<FleetLoad>()
            + shared
    }
}

fn at(slot: Slot) -> usize {
    slot.index() as usize // u32 fits: the smallest supported usize has 32 bits
}
