//! `seed002-geecache` and `groupcache`: maps to which nodes can be added, and added again.

use keyroute::PointScheme;
use keyroute_interop::Groupcache;
use keyroute_interop::seeds::Geecache;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::{LabelledRing, hash_of};
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

struct Map<S: PointScheme> {
    ring: LabelledRing<S>,
    replicas: u32,
    /// The original's list: a node added again doubles its entries.
    entries: u64,
}

pub(crate) fn geecache(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    set_up(document, |hash, replicas| {
        Ok(Geecache::new(hash, replicas)?)
    })
}

pub(crate) fn groupcache(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    set_up(document, |hash, replicas| {
        Ok(Groupcache::new(hash, replicas)?)
    })
}

fn set_up<S: PointScheme + 'static>(
    document: &mut Document,
    scheme: impl FnOnce(NamedHash<u32>, u32) -> Result<S, Unusable>,
) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{i}{node}")?;
    let replicas = config.whole("replicas")?;
    let replicas = config.required("replicas", replicas)?;
    let mut map = Map {
        ring: LabelledRing::new(scheme(hash, replicas)?),
        replicas,
        entries: 0,
    };
    for node in &document.nodes {
        map.add(node.unweighted()?)?;
    }
    Ok(Box::new(map))
}

impl<S: PointScheme> Map<S> {
    fn add(&mut self, name: &str) -> Result<(), Unusable> {
        self.ring.add_last(name)?;
        self.entries += u64::from(self.replicas);
        Ok(())
    }
}

impl<S: PointScheme> System for Map<S> {
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
