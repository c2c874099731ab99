//! `spymemcached`: its two locators. The files name a server as it is hashed.

use keyroute::{Node, NodeId};
use keyroute_interop::hash::SpyHash;
use keyroute_interop::spymemcached::{ArrayModRule, Ketama};

use super::client_ring::{ClientList, ClientRing, Servers, Shared, flag};
use super::document::{Document, Listed};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let servers = Servers::read(document, id)?;
    let config = &mut document.config;
    let hash = config.text("hash")?;
    let hash = match config.required("hash", hash)?.as_str() {
        "NATIVE_HASH" => SpyHash::Native,
        "CRC_HASH" => SpyHash::Crc,
        "FNV1_64_HASH" => SpyHash::Fnv1_64,
        "FNV1A_64_HASH" => SpyHash::Fnv1a64,
        "FNV1_32_HASH" => SpyHash::Fnv1_32,
        "FNV1A_32_HASH" => SpyHash::Fnv1a32,
        "KETAMA_HASH" => SpyHash::Ketama,
        other => return Err(Unusable(format!("unknown hash {other:?}"))),
    };
    let weighted = flag(config, "weighted")?;
    match config.text("key_format")?.as_deref() {
        // The names of the nodes are in it.
        None | Some("SPYMEMCACHED" | "LIBMEMCACHED") => {}
        Some(other) => return Err(Unusable(format!("unknown key_format {other:?}"))),
    }
    let locator = config.text("locator")?;
    Ok(match config.required("locator", locator)?.as_str() {
        "KetamaNodeLocator" => {
            let scheme = Ketama::new(hash);
            let scheme = if weighted { scheme.weighted() } else { scheme };
            Box::new(ClientRing::new(scheme, servers, Shared::Once)?)
        }
        "ArrayModNodeLocator" => Box::new(ClientList::new(ArrayModRule::new(hash), servers)?),
        other => {
            return Err(Unusable(format!(
                "unknown locator {other:?}: KetamaNodeLocator or ArrayModNodeLocator"
            )));
        }
    })
}

fn id(listed: &mut Listed) -> Result<NodeId, Unusable> {
    // What the name was made of.
    for part in ["host", "ip", "port"] {
        listed.more.harmless(part);
    }
    Ok(Node::new(&listed.name)?.id().clone())
}
