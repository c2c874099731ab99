//! `nginx`: an upstream's `hash`, consistent or not.

use keyroute::Router;
use keyroute_interop::nginx::{Consistent, Modulo, Server};
use serde_json::Value;

use super::document::{Document, Key};
use super::fields::Fields;
use super::labelled_ring::name_of;
use super::replay::System;
use super::report::Unusable;

struct Upstream(Box<dyn Router>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let params = document.more.take("params");
    let params = document.more.required("params", params)?;
    let mut params = Fields::of("params", params)?;
    let method = params.text("method")?;
    params.finish()?;
    // Which addresses names have: one each, which changes nothing.
    let resolves = document.more.take("resolves");
    for addresses in resolves
        .iter()
        .filter_map(Value::as_object)
        .flat_map(|map| map.values())
    {
        if addresses.as_array().is_none_or(|list| list.len() != 1) {
            return Err(Unusable(format!(
                "a name of other than one address: {addresses}"
            )));
        }
    }
    let lines = document.config.list("upstream")?;
    let mut servers: Vec<Server> = Vec::new();
    for line in &lines {
        let line = line.as_str().unwrap_or_default();
        if let Some(server) = line.strip_prefix("server ") {
            servers.push(server.parse()?);
        } else if !line.starts_with("hash ") {
            return Err(Unusable(format!("a line that is not known: {line:?}")));
        }
    }
    for (node, server) in document.nodes.iter_mut().zip(&servers) {
        let down = node.more.take("down") == Some(Value::Bool(true));
        let weight = node.weight.unwrap_or(1);
        if (node.name.as_str(), weight, down)
            != (server.name(), server.weight().get(), server.is_down())
        {
            return Err(Unusable(format!(
                "\"nodes\" and \"upstream\" differ at {}",
                node.name
            )));
        }
    }
    Ok(Box::new(Upstream(match method.as_deref() {
        Some("consistent") => Box::new(Consistent::new(servers)?),
        Some("modulo") => Box::new(Modulo::new(servers)?),
        other => {
            return Err(Unusable(format!(
                "unknown method {other:?}: consistent or modulo"
            )));
        }
    })))
}

impl System for Upstream {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        Ok(name_of(self.0.members(), self.0.route(key.bytes()?)))
    }
}
