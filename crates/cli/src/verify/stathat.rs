//! `stathat`: a ring in Go, its `Get`, `GetTwo` and `GetN`.

use keyroute::{Router, Slot};
use keyroute_interop::Stathat;
use serde_json::{Value, json};

use super::document::{Document, Key, Op};
use super::labelled_ring::{hash_of, name_of, names_of, shared_points};
use super::named_nodes::names;
use super::replay::{System, unknown_op};
use super::report::Unusable;
use crate::hashes::NamedHash;

struct Ring {
    ring: Stathat<NamedHash<u32>>,
    method: Method,
}

enum Method {
    Get,
    GetTwo,
    GetN(usize),
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    let hash = hash_of(config)?;
    config.only("label", "{i}{node}")?;
    let replicas = config
        .whole("replicas")?
        .unwrap_or(Stathat::<NamedHash<u32>>::REPLICAS);
    let method = match config.text("method")?.as_deref() {
        None | Some("get") => Method::Get,
        Some("get_two") => Method::GetTwo,
        Some("get_n") => {
            let n = config.whole("n")?;
            Method::GetN(config.required("n", n)?)
        }
        Some(other) => {
            return Err(Unusable(format!(
                "unknown method {other:?}: get, get_two or get_n"
            )));
        }
    };
    let ring = Stathat::new(hash, replicas, names(document)?)?;
    Ok(Box::new(Ring { ring, method }))
}

impl System for Ring {
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => self.ring.add(name)?,
            Op::Remove(name) => self.ring.remove(name),
            other => return Err(unknown_op(other, "add and remove")),
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let (key, members) = (key.bytes()?, self.ring.members());
        Ok(match self.method {
            Method::Get => name_of(members, self.ring.route(key)),
            Method::GetTwo => {
                let two = self.ring.get_two(key)?;
                json!(two.map(|slot| name_of(members, slot)))
            }
            Method::GetN(n) => names_of(members, self.ring.get_n(key, n)?),
        })
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        let points = || -> Vec<(u32, Slot)> { self.ring.labelled_points() };
        Ok(match name {
            "points" | "distinct_points" => Some(self.ring.circle().count().into()),
            "points_shared_by_two_nodes" => Some(shared_points(points()).len().into()),
            _ => None,
        })
    }
}
