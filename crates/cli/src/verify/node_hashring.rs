//! `node-hashring`: npm's hashring.

use keyroute::hash::Crc32;
use keyroute::{KeyHasher, Node};
use keyroute_interop::node_hashring::{DigestBytes, HashRing, LabelDigest};
use serde_json::Value;

use super::client_ring::{ClientRing, Servers, Shared, removed, zero_is_one};
use super::document::Document;
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    removed(document, "removed")?;
    zero_is_one(document);
    let mut vnodes = Vec::new();
    let servers = Servers::read(document, |listed| {
        if let Some(own) = listed.more.whole("vnodes")? {
            vnodes.push((listed.name.clone(), own));
        }
        Ok(Node::new(&listed.name)?.id().clone())
    })?;
    let config = &mut document.config;
    config.harmless("options"); // what they come to is said beside them
    let algorithm = config.text("algorithm")?;
    let digest = match algorithm.as_deref() {
        None | Some("md5") => LabelDigest::Md5,
        Some("sha1") => LabelDigest::Sha1,
        Some("sha256") => LabelDigest::Sha256,
        Some("sha512") => LabelDigest::Sha512,
        // A function of the user's that gives the four bytes of a CRC-32.
        Some("custom-crc32-le") => {
            LabelDigest::Function(|bytes| DigestBytes::new(&Crc32.hash(bytes).to_le_bytes()))
        }
        Some(other) => {
            return Err(Unusable(format!(
                "unknown algorithm {other:?}: md5, sha1, sha256, sha512 or custom-crc32-le"
            )));
        }
    };
    let mut scheme = HashRing::default().with_digest(digest);
    if let Some(count) = config.whole("vnode_count")? {
        scheme = scheme.with_vnodes(count)?;
    }
    if let Some(replicas) = config.whole("replicas")? {
        scheme = scheme.with_replicas(replicas)?;
    }
    match config.take("default_port") {
        None | Some(Value::Null) => {}
        Some(port) => {
            let port = port.as_u64().and_then(|port| u16::try_from(port).ok());
            let port = port.ok_or_else(|| Unusable::new("\"default_port\" is not a port"))?;
            scheme = scheme.with_default_port(port);
        }
    }
    for (name, own) in vnodes {
        // 0 is none of its own.
        if own != 0 {
            scheme = scheme.with_vnodes_of(&name, own)?;
        }
    }
    Ok(Box::new(ClientRing::new(scheme, servers, Shared::Each)?))
}
