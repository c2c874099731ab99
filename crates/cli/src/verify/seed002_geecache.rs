//! `seed002-geecache`: the article's map, labels `{i}{node}`.
//!
//! The label is ambiguous where names begin with a digit; the node added last owns an equal point, and
//! all points are kept. Nothing can be removed.

use keyroute::LastListed;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::{LabelledRing, hash_of};
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

struct Geecache {
    ring: LabelledRing<NamedHash<u32>, LastListed>,
    replicas: u32,
    /// The original's list: a node added again doubles its entries.
    entries: u64,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{i}{node}")?;
    let replicas = config.whole("replicas")?;
    let replicas = config.required("replicas", replicas)?;
    let mut system = Geecache {
        ring: LabelledRing::new("{i}{node}", hash, replicas)?,
        replicas,
        entries: 0,
    };
    for node in &document.nodes {
        system.add(node.unweighted()?)?;
    }
    Ok(Box::new(system))
}

impl Geecache {
    /// A node that is present takes over equal points, as the last added.
    fn add(&mut self, name: &str) -> Result<(), Unusable> {
        self.ring.remove(name)?;
        self.ring.add(name)?;
        self.entries += u64::from(self.replicas);
        Ok(())
    }
}

impl System for Geecache {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => self.add(name),
            other => Err(unknown_op(other, "add")),
        }
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(self.ring.owner(key.bytes()?))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        match name {
            "ring_entries" => Ok(Some(self.entries.into())),
            _ => self.ring.fact(name),
        }
    }
}
