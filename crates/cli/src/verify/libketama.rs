//! `libketama`: the C library's continuum, over servers in the order of its file.

use keyroute::{Libketama, Node, VectorRing, Weight};

use super::document::Document;
use super::replay::System;
use super::report::Unusable;
use super::ring_system::RingSystem;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("algorithm", "libketama")?;
    config.only("key_hash", "md5")?;
    config.harmless("weights"); // says in words where they come from
    let servers: Result<Vec<Node>, Unusable> = document
        .nodes
        .iter()
        .map(|server| {
            let weight = server
                .weight
                .ok_or_else(|| Unusable(format!("server {:?} has no weight", server.name)))?;
            Ok(Node::new(&server.name)?.with_weight(Weight::new(weight)?))
        })
        .collect();
    let continuum = VectorRing::from_nodes_with(Libketama, servers?)?;
    Ok(Box::new(RingSystem(continuum)))
}
