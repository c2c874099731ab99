//! `hash_ring`: the ring of PyPI's `hash_ring` and hashring.

use keyroute_interop::hash_ring::{HashRing, python_name};

use super::client_ring::{ClientRing, Servers, Shared};
use super::document::Document;
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let servers = Servers::read(document, |listed| Ok(python_name(&listed.name)?))?;
    let config = &mut document.config;
    config.only("algorithm", "hash_ring")?;
    config.only("search", "first point strictly greater than the key hash")?;
    match config.whole("points_per_md5")? {
        None | Some(3) => {}
        Some(other) => {
            let other: u32 = other;
            return Err(Unusable(format!("points_per_md5 is {other}: it is 3")));
        }
    }
    Ok(Box::new(ClientRing::new(
        HashRing,
        servers,
        Shared::EachOwners,
    )?))
}
