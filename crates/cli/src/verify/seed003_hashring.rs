//! `seed003-hashring`: the key–value article's ring.

use std::collections::BTreeMap;

use keyroute_interop::seeds::HashRing;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::{LabelledRing, hash_of};
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

struct Hashring {
    ring: LabelledRing<HashRing<NamedHash<u32>>>,
    vnodes: u32,
    /// How often each node was added: each time the original appends its entries.
    added: BTreeMap<String, u64>,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{id}-{i}")?;
    let vnodes = config
        .whole("vnodes")?
        .unwrap_or(HashRing::<NamedHash<u32>>::POINTS);
    let mut system = Hashring {
        ring: LabelledRing::new(HashRing::new(hash, vnodes)?),
        vnodes,
        added: BTreeMap::new(),
    };
    for node in &document.nodes {
        system.add(node.unweighted()?)?;
    }
    Ok(Box::new(system))
}

impl Hashring {
    fn add(&mut self, name: &str) -> Result<(), Unusable> {
        self.ring.add_new(name)?;
        *self.added.entry(name.into()).or_default() += 1;
        Ok(())
    }
}

impl System for Hashring {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => self.add(name),
            Op::Remove(name) => {
                // All entries of the id, however many.
                self.added.remove(name);
                self.ring.remove(name).map(drop)
            }
            other => Err(unknown_op(other, "add and remove")),
        }
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(self.ring.owner(key.bytes()?))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        match name {
            "virtual_nodes" => {
                let added: u64 = self.added.values().sum();
                Ok(Some((added * u64::from(self.vnodes)).into()))
            }
            _ => self.ring.fact(name),
        }
    }
}
