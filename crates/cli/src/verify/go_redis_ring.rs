//! `go-redis-ring`: the sharding of go-redis' `Ring` client.

use keyroute_interop::GoRedisRing;
use serde_json::Value;

use super::document::Document;
use super::named_nodes::{NamedNodes, names};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "xxhash64 seed 0")?;
    config.only("mix", "xorshift-multiply")?;
    match config.take("hash_tags") {
        None | Some(Value::Bool(true)) => {}
        Some(other) => {
            return Err(Unusable(format!(
                "hash_tags is {other}: this client always has them"
            )));
        }
    }
    let shards = GoRedisRing::from_names(names(document)?)?;
    Ok(Box::new(NamedNodes(shards)))
}
