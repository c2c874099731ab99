//! `go-rendezvous`: rendezvous in Go over FNV-1a or xxHash.

use keyroute::hash::{Fnv1a64, Xxh64};
use keyroute_interop::GoRendezvous;

use super::document::Document;
use super::named_nodes::{NamedNodes, names};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let hash = document.config.text("hash")?;
    let names = names(document)?;
    Ok(match hash.as_deref() {
        Some("fnv1a64") => Box::new(NamedNodes(GoRendezvous::from_names(Fnv1a64, names)?)),
        Some("xxhash64") => {
            let hasher = Xxh64::default();
            Box::new(NamedNodes(GoRendezvous::from_names(hasher, names)?))
        }
        other => {
            return Err(Unusable(format!(
                "unknown hash {other:?}: fnv1a64 or xxhash64"
            )));
        }
    })
}
