//! The counters of a router's members, by slot, and their weights.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::{Members, Node, NodeId, Slot, Weight};

use crate::Count;
use crate::counters::{self, FleetLoad};

/// A member's counter, with its id.
pub(crate) type NodeLoad<K> = counters::NodeLoad<K, NodeId>;

/// The counters of a router's members, by slot.
#[derive(Debug)]
pub(crate) struct Loads<K: Count> {
    fleet: Arc<FleetLoad<K>>,
    nodes: Vec<Option<Weighed<K>>>,
    total_weight: u64,
}

/// A member's counter, and beside it what its capacity is computed from.
#[derive(Debug)]
struct Weighed<K: Count> {
    load: NodeLoad<K>,
    weight: u64,
}

impl<K: Count> Loads<K> {
    /// Idle counters for these members.
    pub(crate) fn new(members: &Members) -> Self {
        let mut loads = Self {
            fleet: Arc::default(),
            nodes: Vec::new(),
            total_weight: 0,
        };
        loads.follow(members);
        loads
    }

    #[inline]
    pub(crate) fn fleet(&self) -> &FleetLoad<K> {
        &self.fleet
    }

    #[inline]
    pub(crate) fn node(&self, slot: Slot) -> Option<&NodeLoad<K>> {
        Some(self.weighed(slot)?.0)
    }

    /// The counter and the weight of the member in this slot.
    #[inline]
    pub(crate) fn weighed(&self, slot: Slot) -> Option<(&NodeLoad<K>, u64)> {
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
            load: NodeLoad::new(node.id().clone(), &self.fleet),
            weight,
        });
        self.total_weight += weight;
    }

    /// A node left: what it holds counts no more.
    pub(crate) fn leave(&mut self, slot: Slot) {
        if let Some(left) = self.nodes.get_mut(at(slot)).and_then(Option::take) {
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
        let mut before: BTreeMap<NodeId, NodeLoad<K>> = core::mem::take(&mut self.nodes)
            .into_iter()
            .flatten()
            .map(|node| (node.load.beside().clone(), node.load))
            .collect();
        self.nodes.resize_with(members.slot_bound(), || None);
        for (slot, node) in members.iter() {
            let load = before
                .remove(node.id())
                .unwrap_or_else(|| NodeLoad::new(node.id().clone(), &self.fleet));
            let weight = node.weight().get().into();
            self.nodes[at(slot)] = Some(Weighed { load, weight });
        }
        self.total_weight = members.total_weight();
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let counters = self.nodes.iter().flatten().count();
        // The hold on the total is shared between the nodes', which takes two counts.
        let shared = 3 * size_of::<usize>();
        self.nodes.capacity() * size_of::<Option<Weighed<K>>>()
            + counters * NodeLoad::<K>::BYTES
            + FleetLoad::<K>::BYTES
            + shared
    }
}

fn at(slot: Slot) -> usize {
    slot.index() as usize // u32 fits: the smallest supported usize has 32 bits
}
