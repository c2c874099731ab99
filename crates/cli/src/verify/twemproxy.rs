//! `twemproxy`: ketama and modula, with its hashes and hash tags.

use keyroute::{Node, NodeId};
use keyroute_interop::twemproxy::{Ketama, KeyHash, ModulaRule, server};

use super::client_ring::{ClientList, ClientRing, Servers, Shared, host_and_port, optional_text};
use super::document::{Document, Listed};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let servers = Servers::read(document, identity)?;
    let config = &mut document.config;
    config.harmless("backend");
    let distribution = config.text("distribution")?;
    let mut key_hash = match config.text("hash")? {
        Some(name) => KeyHash::named(&name)?,
        None => KeyHash::default(),
    };
    if let Some(tag) = optional_text(config, "hash_tag")? {
        key_hash = key_hash.with_hash_tag(&tag)?;
    }
    Ok(match distribution.as_deref() {
        None | Some("ketama") => Box::new(ClientRing::new(
            Ketama::new(key_hash),
            servers,
            Shared::Each,
        )?),
        Some("modula") => Box::new(ClientList::new(ModulaRule::new(key_hash), servers)?),
        Some(other) => {
            return Err(Unusable(format!(
                "unknown distribution {other:?}: ketama or modula"
            )));
        }
    })
}

/// What is hashed of a server, from its address and alias; the file says it too.
fn identity(listed: &mut Listed) -> Result<NodeId, Unusable> {
    let said = listed.more.text("hashed_label")?;
    let alias = optional_text(&mut listed.more, "alias")?;
    let id = if let Some(alias) = alias {
        Node::new(alias)?.id().clone()
    } else {
        let (host, port) = host_and_port(&mut listed.more, "addr")?;
        let address = if host.starts_with('/') {
            format!("{}:1", host.trim_end_matches(':'))
        } else {
            format!("{host}:{port}:1")
        };
        server(&address)?.id().clone()
    };
    listed.more.harmless("addr");
    listed.more.harmless("port");
    match said {
        Some(said) if id != *said => Err(Unusable(format!(
            "server {:?} is hashed as {said:?} there, and as {id:?} here",
            listed.name
        ))),
        _ => Ok(id),
    }
}
