//! `seed000-reachcache`: the cache's ring. Empty names are skipped, the empty key has no owner.

use std::collections::BTreeSet;

use keyroute_interop::seeds::Reachcache as Points;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::{LabelledRing, hash_of};
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

struct Reachcache {
    ring: LabelledRing<Points<NamedHash<u32>>>,
    /// Nodes whose points the original holds more than once.
    repeated: BTreeSet<String>,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{node}-{i}")?;
    let replicas = config.whole("replicas")?.unwrap_or(50);
    let mut system = Reachcache {
        ring: LabelledRing::new(Points::new(hash, replicas)?),
        repeated: BTreeSet::new(),
    };
    for node in &document.nodes {
        system.add(node.unweighted()?)?;
    }
    Ok(Box::new(system))
}

impl Reachcache {
    /// Empty names are skipped. A node that is present takes over equal points, as the last added.
    fn add(&mut self, name: &str) -> Result<(), Unusable> {
        if name.is_empty() {
            return Ok(());
        }
        if self.ring.remove(name)? {
            self.repeated.insert(name.into());
        }
        self.ring.add(name)
    }
}

impl System for Reachcache {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => self.add(name),
            Op::Remove(name) if self.repeated.contains(name) => Err(Unusable(format!(
                "{name:?} was added twice and is removed: the original keeps points without an owner \
                 and panics"
            ))),
            // The original reports an absent node and changes nothing.
            Op::Remove(name) => self.ring.remove(name).map(drop),
            other => Err(unknown_op(other, "add and remove")),
        }
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        // The original answers the empty key with nobody.
        Ok(if key.is_empty() {
            "".into()
        } else {
            self.ring.owner(key)
        })
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        self.ring.fact(name)
    }
}
