//! `pecl-memcache`: both hash strategies.

use keyroute::{Node, NodeId};
use keyroute_interop::pecl_memcache::{ConsistentRule, KeyHash, StandardRule, server_name};

use super::client_ring::{ClientList, Servers, host_and_port};
use super::document::{Document, Listed};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let servers = Servers::read(document, id)?;
    let config = &mut document.config;
    config.harmless("key_preparation"); // says in words what the preset does
    let mut key_hash = match config.text("hash_function")? {
        Some(name) => KeyHash::named(&name)?,
        None => KeyHash::default(),
    };
    if let Some(prefix) = config.text("key_prefix")? {
        key_hash = key_hash.with_prefix(&prefix);
    }
    Ok(match config.text("hash_strategy")?.as_deref() {
        None | Some("consistent") => {
            Box::new(ClientList::new(ConsistentRule::new(key_hash), servers)?)
        }
        Some("standard") => Box::new(ClientList::new(StandardRule::new(key_hash), servers)?),
        Some(other) => {
            return Err(Unusable(format!(
                "unknown hash_strategy {other:?}: consistent or standard"
            )));
        }
    })
}

fn id(listed: &mut Listed) -> Result<NodeId, Unusable> {
    let (host, port) = host_and_port(&mut listed.more, "addr")?;
    Ok(Node::new(server_name(&host, port))?.id().clone())
}
