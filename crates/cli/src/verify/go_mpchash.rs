//! `go-mpchash`: multi-probe hashing in Go.

use keyroute_interop::GoMpchash;

use super::document::Document;
use super::named_nodes::{NamedNodes, names};
use super::replay::System;
use super::report::Unusable;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "siphash-2-4 k0=seed k1=0")?;
    let probes = config.whole("probes")?;
    let probes = config.required("probes", probes)?;
    let seeds: Vec<u64> = config
        .list("seeds")?
        .iter()
        .filter_map(serde_json::Value::as_u64)
        .collect();
    let seeds = <[u64; 2]>::try_from(seeds)
        .map_err(|_| Unusable::new("\"seeds\" are not two whole numbers"))?;
    let nodes = GoMpchash::from_names(probes, seeds, names(document)?)?;
    Ok(Box::new(NamedNodes(nodes)))
}
