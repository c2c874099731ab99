//! Rings of points.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use consistent_hash::{DefaultHash, StaticHashRing};
use hash_rings::{consistent, mpc};
use hashring::HashRing;
use pingora_ketama::{Bucket, Continuum};

use super::{Sip, borrowed};
use crate::contestant::{Change, Lookup, Mover, REPLICAS, Replicas};
use crate::workload::{POINTS, node};

const POINTS_USIZE: usize = POINTS as usize; // u32 fits

/// One of a node's points in the `hashring` crate, which has no notion of a node with many.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub(super) struct Point {
    node: u32,
    index: u32,
}

fn points(node: u32) -> impl Iterator<Item = Point> {
    (0..POINTS).map(move |index| Point { node, index })
}

pub(super) fn hashring(nodes: u32) -> Box<dyn Fn() -> HashRing<Point>> {
    Box::new(move || {
        let mut ring = HashRing::new();
        ring.batch_add((0..nodes).flat_map(points).collect());
        ring
    })
}

impl Lookup for HashRing<Point> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get(&key).map_or(u32::MAX, |point| point.node)
    }
}

impl Change for HashRing<Point> {
    fn join(&mut self, mover: &Mover) {
        self.batch_add(points(mover.number).collect());
    }

    fn leave(&mut self, mover: &Mover) {
        for point in points(mover.number) {
            self.remove(&point).expect("a point of a member");
        }
    }
}

/// 160 points a node is its constant.
pub(super) fn pingora_ketama(nodes: u32) -> Box<dyn Fn() -> Continuum> {
    let bucket = |node| Bucket::new(SocketAddr::new(IpAddr::V4(address(node)), 11211), 1);
    let buckets: Vec<Bucket> = (0..nodes).map(bucket).collect();
    Box::new(move || Continuum::new(&buckets))
}

/// 10.0.0.0 and up: a node here is its address.
fn address(node: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(FIRST + node)
}

fn number(address: SocketAddr) -> u32 {
    match address.ip() {
        IpAddr::V4(address) => address.to_bits().wrapping_sub(FIRST),
        IpAddr::V6(_) => u32::MAX,
    }
}

const FIRST: u32 = 10 << 24;

impl Lookup for Continuum {
    fn owner(&self, key: &[u8]) -> u32 {
        self.node(key).map_or(u32::MAX, number)
    }
}

/// The crate gives the owners of the points in turn; its users keep the distinct ones.
impl Replicas for Continuum {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let mut out = [u32::MAX; REPLICAS];
        let mut found = 0;
        for &address in self.node_iter(key) {
            let node = number(address);
            if !out[..found].contains(&node) {
                out[found] = node;
                found += 1;
                if found == REPLICAS {
                    break;
                }
            }
        }
        out
    }
}

pub(super) fn hash_rings(nodes: u32) -> Box<dyn Fn() -> consistent::Ring<'static, u32, Sip>> {
    Box::new(move || {
        let mut ring = consistent::Ring::with_hasher(Sip::default());
        (0..nodes).for_each(|node| ring.insert_node(borrowed(node), POINTS_USIZE));
        ring
    })
}

impl Lookup for consistent::Ring<'static, u32, Sip> {
    fn owner(&self, key: &[u8]) -> u32 {
        *self.get_node(&key)
    }
}

impl Change for consistent::Ring<'static, u32, Sip> {
    fn join(&mut self, mover: &Mover) {
        self.insert_node(borrowed(mover.number), POINTS_USIZE);
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove_node(&mover.number);
    }
}

pub(super) fn hulahoop(nodes: u32) -> Box<dyn Fn() -> hulahoop::HashRing<u32, Sip>> {
    Box::new(move || {
        let mut ring = hulahoop::HashRing::with_hasher(Sip::default());
        for node in 0..nodes {
            ring.insert(node, POINTS.into());
        }
        ring
    })
}

impl Lookup for hulahoop::HashRing<u32, Sip> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get(key).copied().unwrap_or(u32::MAX)
    }
}

impl Change for hulahoop::HashRing<u32, Sip> {
    fn join(&mut self, mover: &Mover) {
        self.insert(mover.number, POINTS.into());
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove(&mover.number);
    }
}

type Static = StaticHashRing<'static, u32, (), DefaultHash>;

pub(super) fn consistent_hash(nodes: u32) -> Box<dyn Fn() -> Static> {
    let node = |number| consistent_hash::Node::new(number).quantity(POINTS_USIZE);
    Box::new(move || StaticHashRing::new(DefaultHash, (0..nodes).map(node)))
}

impl Lookup for Static {
    fn owner(&self, key: &[u8]) -> u32 {
        self.calc_candidates(&key)
            .next()
            .map_or(u32::MAX, |node| node.key)
    }
}

impl Replicas for Static {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let mut candidates = self.calc_candidates(&key);
        [(); REPLICAS].map(|()| candidates.next().map_or(u32::MAX, |node| node.key))
    }
}

/// The number of replicas is the ring's: as many as [`Replicas`] finds, so that both questions are put to one
/// that is used as it was made for.
pub(super) fn hashring_coordinator(
    nodes: u32,
) -> Box<dyn Fn() -> hashring_coordinator::HashRing<u32>> {
    Box::new(move || {
        let mut ring = hashring_coordinator::HashRing::new(REPLICAS - 1, POINTS_USIZE);
        ring.batch_add((0..nodes).collect());
        ring
    })
}

impl Lookup for hashring_coordinator::HashRing<u32> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get(&key).first().copied().unwrap_or(u32::MAX)
    }
}

impl Replicas for hashring_coordinator::HashRing<u32> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        self.get(&key).try_into().unwrap_or([u32::MAX; REPLICAS])
    }
}

impl Change for hashring_coordinator::HashRing<u32> {
    fn join(&mut self, mover: &Mover) {
        self.add(mover.number);
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove(&mover.number);
    }
}

/// 23 probes are its default.
/// 160 points a node is its constant. Its nodes are names: those of ours, so that it has the same points.
pub(super) fn ketama(nodes: u32) -> Box<dyn Fn() -> ketama::Ring> {
    let names: Vec<String> = (0..nodes).map(name).collect();
    Box::new(move || {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        ketama::Ring::build(&names)
    })
}

fn name(number: u32) -> String {
    node(number).id().as_str().to_owned()
}

impl Lookup for ketama::Ring {
    fn owner(&self, key: &[u8]) -> u32 {
        u32::try_from(self.route(key)).unwrap_or(u32::MAX)
    }
}

/// A node of `conhash`, which asks for its name when it joins and leaves.
#[derive(Clone)]
pub(super) struct Named(u32);

impl conhash::Node for Named {
    fn name(&self) -> String {
        name(self.0)
    }
}

pub(super) fn conhash(nodes: u32) -> Box<dyn Fn() -> conhash::ConsistentHash<Named>> {
    Box::new(move || {
        let mut ring = conhash::ConsistentHash::new();
        (0..nodes).for_each(|node| ring.add(&Named(node), POINTS_USIZE));
        ring
    })
}

impl Lookup for conhash::ConsistentHash<Named> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.get(key).map_or(u32::MAX, |node| node.0)
    }
}

impl Change for conhash::ConsistentHash<Named> {
    fn join(&mut self, mover: &Mover) {
        self.add(&Named(mover.number), POINTS_USIZE);
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove(&Named(mover.number));
    }
}

pub(super) fn mpchash(nodes: u32) -> Box<dyn Fn() -> mpchash::HashRing<u32>> {
    Box::new(move || {
        let ring = mpchash::HashRing::new();
        (0..nodes).for_each(|node| ring.add(node));
        ring
    })
}

impl Lookup for mpchash::HashRing<u32> {
    fn owner(&self, key: &[u8]) -> u32 {
        self.node(&key).map_or(u32::MAX, |token| *token.node())
    }
}

impl Replicas for mpchash::HashRing<u32> {
    fn replicas(&self, key: &[u8]) -> [u32; REPLICAS] {
        let found = Self::replicas(self, &key, REPLICAS);
        let mut nodes = found.iter().map(|token| *token.node());
        [(); REPLICAS].map(|()| nodes.next().unwrap_or(u32::MAX))
    }
}

impl Change for mpchash::HashRing<u32> {
    fn join(&mut self, mover: &Mover) {
        self.add(mover.number);
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove(&mover.number);
    }
}

/// The published number of probes, as ours.
const PROBES: u64 = 21;

pub(super) fn hash_rings_mpc(nodes: u32) -> Box<dyn Fn() -> mpc::Ring<'static, u32, Sip>> {
    Box::new(move || {
        let mut ring = mpc::Ring::with_hasher(Sip::default(), PROBES);
        (0..nodes).for_each(|node| ring.insert_node(borrowed(node)));
        ring
    })
}

impl Lookup for mpc::Ring<'static, u32, Sip> {
    fn owner(&self, key: &[u8]) -> u32 {
        *self.get_node(&key)
    }
}

impl Change for mpc::Ring<'static, u32, Sip> {
    fn join(&mut self, mover: &Mover) {
        self.insert_node(borrowed(mover.number));
    }

    fn leave(&mut self, mover: &Mover) {
        self.remove_node(&mover.number);
    }
}
