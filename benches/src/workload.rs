//! The keys and the fleets.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use keyroute_core::{Node, Weight};

/// How many distinct keys there are: 2^20.
pub const KEYS: usize = 1 << 20;

/// The most keys of one batch.
pub const BATCH: usize = 1 << 10;

/// The sizes of the fleets whose lookups are measured, in nodes.
pub const SIZES: [u32; 5] = [3, 10, 100, 1_000, 10_000];

/// Points of a node in every ring, ours and others'.
pub const POINTS: u32 = keyroute_core::DEFAULT_POINTS_PER_WEIGHT;

/// All keys: text of 16 to 24 bytes, about as many of each length.
///
/// They come in an order that has nothing to do with their text or their hashes, so consecutive
/// lookups fall on unrelated places of a ring. Their bytes lie in memory in this order: reading a key
/// costs what it costs a server that has just received it.
pub fn keys() -> &'static [&'static [u8]] {
    static KEYS_MADE: OnceLock<Vec<&'static [u8]>> = OnceLock::new();
    KEYS_MADE.get_or_init(|| first_keys(KEYS))
}

/// The first so many of all keys, made anew.
#[must_use]
pub fn first_keys(count: usize) -> Vec<&'static [u8]> {
    let mut text = String::with_capacity(count * 24);
    let mut ends = Vec::with_capacity(count);
    for index in 0..count as u64 {
        text.push_str(&key(index));
        ends.push(text.len());
    }
    // They serve to the end of the process.
    let text: &'static [u8] = text.leak().as_bytes();
    let mut start = 0;
    ends.into_iter()
        .map(|end| &text[std::mem::replace(&mut start, end)..end])
        .collect()
}

/// The key with this index: the tail of a prefix, and 16 hex digits that no other key has.
fn key(index: u64) -> String {
    let prefix = "session:";
    let digits = scramble(index);
    let skipped = prefix.len() - (scramble(digits) % 9) as usize; // 0 to 8
    format!("{}{digits:016x}", &prefix[skipped..])
}

/// A permutation of the 64-bit numbers: SplitMix64 (Steele, Lea and Flood, 2014).
fn scramble(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The fleet of this many nodes, all of weight 1; slot i holds [`node`]`(i)`.
#[must_use]
pub fn fleet(nodes: u32) -> Vec<Node> {
    (0..nodes).map(node).collect()
}

/// The same nodes, each with its [`weight`].
///
/// # Panics
///
/// Never: weights are small.
#[must_use]
pub fn weighted_fleet(nodes: u32) -> Vec<Node> {
    let weighted = |number| {
        let weight = Weight::new(weight(number)).expect("a small weight");
        node(number).with_weight(weight)
    };
    (0..nodes).map(weighted).collect()
}

/// A tenth of the numbers below this one, about, drawn by chance.
#[must_use]
pub fn leavers(nodes: u32) -> BTreeSet<u32> {
    let drawn = |&number: &u32| scramble(number.into()).is_multiple_of(10);
    (0..nodes).filter(drawn).collect()
}

/// The weight of the node with this number, where nodes have weights: 1, 2 or 3.
#[must_use]
pub fn weight(number: u32) -> u32 {
    number % 3 + 1
}

/// The node with this number.
///
/// # Panics
///
/// Never: its id is short.
#[must_use]
pub fn node(number: u32) -> Node {
    Node::new(format!("cache-{number}")).expect("a short id")
}

/// Gives all keys in turn, for ever.
#[derive(Debug, Default)]
pub struct Turns {
    next: usize,
}

impl Turns {
    /// The next so many keys, at most all. The last of a round are left out where too few are left.
    pub fn take(&mut self, count: usize) -> &'static [&'static [u8]] {
        if self.next + count > KEYS {
            self.next = 0;
        }
        let start = self.next;
        self.next += count;
        &keys()[start..self.next]
    }
}
