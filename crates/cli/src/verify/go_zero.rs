//! `go-zero`: a ring in Go whose shared points are contended for.

use keyroute::Router;
use keyroute_interop::GoZero;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::name_of;
use super::named_nodes::names;
use super::replay::{System, unknown_op};
use super::report::Unusable;

struct Ring(GoZero);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "murmur3-x64-128 first 64 bits, seed 0")?;
    config.only("label", "{node}{i}")?;
    let replicas = config.whole("replicas")?.unwrap_or(GoZero::MIN_REPLICAS);
    let mut ring = GoZero::new(replicas)?;
    for name in names(document)? {
        ring.add(name)?;
    }
    Ok(Box::new(Ring(ring)))
}

impl System for Ring {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        // More than there can be is cut to the ring's replicas, as any number over them.
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        match op {
            Op::Add(name) => self.0.add(name)?,
            Op::AddReplicas(name, replicas) => self.0.add_with_replicas(name, number(*replicas))?,
            Op::AddWeighted(name, weight) => self.0.add_with_weight(name, number(*weight))?,
            Op::Remove(name) => drop(self.0.remove(name)),
            other => return Err(unknown_op(other, "add, add_r, add_w and remove")),
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(name_of(self.0.members(), self.0.route(key.bytes()?)))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        let shared = || self.0.points().filter(|(_, nodes)| nodes.len() > 1).count();
        Ok((name == "points_shared_by_two_nodes").then(|| shared().into()))
    }
}
