//! The keys and the fleets.

use std::sync::OnceLock;

use keyroute_core::{Node, RouteError};

/// How many distinct keys there are: 2^20.
pub const KEYS: usize = 1 << 20;

/// How many keys one timed iteration routes. Iterations take the blocks in turn, so that all keys come
/// by before one returns.
pub const BLOCK: usize = 1 << 10;

/// The sizes of the fleets whose lookups are measured, in nodes.
pub const SIZES: [u32; 5] = [3, 10, 100, 1_000, 10_000];

/// The sizes of the fleets whose construction and changes are measured, in nodes.
pub const CHANGE_SIZES: [u32; 2] = [100, 1_000];

/// Points of a node in every ring, ours and others'.
pub const POINTS: u32 = keyroute_core::DEFAULT_POINTS_PER_WEIGHT;

/// All keys: text of 16 to 24 bytes, about as many of each length.
///
/// They come in an order that has nothing to do with their text or their hashes, so consecutive
/// lookups fall on unrelated places of a ring. Their bytes lie in memory in this order: reading a key
/// costs what it costs a server that has just received it.
pub fn keys() -> &'static [&'static [u8]] {
    static KEYS_MADE: OnceLock<Vec<&'static [u8]>> = OnceLock::new();
    KEYS_MADE.get_or_init(make_keys)
}

fn make_keys() -> Vec<&'static [u8]> {
    let mut text = String::with_capacity(KEYS * 24);
    let mut ends = Vec::with_capacity(KEYS);
    for index in 0..KEYS as u64 {
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
///
/// # Errors
///
/// None in practice: the ids are distinct and short.
pub fn fleet(nodes: u32) -> Result<Vec<Node>, RouteError> {
    (0..nodes).map(node).collect()
}

/// The node with this number.
///
/// # Errors
///
/// None in practice: its id is short.
pub fn node(number: u32) -> Result<Node, RouteError> {
    Node::new(format!("cache-{number}"))
}

/// Gives the blocks of keys in turn, for ever.
#[derive(Debug, Default)]
pub struct Blocks {
    next: usize,
}

impl Blocks {
    /// The next [`BLOCK`] keys.
    pub fn next_block(&mut self) -> &'static [&'static [u8]] {
        let start = self.next;
        self.next = (start + BLOCK) % KEYS;
        &keys()[start..start + BLOCK]
    }
}
