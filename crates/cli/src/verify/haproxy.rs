//! `haproxy`: a backend that balances by hash, of a key or of a part of the request target.

use std::collections::BTreeMap;

use keyroute::{Router, Slot};
use keyroute_interop::haproxy::{Backend, HashType, Method, Server, UriPart};
use serde_json::Value;

use super::document::{Document, Key};
use super::fields::Fields;
use super::labelled_ring::name_of;
use super::replay::System;
use super::report::Unusable;

struct Balanced {
    backend: Backend,
    uri: Option<UriPart>,
    /// With a balance factor: the requests in flight, which never end here.
    loads: Option<Loads>,
}

struct Loads {
    factor: u32,
    all: u64,
    each: BTreeMap<Slot, u64>,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let params = document.more.take("params");
    let mut params = Fields::of("params", document.more.required("params", params)?)?;
    let (mut hash_type, mut servers) = (HashType::default(), Vec::new());
    let (mut uri, mut factor) = (None, None);
    for line in document.config.list("backend")? {
        let line = line.as_str().unwrap_or_default();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "balance" => uri = balance(rest)?,
            "hash-type" => hash_type = rest.parse()?,
            "server" => servers.push(rest.parse::<Server>()?),
            "hash-balance-factor" => factor = Some(rest.parse().map_err(Unusable::new)?),
            "option" if rest == "redispatch" => {}
            _ => return Err(Unusable(format!("a line that is not known: {line:?}"))),
        }
    }
    if let Some(legacy) = params.text("server_key")? {
        if !legacy.starts_with("double-hashed id") {
            return Err(Unusable(format!("unknown server_key {legacy:?}")));
        }
        servers = servers
            .into_iter()
            .map(Server::with_id_hashed_twice)
            .collect();
    }
    agree(&mut params, hash_type, uri, factor)?;
    let sequence = document.more.text("mode")?.as_deref() == Some("sequence");
    if sequence != factor.is_some() {
        return Err(Unusable::new(
            "a balance factor depends on what is in flight: \"mode\" must be \"sequence\" with one",
        ));
    }
    for node in &mut document.nodes {
        // The backend's lines say the same, and decide.
        for name in ["id", "hash_key", "ip", "port", "guid", "disabled"] {
            node.more.harmless(name);
        }
    }
    Ok(Box::new(Balanced {
        backend: Backend::new(hash_type, servers)?,
        uri,
        loads: factor.map(|factor| Loads {
            factor,
            all: 0,
            each: BTreeMap::new(),
        }),
    }))
}

/// What is hashed: the key itself, or a part of it.
fn balance(words: &str) -> Result<Option<UriPart>, Unusable> {
    let mut words = words.split_ascii_whitespace();
    match words.next() {
        Some(header) if header.starts_with("hdr(") => Ok(None),
        Some("uri") => {
            let mut part = UriPart::default();
            while let Some(word) = words.next() {
                let mut number = || words.next().and_then(|number| number.parse().ok());
                match word {
                    "whole" => part.whole = true,
                    "path-only" => part.path_only = true,
                    "len" => part.length = number().unwrap_or(0),
                    "depth" => part.depth = number().unwrap_or(0),
                    _ => return Err(Unusable(format!("balance uri with {word:?}"))),
                }
            }
            Ok(Some(part))
        }
        other => Err(Unusable(format!("balance {other:?} is not known"))),
    }
}

/// Refuses `params` that say something else than the lines.
fn agree(
    params: &mut Fields,
    hash_type: HashType,
    uri: Option<UriPart>,
    factor: Option<u32>,
) -> Result<(), Unusable> {
    let method = match hash_type.method {
        Method::Consistent => "consistent",
        Method::MapBased => "map-based",
    };
    params.only("method", method)?;
    params.only(
        "function",
        &format!("{:?}", hash_type.key.function).to_lowercase(),
    )?;
    let same = params.take("avalanche") == Some(Value::Bool(hash_type.key.avalanche))
        && params.whole("hash_balance_factor")? == factor;
    let key = params.take("key");
    let mut key = Fields::of("key", params.required("key", key)?)?;
    key.only("kind", if uri.is_some() { "uri" } else { "header" })?;
    if let Some(part) = uri {
        let flag = |value: Option<Value>, flag| value == Some(Value::Bool(flag));
        let same_part = flag(key.take("whole"), part.whole)
            && flag(key.take("path_only"), part.path_only)
            && key.whole("length")? == Some(part.length)
            && key.whole("depth")? == Some(part.depth);
        if !same_part {
            return Err(Unusable::new(
                "\"params\" and \"backend\" differ on the key",
            ));
        }
    }
    key.finish()?;
    if !same {
        return Err(Unusable::new("\"params\" and \"backend\" differ"));
    }
    Ok(())
}

impl System for Balanced {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        let key = self.uri.map_or(key, |part| part.of(key));
        let backend = &self.backend;
        let slot = match &mut self.loads {
            None => backend.route(key),
            Some(loads) => {
                let mut limits = BTreeMap::new();
                for slot in backend.members().slots() {
                    limits.insert(slot, backend.limit(slot, loads.factor, loads.all)?);
                }
                let held = |slot| loads.each.get(&slot).copied().unwrap_or(0);
                let slot = backend.pick(key, |slot| {
                    limits
                        .get(&slot)
                        .copied()
                        .flatten()
                        .is_some_and(|limit| held(slot) < limit)
                });
                if let Some(slot) = slot {
                    *loads.each.entry(slot).or_default() += 1;
                    loads.all += 1;
                }
                slot
            }
        };
        Ok(name_of(backend.members(), slot))
    }
}
