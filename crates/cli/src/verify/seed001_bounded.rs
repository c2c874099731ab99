//! `seed001-bounded`: the article's `RouteBounded`, over the ring of `seed001-ring`.
//!
//! The capacity is trunc((total / n + 1) × (1 + ε)) with an integer division, in doubles, as the
//! original computes it. Loads only grow: a removed node keeps its load, which stays in the total, and
//! resumes it when it returns.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use keyroute::Walk;
use serde_json::{Value, json};

use super::document::{Document, Key, Op};
use super::replay::System;
use super::report::Unusable;
use super::seed001_ring::{self, ArticleRing};

struct Bounded {
    ring: ArticleRing,
    epsilon: f64,
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
        epsilon,
        loads: BTreeMap::new(),
        total: 0,
    }))
}

impl Bounded {
    /// The capacity of every node for the next key; below 1 nobody is admitted.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "the original's conversions; the range of the second is checked"
    )]
    fn capacity(&self, nodes: u64) -> i64 {
        let capacity = (self.total / nodes + 1) as f64 * (1.0 + self.epsilon);
        // Out of range the original's conversion gives the smallest number (x86-64).
        if capacity.abs() < 9.2e18 {
            capacity as i64
        } else {
            i64::MIN
        }
    }

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
        let capacity = self.capacity(members.len() as u64);
        let mut taker = None;
        self.ring.ring().walk(key, &mut |slot| {
            let name = members.get(slot).map(|node| node.id().to_string());
            let admits =
                |name: &String| i64::try_from(self.held(name)).is_ok_and(|held| held < capacity);
            match name.filter(admits) {
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
            // Nobody has room: the owner of the smallest point, and nothing is counted.
            None => self.ring.owner_at(0),
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
