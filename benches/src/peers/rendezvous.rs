//! Rendezvous hashing, with weights and without.

use std::hash::Hash;

use hash_rings::{rendezvous, weighted_rendezvous};
use hrw_hash::{HrwNode, HrwNodes};
use rendezvous_hash::{Capacity, DefaultNodeHasher, IdNode, Node, RendezvousNodes, WeightedNode};

use super::{Sip, borrowed};
use crate::contestant::{Change, Lookup, Mover, REPLICAS, Replicas};
use crate::workload::weight;

pub(super) fn hash_rings(nodes: u32) -> Box<dyn Fn() -> rendezvous::Ring<'static, u32, Sip>> {
    Box::new(move || {
        let mut ring = rendezvous::Ring::with_hasher(Sip::default());
        (0..nodes).for_each(|node| ring.insert_node(borrowed(node), 1));
        ring
    })
}

impl Lookup for rendezvous::Ring<'static, u32, Sip> {
    fn owner(&self, key: &[u8]) -> u32 {
        *self.get_node(&key)
    }
}

impl Change for rendezvous::Ring<'static, u32, Sip> {
    fn join(&mut self, mover: &Mover) {
        self.insert_node(borrowed(mover.number), 1);
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove_node(&mover.number);
    }
}

type Weighted = weighted_rendezvous::Ring<'static, u32, Sip>;

pub(super) fn hash_rings_weighted(nodes: u32) -> Box<dyn Fn() -> Weighted> {
    Box::new(move || {
        let mut ring = weighted_rendezvous::Ring::with_hasher(Sip::default());
        (0..nodes).for_each(|node| ring.insert_node(borrowed(node), weight(node).into()));
        ring
    })
}

impl Lookup for Weighted {
    fn owner(&self, key: &[u8]) -> u32 {
        *self.get_node(&key)
    }
}

type Nodes<N> = RendezvousNodes<N, DefaultNodeHasher>;

pub(super) fn rendezvous_hash(nodes: u32) -> Box<dyn Fn() -> Nodes<IdNode<u32>>> {
    build_nodes(nodes, IdNode::new)
}

pub(super) fn rendezvous_hash_weighted(
    nodes: u32,
) -> Box<dyn Fn() -> Nodes<WeightedNode<IdNode<u32>>>> {
    build_nodes(nodes, |node| {
        let capacity = Capacity::new(weight(node).into()).expect("1 to 3");
        WeightedNode::new(IdNode::new(node), capacity)
    })
}

fn build_nodes<N: Node<NodeId = u32> + 'static>(
    nodes: u32,
    node: fn(u32) -> N,
) -> Box<dyn Fn() -> Nodes<N>> {
    Box::new(move || {
        let mut all = RendezvousNodes::default();
        for number in 0..nodes {
            all.insert(node(number));
        }
        all
    })
}

impl<N: Node<NodeId = u32>> Lookup for Nodes<N> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.calc_candidates(&key)
            .next()
            .map_or(u32::MAX, |node| *node.node_id())
    }
}

impl<N: Node<NodeId = u32>> Replicas for Nodes<N> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let mut candidates = self.calc_candidates(&key);
        [(); REPLICAS].map(|()| candidates.next().map_or(u32::MAX, |node| *node.node_id()))
    }
}

impl Change for Nodes<IdNode<u32>> {
    fn join(&mut self, mover: &Mover) {
        self.insert(IdNode::new(mover.number));
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove(&mover.number).expect("a member");
    }
}

pub(super) fn hrw_hash(nodes: u32) -> Box<dyn Fn() -> HrwNodes<u32>> {
    Box::new(move || HrwNodes::new(0..nodes))
}

impl Lookup for HrwNodes<u32> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.sorted(&key).next().copied().unwrap_or(u32::MAX)
    }
}

impl Replicas for HrwNodes<u32> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let mut nodes = self.sorted(&key).copied();
        [(); REPLICAS].map(|()| nodes.next().unwrap_or(u32::MAX))
    }
}

/// A node of `hrw-hash` with its [`weight`].
#[derive(Hash, PartialEq, Eq)]
pub(super) struct Heavy(u32);

impl HrwNode for Heavy {
    fn capacity(&self) -> usize {
        weight(self.0) as usize // u32 fits
    }
}

pub(super) fn hrw_hash_weighted(nodes: u32) -> Box<dyn Fn() -> HrwNodes<Heavy>> {
    Box::new(move || HrwNodes::new((0..nodes).map(Heavy)))
}

impl Lookup for HrwNodes<Heavy> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.sorted(&key).next().map_or(u32::MAX, |node| node.0)
    }
}

impl Replicas for HrwNodes<Heavy> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let mut nodes = self.sorted(&key).map(|node| node.0);
        [(); REPLICAS].map(|()| nodes.next().unwrap_or(u32::MAX))
    }
}
