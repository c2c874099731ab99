//! `libketama`: the C library's continuum, over servers in the order of its file.

use keyroute::{Ketama, Libketama, Node, RouteDigest, Scheme, Weight};
use serde_json::Value;

use super::document::{Document, Key};
use super::labelled_ring::name_of;
use super::replay::System;
use super::report::Unusable;

struct Continuum(Ketama<Libketama>);

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
    Ok(Box::new(Continuum(Ketama::libketama(servers?)?)))
}

impl System for Continuum {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(name_of(self.0.members(), self.0.route(key.bytes()?)))
    }

    fn points(&self) -> Result<Option<Vec<(u32, String)>>, Unusable> {
        let members = self.0.members();
        let mut points = self.0.scheme().fleet_points(members)?;
        points.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| members.cmp_listing(a.1, b.1)));
        let named = points
            .into_iter()
            .filter_map(|(position, slot)| Some((position, members.get(slot)?.id().to_string())));
        Ok(Some(named.collect()))
    }

    fn locate(&self, key: &[u8]) -> Option<u32> {
        Some(self.0.digest(key).value())
    }
}
