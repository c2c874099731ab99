//! `seed001-ring`: the article's ring, labels `{node}#{i}`.
//!
//! The node added last owns an equal point. Every point is kept, so removing that node gives the point
//! to the other; the original takes the point from both.

use keyroute::LastListed;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::{LabelledRing, hash_of};
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

pub(crate) type ArticleRing = LabelledRing<NamedHash<u32>, LastListed>;

/// The ring that `config` and `nodes` say, which the bounded system shares.
pub(crate) fn ring(document: &mut Document) -> Result<ArticleRing, Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{node}#{i}")?;
    let vnodes = config.whole("vnodes")?;
    let mut ring = ArticleRing::new("{node}#{i}", hash, config.required("vnodes", vnodes)?)?;
    for node in &document.nodes {
        add(&mut ring, node.unweighted()?)?;
    }
    Ok(ring)
}

/// Adding a present node and removing an absent one do nothing.
pub(crate) fn apply(ring: &mut ArticleRing, op: &Op) -> Result<(), Unusable> {
    match op {
        Op::Add(name) => add(ring, name),
        Op::Remove(name) => ring.remove(name).map(drop),
        other => Err(unknown_op(other, "add and remove")),
    }
}

fn add(ring: &mut ArticleRing, name: &str) -> Result<(), Unusable> {
    if ring.contains(name) {
        return Ok(());
    }
    ring.add(name)
}

struct Ring(ArticleRing);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    Ok(Box::new(Ring(ring(document)?)))
}

impl System for Ring {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        apply(&mut self.0, op)
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(self.0.owner(key.bytes()?))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        match name {
            // The original's list keeps both copies of an equal point.
            "points" => Ok(Some(self.0.points().into())),
            _ => self.0.fact(name),
        }
    }
}
