//! `hashring-rs`: the crate's ring, filled with one kind of value or another.

use keyroute::{Node, VectorRing, Weight};
use keyroute_interop::{Hashring, HashringValue};
use serde_json::{Value, json};

use super::document::{Document, Key};
use super::labelled_ring::{name_of, names_of};
use super::replay::System;
use super::report::Unusable;

struct Ring(VectorRing<Hashring>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    not_listed(document)?;
    let config = &mut document.config;
    config.only("algorithm", "hashring crate")?;
    config.only("hash", "SipHash-2-4, keys 0 and 0, 64 bit")?;
    config.only("key_type", "&str")?;
    let value = match config.text("node_type")?.as_deref() {
        Some("HashRing<String>: one point per node") => HashringValue::Text,
        Some("struct {id: usize, name: String}, ids 0..weight") => HashringValue::NumberedText,
        Some("HashRing<SocketAddr>: one point per node") => HashringValue::Address,
        Some("struct {id: usize, addr: SocketAddr}, ids 0..weight") => {
            HashringValue::NumberedAddress
        }
        other => return Err(Unusable(format!("unknown node_type {other:?}"))),
    };
    let nodes: Result<Vec<Node>, Unusable> = document
        .nodes
        .iter()
        .map(|node| {
            let weight = Weight::new(node.weight.unwrap_or(1))?;
            Ok(Node::new(&node.name)?.with_weight(weight))
        })
        .collect();
    Ok(Box::new(Ring(Hashring::ring(value, nodes?)?)))
}

/// Takes `removed`: nodes that were added and left again, which these rings forget. `nodes` are those that
/// are left.
pub(crate) fn not_listed(document: &mut Document) -> Result<(), Unusable> {
    for name in document.config.list("removed")? {
        let listed = document.nodes.iter().any(|node| name == node.name.as_str());
        if listed || !name.is_string() {
            return Err(Unusable(format!(
                "{name} is not the name of a node that left"
            )));
        }
    }
    Ok(())
}

/// Answers to the keys of `[[key, answers], …]`, each as many as were recorded.
pub(crate) fn asked_again(
    recorded: &Value,
    answer: impl Fn(&[u8], usize) -> Result<Value, Unusable>,
) -> Result<Option<Value>, Unusable> {
    let malformed = || Unusable(format!("not [[key, [answer, …]], …]: {recorded}"));
    let row = |row: &Value| -> Result<Value, Unusable> {
        let key = row.get(0).and_then(Value::as_str).ok_or_else(malformed)?;
        let answers = row.get(1).and_then(Value::as_array).ok_or_else(malformed)?;
        Ok(json!([key, answer(key.as_bytes(), answers.len())?]))
    };
    let rows = recorded.as_array().ok_or_else(malformed)?.iter().map(row);
    Ok(Some(rows.collect::<Result<Vec<_>, _>>()?.into()))
}

impl System for Ring {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(name_of(self.0.members(), self.0.route(key.bytes()?)))
    }

    fn told(&self, name: &str, recorded: &Value) -> Result<Option<Value>, Unusable> {
        let replicas = name.strip_prefix("get_with_replicas_");
        let Some(replicas) = replicas.and_then(|replicas| replicas.parse().ok()) else {
            return Ok(None);
        };
        asked_again(recorded, |key, _| {
            let slots = Hashring::get_with_replicas(&self.0, key, replicas);
            Ok(names_of(self.0.members(), slots))
        })
    }
}
