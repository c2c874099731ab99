//! [`ClientRing`] and [`ClientList`]: memcached clients, whose files name a server otherwise than they hash it.

use std::collections::BTreeMap;

use keyroute::{Node, NodeId, Position, RouteDigest, Router, Scheme, Slot, VectorRing, Weight};
use keyroute_interop::{SlotList, SlotRule};
use serde_json::{Value, json};

use super::document::{Document, Key, Listed};
use super::fields::Fields;
use super::replay::System;
use super::report::Unusable;
use super::ring_system::points;

/// The servers of a file: the nodes of a preset, and what the file calls them.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    pub(crate) nodes: Vec<Node>,
    names: BTreeMap<String, String>,
}

impl Servers {
    /// Reads each server; `id` says under which id, and takes what else the file says of it.
    pub(crate) fn read(
        document: &mut Document,
        mut id: impl FnMut(&mut Listed) -> Result<NodeId, Unusable>,
    ) -> Result<Self, Unusable> {
        let mut servers = Self::default();
        for listed in &mut document.nodes {
            let id = id(listed)?;
            let weight = Weight::new(listed.weight.unwrap_or(1))?;
            servers
                .nodes
                .push(Node::new(id.as_str())?.with_weight(weight));
            servers.names.insert(id.to_string(), listed.name.clone());
        }
        Ok(servers)
    }
}

/// Gives servers of weight 0 the weight 1, as systems do that take it so.
pub(crate) fn zero_is_one(document: &mut Document) {
    for listed in &mut document.nodes {
        listed.weight = listed.weight.map(|weight| weight.max(1));
    }
}

/// Takes the names of nodes that left before the file lists those that stayed.
pub(crate) fn removed(document: &mut Document, name: &str) -> Result<(), Unusable> {
    let gone = match document.config.take(name) {
        None => return Ok(()),
        Some(Value::Array(gone)) => gone,
        Some(gone) => vec![gone],
    };
    let mut nodes = document.nodes.iter();
    match nodes.find(|node| gone.iter().any(|gone| *gone == *node.name)) {
        None => Ok(()),
        Some(node) => Err(Unusable(format!(
            "{:?} is in {name:?} and among the nodes",
            node.name
        ))),
    }
}

/// Takes a text or a null.
pub(crate) fn optional_text(fields: &mut Fields, name: &str) -> Result<Option<String>, Unusable> {
    match fields.take(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(Unusable(format!("{name:?} is {other}: a text or null"))),
    }
}

/// Takes true or false.
pub(crate) fn flag(fields: &mut Fields, name: &str) -> Result<bool, Unusable> {
    match fields.take(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(Unusable(format!("{name:?} is {other}: true or false"))),
    }
}

/// The host and port that a file says of a server.
pub(crate) fn host_and_port(fields: &mut Fields, host: &str) -> Result<(String, u16), Unusable> {
    let text = fields.text(host)?;
    let port = fields.whole("port")?;
    Ok((fields.required(host, text)?, fields.required("port", port)?))
}

/// How a ring dump shows a position that several points share.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shared {
    /// Each point with its own node.
    Each,
    /// Each point with the node that owns the position.
    EachOwners,
    /// One entry, with the node that owns the position.
    Once,
}

/// A client's ring.
pub(crate) struct ClientRing<S: Scheme> {
    ring: VectorRing<S>,
    names: BTreeMap<String, String>,
    shared: Shared,
}

impl<S: Scheme> ClientRing<S> {
    /// The ring of these servers.
    pub(crate) fn new(scheme: S, servers: Servers, shared: Shared) -> Result<Self, Unusable> {
        Ok(Self {
            ring: VectorRing::from_nodes_with(scheme, servers.nodes)?,
            names: servers.names,
            shared,
        })
    }
}

fn name_of(router: &impl Router, names: &BTreeMap<String, String>, slot: Option<Slot>) -> Value {
    let node = slot.and_then(|slot| router.members().get(slot));
    let name = node.and_then(|node| names.get(node.id().as_str()));
    name.map_or("", String::as_str).into()
}

impl<S: Scheme> System for ClientRing<S> {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let slot = self.ring.route(key.bytes()?);
        Ok(name_of(&self.ring, &self.names, slot))
    }

    fn points(&self) -> Result<Option<Vec<(u128, String)>>, Unusable> {
        let mut points = points(&self.ring)?;
        for (_, id) in &mut points {
            if let Some(name) = self.names.get(id) {
                id.clone_from(name);
            }
        }
        Ok(Some(points))
    }

    fn dump(&self) -> Result<Option<Vec<(u128, String)>>, Unusable> {
        let mut points = self.points()?.unwrap_or_default();
        match self.shared {
            Shared::Each => {}
            Shared::EachOwners => {
                for later in 1..points.len() {
                    if points[later - 1].0 == points[later].0 {
                        points[later].1 = points[later - 1].1.clone();
                    }
                }
            }
            Shared::Once => points.dedup_by_key(|(position, _)| *position),
        }
        Ok(Some(points))
    }

    fn locate(&self, key: &[u8]) -> Option<u128> {
        Some(self.ring.digest(key).value().widen())
    }
}

/// A client's list.
pub(crate) struct ClientList<R> {
    list: SlotList<R>,
    names: BTreeMap<String, String>,
}

impl<R: SlotRule> ClientList<R> {
    /// The list of these servers.
    pub(crate) fn new(rule: R, servers: Servers) -> Result<Self, Unusable> {
        Ok(Self {
            list: SlotList::new(rule, servers.nodes)?,
            names: servers.names,
        })
    }
}

impl<R: SlotRule> System for ClientList<R> {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let slot = self.list.route(key.bytes()?);
        Ok(name_of(&self.list, &self.names, slot))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        if name != "slots_first_64" {
            return Ok(None);
        }
        let entries = self.list.entries().iter().take(64);
        let owners = entries.map(|&slot| name_of(&self.list, &self.names, Some(slot)));
        Ok(Some(json!(owners.collect::<Vec<_>>())))
    }
}
