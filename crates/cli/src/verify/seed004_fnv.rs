//! `seed004-fnv`: the C++ article's ring.

use std::collections::BTreeSet;

use keyroute_interop::seeds::{CppRing, Seed004Fnv};
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::LabelledRing;
use super::replay::{System, unknown_op};
use super::report::Unusable;

struct Cpp(LabelledRing<CppRing>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "fnv1-style with final avalanche, signed char")?;
    config.only("label", "{node}#VN{i}")?;
    let vnodes = config.whole("vnodes")?;
    let vnodes = config.required("vnodes", vnodes)?;
    let mut system = Cpp(LabelledRing::new(CppRing::new(Seed004Fnv, vnodes)?));
    // The original holds its first nodes in a sorted set.
    let names: Result<BTreeSet<_>, _> = document
        .nodes
        .iter()
        .map(super::document::Listed::unweighted)
        .collect();
    for name in names? {
        system.0.add(name)?;
    }
    Ok(Box::new(system))
}

impl System for Cpp {
    /// Adding a present node and removing an absent one do nothing.
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => self.0.add_new(name),
            Op::Remove(name) => self.0.remove(name).map(drop),
            other => Err(unknown_op(other, "add and remove")),
        }
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(self.0.owner(key.bytes()?))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        match name {
            // The original's map holds a position once.
            "points" => self.0.fact("distinct_points"),
            _ => self.0.fact(name),
        }
    }
}
