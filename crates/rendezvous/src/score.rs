//! Scores: which node a key prefers to which.

use core::cmp::Ordering;

use keyroute_core::hash::mix64;
use keyroute_core::{KeyHasher, Node, Slot};

use crate::cost::cost;

/// What a score needs of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The hash of the id.
    pub(crate) hash: u64,
    pub(crate) weight: u32,
    pub(crate) slot: Slot,
}

impl Candidate {
    pub(crate) fn new<H: KeyHasher<Out = u64>>(hasher: &H, node: &Node, slot: Slot) -> Self {
        Self {
            hash: node_hash(hasher, node),
            weight: node.weight().get(),
            slot,
        }
    }

    /// The draw of this node for a key: uniform over 64 bits, a bijection of either hash. A linear
    /// combination would make two nodes' draws differ by a constant, and balance would go.
    pub(crate) fn draw(&self, digest: u64) -> u64 {
        mix64(digest ^ self.hash)
    }

    /// The score of this node for a key.
    pub(crate) fn score(&self, digest: u64) -> Score {
        let draw = self.draw(digest);
        Score {
            cost: cost(draw),
            weight: self.weight,
            draw,
        }
    }
}

/// The hash of a node's id: the bytes of the native scheme's point 0, so that no id's bytes are a
/// prefix of another's.
fn node_hash<H: KeyHasher<Out = u64>>(hasher: &H, node: &Node) -> u64 {
    let id = node.id().as_bytes();
    // MAX_ID_LEN is far below u32::MAX.
    let length = u32::try_from(id.len()).unwrap_or(u32::MAX);
    let mut bytes = alloc::vec::Vec::with_capacity(id.len() + 8);
    bytes.extend(length.to_le_bytes());
    bytes.extend(id);
    bytes.extend(0u32.to_le_bytes());
    hasher.hash(&bytes)
}

/// A node's score for a key. The greatest wins: the least cost for its weight, then the greater draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Score {
    cost: u128,
    weight: u32,
    draw: u64,
}

impl Score {
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        // cost ÷ weight, compared exactly: a cost has 70 bits, a weight 32.
        let theirs = other.cost * u128::from(self.weight);
        let mine = self.cost * u128::from(other.weight);
        theirs.cmp(&mine).then(self.draw.cmp(&other.draw))
    }
}
