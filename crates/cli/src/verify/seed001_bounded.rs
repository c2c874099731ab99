//! `seed001-bounded`: the article's `RouteBounded`, over the ring of `seed001-ring`.

use keyroute::Scheme;
use keyroute_interop::seeds::RouteBounded;
use serde_json::{Value, json};

use super::document::{Document, Key, Op};
use super::labelled_ring::shared_points;
use super::replay::System;
use super::report::Unusable;
use super::seed001_ring;
use crate::hashes::NamedHash;

struct Bounded(RouteBounded<NamedHash<u32>>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    if !document.stateful {
        return Err(Unusable::new(
            "loads depend on the cases before: \"stateful\" must be true",
        ));
    }
    let epsilon = document.config.take("epsilon");
    let epsilon = document.config.required("epsilon", epsilon)?;
    let epsilon = epsilon
        .as_f64()
        .ok_or_else(|| Unusable(format!("epsilon is {epsilon}: give a number")))?;
    let (hash, vnodes, names) = seed001_ring::ring(document)?;
    let ring = RouteBounded::new(hash, vnodes, names, epsilon)?;
    Ok(Box::new(Bounded(ring)))
}

impl System for Bounded {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        seed001_ring::apply(self.0.ring_mut(), op)
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        if self.0.ring().members().is_empty() {
            return Err(Unusable::new(
                "there is no node: the original divides by zero",
            ));
        }
        Ok(self.0.route_bounded(key.bytes()?)?.as_str().into())
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        let ring = self.0.ring();
        Ok(match name {
            "final_load" => {
                let loads = self
                    .0
                    .loads()
                    .map(|(id, load)| (id.to_string(), json!(load)));
                Some(Value::Object(loads.collect()))
            }
            "final_total" => Some(self.0.total().into()),
            "points_shared_by_two_nodes" => {
                let points = ring.scheme().fleet_points(ring.members())?;
                Some(shared_points(points).len().into())
            }
            _ => None,
        })
    }
}
