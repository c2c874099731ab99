//! `go-maglev`: Maglev in Go, of numbers.

use keyroute_interop::GoMaglev;
use serde_json::Value;

use super::document::{Document, Key};
use super::named_nodes::names;
use super::replay::System;
use super::report::Unusable;

struct Maglev(GoMaglev);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "siphash-2-4 k0=0xdeadbeefcafebabe k1=0")?;
    let size = config.whole("m")?;
    let size = config.required("m", size)?;
    let dead: Result<Vec<usize>, Unusable> = config
        .list("dead")?
        .iter()
        .map(|index| {
            let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
            index.ok_or_else(|| Unusable::new("\"dead\" is not a list of indices"))
        })
        .collect();
    let mut maglev = GoMaglev::new(names(document)?, size)?;
    maglev.rebuild(&dead?)?;
    Ok(Box::new(Maglev(maglev)))
}

impl System for Maglev {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let name = self.0.names().get(self.0.lookup(key.number()?));
        Ok(name.cloned().into())
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        Ok((name == "table").then(|| self.0.table().into()))
    }
}
