//! `go-ketama`: ketama in Go, under either of its hash functions.

use keyroute_interop::{GoKetama, HashFunc1, HashFunc2};

use super::document::Document;
use super::replay::System;
use super::report::Unusable;
use super::ring_system::RingSystem;
use super::serialx::weighted;

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "md5")?;
    config.only("label", "{label}-{k}")?;
    let function = config.whole("hash_func")?;
    let function: u32 = config.required("hash_func", function)?;
    let buckets = weighted(document)?;
    Ok(match function {
        1 => Box::new(RingSystem(GoKetama::continuum(HashFunc1, buckets)?)),
        2 => Box::new(RingSystem(GoKetama::continuum(
            HashFunc2::default(),
            buckets,
        )?)),
        other => {
            return Err(Unusable(format!("unknown hash_func {other}: 1 or 2")));
        }
    })
}
