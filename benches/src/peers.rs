//! Rings of other crates, with as many points a node as ours.
//!
//! Each places keys by a rule and a hash of its own, so their answers differ from ours and are
//! recorded apart. The hashing is part of what is measured: users cannot leave it out.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use hashring::HashRing;
use pingora_ketama::{Bucket, Continuum};

use crate::expected::check;
use crate::workload::POINTS;

/// One of a node's points in the `hashring` crate, which has no notion of a node with many.
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
pub struct Point {
    /// The node's number.
    pub node: u32,
    /// The point's index.
    pub index: u32,
}

/// The points of the node with this number.
pub fn points(node: u32) -> impl Iterator<Item = Point> {
    (0..POINTS).map(move |index| Point { node, index })
}

/// The `hashring` crate's ring over this many nodes.
///
/// # Panics
///
/// If its answers are not the recorded ones.
#[must_use]
pub fn hashring(nodes: u32) -> HashRing<Point> {
    let ring = build_hashring(nodes);
    check("hashring", nodes, |key| hashring_owner(&ring, key));
    ring
}

/// The same, unchecked: for timing its construction.
#[must_use]
pub fn build_hashring(nodes: u32) -> HashRing<Point> {
    let mut ring = HashRing::new();
    ring.batch_add((0..nodes).flat_map(points).collect());
    ring
}

/// The number of the node that owns this key.
#[must_use]
pub fn hashring_owner(ring: &HashRing<Point>, key: &[u8]) -> u32 {
    ring.get(&key).map_or(u32::MAX, |point| point.node)
}

/// The `pingora-ketama` crate's ring over this many nodes: 160 points a node is its constant.
///
/// # Panics
///
/// If its answers are not the recorded ones.
#[must_use]
pub fn pingora_ketama(nodes: u32) -> Continuum {
    let ring = Continuum::new(&buckets(nodes));
    check("pingora-ketama", nodes, |key| pingora_owner(&ring, key));
    ring
}

/// Its list of this many nodes.
#[must_use]
pub fn buckets(nodes: u32) -> Vec<Bucket> {
    (0..nodes)
        .map(|node| Bucket::new(SocketAddr::new(IpAddr::V4(address(node)), 11211), 1))
        .collect()
}

/// The number of the node that owns this key.
#[must_use]
pub fn pingora_owner(ring: &Continuum, key: &[u8]) -> u32 {
    ring.node(key).map_or(u32::MAX, number)
}

/// 10.0.0.0 and up: a node here is its address.
fn address(node: u32) -> Ipv4Addr {
    Ipv4Addr::from_bits(FIRST + node)
}

/// The number of the node at this address.
#[must_use]
pub fn number(address: SocketAddr) -> u32 {
    match address.ip() {
        IpAddr::V4(address) => address.to_bits().wrapping_sub(FIRST),
        IpAddr::V6(_) => u32::MAX,
    }
}

const FIRST: u32 = 10 << 24;
