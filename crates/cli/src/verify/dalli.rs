//! `dalli`: its ring. The files name a server as it is hashed, and say how it was configured.

use keyroute::{Node, NodeId};
use keyroute_interop::dalli::{Dalli, KeyManager};

use super::client_ring::{ClientRing, Servers, Shared};
use super::document::{Document, Listed};
use super::fields::Fields;
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let servers = Servers::read(document, id)?;
    let config = &mut document.config;
    config.only("algorithm", "dalli ring")?;
    config.only("point_hash", "sha1, first 4 bytes big-endian")?;
    config.only("key_hash", "crc32")?;
    config.only("search", "greatest point <= hash, else last point")?;
    let mut keys = KeyManager::default();
    if let Some(options) = config.take("options") {
        let mut options = Fields::of("options", options)?;
        if let Some(namespace) = options.text("namespace")? {
            keys = keys.with_namespace(&namespace);
        }
        options.finish()?;
    }
    Ok(Box::new(ClientRing::new(
        Dalli::new(keys),
        servers,
        Shared::Each,
    )?))
}

fn id(listed: &mut Listed) -> Result<NodeId, Unusable> {
    listed.more.harmless("configured_as");
    Ok(Node::new(&listed.name)?.id().clone())
}
