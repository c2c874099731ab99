//! `buraksezer`: tables in Go, of two versions.

use keyroute::hash::{Fnv1a64, Xxh64};
use keyroute::{KeyHasher, Members};
use keyroute_interop::{Buraksezer, BuraksezerTable, Crc64Iso};
use serde_json::{Value, json};

use super::document::{Document, Key, Op};
use super::labelled_ring::{add_new, name_of, names_of, remove_present, shared_points};
use super::named_nodes::names;
use super::replay::{System, unknown_op};
use super::report::Unusable;

type Hasher = fn(&[u8]) -> u64;

struct Table {
    table: BuraksezerTable<Hasher>,
    /// The n of `GetClosestN`; none for `LocateKey`.
    closest: Option<usize>,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    let hasher: Hasher = match config.text("hasher")?.as_deref() {
        Some("xxhash64") => |bytes| Xxh64::default().hash(bytes),
        Some("crc64-iso") => |bytes| Crc64Iso.hash(bytes),
        Some("fnv1a64") => |bytes| Fnv1a64.hash(bytes),
        other => {
            return Err(Unusable(format!(
                "unknown hasher {other:?}: xxhash64, crc64-iso or fnv1a64"
            )));
        }
    };
    let usual = Buraksezer::default();
    let load = config
        .take("load")
        .map_or(Some(usual.load), |load| load.as_f64());
    let set_up = Buraksezer {
        partition_count: config
            .whole("partition_count")?
            .unwrap_or(usual.partition_count),
        replication_factor: config
            .whole("replication_factor")?
            .unwrap_or(usual.replication_factor),
        load: load.ok_or_else(|| Unusable::new("\"load\" is not a number"))?,
    };
    let closest = match config.text("method")?.as_deref() {
        None | Some("locate_key") => None,
        Some("closest_n") => {
            let n = config.whole("n")?;
            Some(config.required("n", n)?)
        }
        Some(other) => {
            return Err(Unusable(format!(
                "unknown method {other:?}: locate_key or closest_n"
            )));
        }
    };
    let version = config.text("upstream")?;
    let (label, old) = match version.as_deref() {
        Some("v1.0.0") => ("{i}:{name}", false),
        Some("v0.9.0" | "v0.10.0") => ("{name}{i}", true),
        other => {
            return Err(Unusable(format!(
                "unknown upstream {other:?}: v1.0.0, v0.10.0 or v0.9.0"
            )));
        }
    };
    config.only("label", label)?;
    let names = names(document)?;
    let table = match old {
        true => set_up.v0_10(hasher, names)?,
        false => set_up.v1_0(hasher, names)?,
    };
    Ok(Box::new(Table { table, closest }))
}

impl Table {
    fn members(&self) -> &Members {
        self.table.members()
    }
}

impl System for Table {
    /// Adding a present member and removing an absent one do nothing.
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(name) => add_new(&mut self.table, name),
            Op::Remove(name) => remove_present(&mut self.table, name).map(drop),
            other => Err(unknown_op(other, "add and remove")),
        }
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        let Some(n) = self.closest else {
            return Ok(name_of(self.members(), self.table.route(key)));
        };
        if n > self.members().len() {
            return Err(Unusable(format!(
                "{n} of {} members: the original refuses",
                self.members().len()
            )));
        }
        Ok(names_of(self.members(), self.table.closest(key, n)))
    }

    fn aux(&self, name: &str) -> Result<Option<Value>, Unusable> {
        Ok(match name {
            "partition_owners" => Some(names_of(self.members(), self.table.owners())),
            "loads" => {
                let loads = self
                    .table
                    .partitions_by_slot()
                    .filter_map(|(slot, partitions)| {
                        let id = self.members().get(slot)?.id();
                        Some((id.to_string(), json!(partitions)))
                    });
                Some(Value::Object(loads.collect()))
            }
            "points_shared_by_two_nodes" => {
                let points = self.table.fill().points(self.members());
                Some(shared_points(points).len().into())
            }
            _ => None,
        })
    }
}
