//! `libmemcached`: modula, ketama, weighted ketama and spy, as its behaviours leave them; and
//! `libmemcached-hash`: its hashes alone.

use keyroute::{KeyHasher, Node, NodeId};
use keyroute_interop::libmemcached::{Continuum, KeyHash, ModulaRule, sort_hosts};
use serde_json::Value;

use super::client_ring::{
    ClientList, ClientRing, Servers, Shared, flag, host_and_port, zero_is_one,
};
use super::document::{Document, Key, Listed};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    zero_is_one(document);
    let mut servers = Servers::read(document, id)?;
    let config = &mut document.config;
    let distribution = config.text("distribution")?;
    let distribution = config.required("distribution", distribution)?;
    let weighted = flag(config, "weighted")?;
    let key_hash = config.text("key_hash")?;
    let mut key_hash = KeyHash::named(&config.required("key_hash", key_hash)?)?;
    let point_hash = match config.text("point_hash")? {
        Some(name) => KeyHash::named(&name)?.hash_function(),
        None => key_hash.hash_function(),
    };
    if let Some(prefix) = config.text("hashed_prefix")? {
        key_hash = key_hash.with_prefix(&prefix)?;
    }
    // What the calls come to is said beside them, but for the order of servers.
    let calls = config.list("upstream_calls")?;
    let sorts = flag(config, "sort_hosts")?;
    if sorts || calls.iter().any(|call| call == "SORT_HOSTS=1") {
        sort_hosts(&mut servers.nodes)?;
    }
    let continuum = match distribution.as_str() {
        "modula" => {
            return Ok(Box::new(ClientList::new(
                ModulaRule::new(key_hash),
                servers,
            )?));
        }
        "virtual_bucket" => {
            let rule = ModulaRule::virtual_bucket(key_hash);
            return Ok(Box::new(ClientList::new(rule, servers)?));
        }
        "ketama" | "ketama_spy" | "ketama_weighted" => Continuum::ketama(point_hash)?,
        other => {
            return Err(Unusable(format!(
                "unknown distribution {other:?}: modula, virtual_bucket, ketama, ketama_weighted or ketama_spy"
            )));
        }
    };
    let mut continuum = continuum.with_key_hash(key_hash);
    if weighted || distribution == "ketama_weighted" {
        continuum = continuum.with_weights();
    }
    if distribution == "ketama_spy" {
        continuum = continuum.spy();
    }
    Ok(Box::new(ClientRing::new(continuum, servers, Shared::Each)?))
}

/// A server's address as an id. Sockets have port 0, or the default one if they were added as hosts.
fn id(listed: &mut Listed) -> Result<NodeId, Unusable> {
    let (host, port) = host_and_port(&mut listed.more, "host")?;
    let id = if host.contains(':') && !host.starts_with('/') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    };
    Ok(Node::new(id)?.id().clone())
}

struct Hashes(Vec<KeyHash>);

pub(crate) fn hashes(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    super::bucket_functions::no_nodes(document)?;
    let config = &mut document.config;
    config.only("call", "memcached_generate_hash_value")?;
    let columns = config.list("columns")?.into_iter().map(|column| {
        let name = column.as_str();
        let name = name.ok_or_else(|| Unusable(format!("column {column} is not a text")))?;
        Ok(KeyHash::named(name)?)
    });
    Ok(Box::new(Hashes(columns.collect::<Result<_, Unusable>>()?)))
}

impl System for Hashes {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        Ok(self
            .0
            .iter()
            .map(|hash| Value::from(hash.hash(key)))
            .collect())
    }
}
