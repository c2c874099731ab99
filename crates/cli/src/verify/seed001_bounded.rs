//! `seed001-bounded`: the article's `RouteBounded`, over the ring of `seed001-ring`.
//!
//! The capacity is our [`TruncatedAverage`]. Loads only grow: a removed node keeps its load, which stays in
//! the total, and resumes it when it returns. Our `Bounded` forgets a node that leaves, so the loads are
//! kept here.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use keyroute::{CapacityRule, Demand, TruncatedAverage, Walk};
use serde_json::{Value, json};

use super::document::{Document, Key, Op};
use super::replay::System;
use super::report::Unusable;
use super::seed001_ring::{self, ArticleRing};

struct Bounded {
    ring: ArticleRing,
    rule: TruncatedAverage,
    loads: BTreeMap<String, u64>,
    total: u64,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    if !document.stateful {
        return Err(Unusable::new(
            "loads depend on the cases before: \"stateful\" must be true",
        ));
    }
    let ring = seed001_ring::ring(document)?;
    let config = &mut document.config;
    let epsilon = config.take("epsilon");
    let epsilon = config.required("epsilon", epsilon)?;
    let epsilon = epsilon
        .as_f64()
        .ok_or_else(|| Unusable(format!("epsilon is {epsilon}: give a number")))?;
    Ok(Box::new(Bounded {
        ring,
        rule: TruncatedAverage::new(epsilon)?,
        loads: BTreeMap::new(),
        total: 0,
    }))
}

impl Bounded {
    fn held(&self, name: &str) -> u64 {
        self.loads.get(name).copied().unwrap_or(0)
    }
}

impl System for Bounded {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        seed001_ring::apply(&mut self.ring, op)
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        let members = self.ring.members();
        if members.is_empty() {
            return Err(Unusable::new(
                "there is no node: the original divides by zero",
            ));
        }
        let nodes = members.len() as u64;
        let capacity = self
            .rule
            .capacity(&Demand::new(self.total, nodes, 1, nodes));
        let mut taker = None;
        self.ring.ring().walk(key, &mut |slot| {
            let name = members.get(slot).map(|node| node.id().to_string());
            match name.filter(|name| self.held(name) < capacity) {
                None => ControlFlow::Continue(()),
                found => {
                    taker = found;
                    ControlFlow::Break(())
                }
            }
        });
        Ok(match taker {
            Some(name) => {
                *self.loads.entry(name.clone()).or_default() += 1;
                self.total += 1;
                name.into()
            }
            // Some node always holds less than the rule gives: loads of nodes that left only raise it.
            None => return Err(Unusable::new("no node has room, which the rule excludes")),
        })
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        Ok(match name {
            "final_load" => Some(json!(self.loads)),
            "final_total" => Some(self.total.into()),
            _ => return self.ring.fact(name),
        })
    }
}
