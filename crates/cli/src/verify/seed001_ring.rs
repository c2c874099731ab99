//! `seed001-ring`: the article's ring.

use keyroute::{PointScheme, VectorRing};
use keyroute_interop::seeds::ArticleRing;
use serde_json::Value;

use super::document::{Document, Key, Op};
use super::labelled_ring::{LabelledRing, add_new, hash_of, remove_present};
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

/// What `config` and `nodes` say, which the bounded system shares: hash, points and names, each once.
pub(crate) fn ring(document: &mut Document) -> Result<(NamedHash<u32>, u32, Vec<&str>), Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{node}#{i}")?;
    let vnodes = config.whole("vnodes")?;
    let vnodes = config.required("vnodes", vnodes)?;
    let mut names: Vec<&str> = Vec::new();
    for node in &document.nodes {
        let name = node.unweighted()?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok((hash, vnodes, names))
}

/// Adding a present node and removing an absent one do nothing.
pub(crate) fn apply<S: PointScheme>(ring: &mut VectorRing<S>, op: &Op) -> Result<(), Unusable> {
    match op {
        Op::Add(name) => add_new(ring, name),
        Op::Remove(name) => remove_present(ring, name).map(drop),
        other => Err(unknown_op(other, "add and remove")),
    }
}

struct Ring(LabelledRing<ArticleRing<NamedHash<u32>>>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let (hash, vnodes, names) = ring(document)?;
    let ring = ArticleRing::ring(hash, vnodes, names)?;
    Ok(Box::new(Ring(LabelledRing(ring))))
}

impl System for Ring {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        apply(&mut self.0.0, op)
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
