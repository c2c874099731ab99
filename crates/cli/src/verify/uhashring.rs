//! `uhashring`: both modes.

use keyroute_interop::uhashring::{Ketama, Meta, python_name};

use super::client_ring::{ClientRing, Servers, Shared, removed};
use super::document::Document;
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    removed(document, "removed_with_remove_node")?;
    // Nodes of weight 0 have no point, but in ketama mode they count.
    let listed = document.nodes.len();
    document.nodes.retain(|node| node.weight != Some(0));
    let weightless = u32::try_from(listed - document.nodes.len()).map_err(Unusable::new)?;
    let mut vnodes = Vec::new();
    let servers = Servers::read(document, |listed| {
        let id = python_name(&listed.name)?;
        if let Some(own) = listed.more.whole("vnodes")? {
            vnodes.push((id.clone(), own));
        }
        Ok(id)
    })?;
    let config = &mut document.config;
    config.only("search", "first point strictly greater than the key hash")?;
    let default = config.whole("default_vnodes")?;
    Ok(match config.text("mode")?.as_deref() {
        Some("ketama") => {
            let mut scheme = Ketama::default().with_weightless(weightless);
            if let Some(default) = default {
                scheme = scheme.with_vnodes(default)?;
            }
            if let Some(replicas) = config.whole("replicas")? {
                scheme = scheme.with_replicas(replicas)?;
            }
            for (id, own) in vnodes {
                scheme = scheme.with_vnodes_of(id.as_str(), own)?;
            }
            Box::new(ClientRing::new(scheme, servers, Shared::EachOwners)?)
        }
        None | Some("default") => {
            let mut scheme = Meta::default();
            if let Some(default) = default {
                scheme = scheme.with_vnodes(default)?;
            }
            for (id, own) in vnodes {
                scheme = scheme.with_vnodes_of(id.as_str(), own)?;
            }
            Box::new(ClientRing::new(scheme, servers, Shared::Once)?)
        }
        Some(other) => {
            return Err(Unusable(format!(
                "unknown mode {other:?}: default or ketama"
            )));
        }
    })
}
