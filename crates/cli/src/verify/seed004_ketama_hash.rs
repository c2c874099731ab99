//! `seed004-ketama-hash`: one word of MD5, chosen by its alignment.

use keyroute::hash::Md5Word;

use super::bucket_functions::no_nodes;
use super::document::Document;
use super::replay::System;
use super::report::Unusable;
use super::seed004_fnv_hash::Values;

/// The alignment must be 0 to 3: the original reads past the digest beyond that.
pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    no_nodes(document)?;
    let config = &mut document.config;
    config.only("hash", "md5")?;
    config.only("output", "u32")?;
    let alignment = config.whole("alignment")?;
    let alignment = config.required("alignment", alignment)?;
    Ok(Box::new(Values(Md5Word::new(alignment)?)))
}
