//! `seed004-fnv-hash`: the C++ article's hash function, [`Seed004Fnv`], as values.

use keyroute::KeyHasher;
use serde_json::Value;

use super::bucket_functions::no_nodes;
use super::document::{Document, Key};
use super::replay::System;
use super::report::Unusable;

/// The hash of the C++ article, 32 bits: `seed004-fnv`.
///
/// FNV-1a's order (xor, then multiply) over *signed* chars, then an avalanche of its own; it matches
/// no standard FNV. A byte from 0x80 on flips the upper 24 bits too, on every target: a build of the
/// original with unsigned chars hashes such bytes otherwise.
///
/// ```
/// use keyroute::KeyHasher;
/// use keyroute_cli::verify::Seed004Fnv;
///
/// assert_eq!(Seed004Fnv.hash(b"abc"), 33_957_123);
/// assert_eq!(Seed004Fnv.hash("é".as_bytes()), 1_254_762_382);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed004Fnv;

impl KeyHasher for Seed004Fnv {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        let mut hash = bytes.iter().fold(0x811c_9dc5u32, |hash, &byte| {
            let widened = i32::from(byte.cast_signed()).cast_unsigned();
            (hash ^ widened).wrapping_mul(0x0100_0193)
        });
        hash = hash.wrapping_add(hash << 13);
        hash ^= hash >> 7;
        hash = hash.wrapping_add(hash << 3);
        hash ^= hash >> 17;
        hash.wrapping_add(hash << 5)
    }

    fn name(&self) -> Option<String> {
        Some("seed004-fnv".into())
    }
}

/// A system whose answers are hash values.
pub(crate) struct Values<H>(pub(crate) H);

impl<H: KeyHasher<Out = u32>> System for Values<H> {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(self.0.hash(key.bytes()?).into())
    }
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    no_nodes(document)?;
    document.config.only("output", "u32")?;
    Ok(Box::new(Values(Seed004Fnv)))
}
