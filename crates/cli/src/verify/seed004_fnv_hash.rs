//! `seed004-fnv-hash`: the C++ article's hash function as values.

use keyroute::KeyHasher;
use keyroute_interop::seeds::Seed004Fnv;
use serde_json::Value;

use super::bucket_functions::no_nodes;
use super::document::{Document, Key};
use super::replay::System;
use super::report::Unusable;

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
