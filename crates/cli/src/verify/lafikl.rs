//! `lafikl`: a ring in Go, plain or with loads that the caller counts.

use keyroute::{Members, Router, Scheme};
use keyroute_interop::Lafikl;
use serde_json::{Value, json};

use super::document::{Document, Key, Op};
use super::labelled_ring::{add_new, name_of, remove_present, shared_points};
use super::named_nodes::names;
use super::replay::{System, unknown_op};
use super::report::Unusable;

struct Hosts {
    hosts: Lafikl,
    /// Whether each key is a load: `GetLeast`, then `Inc`.
    loads: bool,
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let config = &mut document.config;
    config.only("hash", "blake2b-512 first 8 bytes little-endian")?;
    config.only("label", "{host}{i}")?;
    let replicas = config.whole("replicas")?.unwrap_or(Lafikl::REPLICAS);
    let loads = match config.text("method")?.as_deref() {
        None | Some("get") => false,
        Some("get_least+inc") => true,
        Some(other) => {
            return Err(Unusable(format!(
                "unknown method {other:?}: get or get_least+inc"
            )));
        }
    };
    if loads && !document.stateful {
        return Err(Unusable::new(
            "loads depend on the cases before: \"stateful\" must be true",
        ));
    }
    let hosts = Lafikl::with_replicas(replicas, names(document)?)?;
    Ok(Box::new(Hosts { hosts, loads }))
}

fn name(members: &Members, slot: keyroute::Slot) -> Option<String> {
    Some(members.get(slot)?.id().to_string())
}

impl System for Hosts {
    /// Adding a present host, and changing an absent one, do nothing.
    fn apply(&mut self, op: &Op) -> Result<(), Unusable> {
        match op {
            Op::Add(host) => add_new(&mut self.hosts, host)?,
            Op::Remove(host) => remove_present(&mut self.hosts, host).map(drop)?,
            Op::Inc(host) => self.hosts.inc(host),
            Op::Done(host) => self.hosts.done(host),
            Op::UpdateLoad(host, load) => self.hosts.update_load(host, *load),
            other => {
                let known = "add, remove, inc, done and update_load";
                return Err(unknown_op(other, known));
            }
        }
        Ok(())
    }

    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        if !self.loads {
            return Ok(name_of(self.hosts.members(), self.hosts.route(key)));
        }
        let least = self.hosts.get_least(key)?;
        let host = least.and_then(|slot| name(self.hosts.members(), slot));
        host.iter().for_each(|host| self.hosts.inc(host));
        Ok(json!(host))
    }

    fn aux(&self, fact: &str) -> Result<Option<Value>, Unusable> {
        let members = self.hosts.members();
        Ok(match fact {
            "final_loads" => {
                let load = |slot| Some((name(members, slot)?, json!(self.hosts.load(slot))));
                Some(Value::Object(members.slots().filter_map(load).collect()))
            }
            // Asking may change the total.
            "final_max_load" => Some(json!(self.hosts.clone().max_load())),
            "points_shared_by_two_nodes" => {
                let points = self.hosts.ring().scheme().fleet_points(members)?;
                Some(shared_points(points).len().into())
            }
            _ => None,
        })
    }
}
