//! `envoy`: a cluster under `RING_HASH` or `MAGLEV`, asked by the value of one header.

use std::collections::BTreeMap;

use keyroute::{KeyHasher, Members, Router, Slot, hash::Xxh64};
use keyroute_interop::envoy::{
    Cluster, HashBalance, HashFunction, Host, Locality, Maglev, RingHash, RingSizes,
};
use serde_json::Value;

use super::document::{Document, Key};
use super::fields::Fields;
use super::labelled_ring::name_of;
use super::replay::System;
use super::report::Unusable;

struct Balanced {
    algorithm: Algorithm,
    /// With a balance factor: the requests in flight, which never end here.
    balance: Option<(HashBalance, BTreeMap<Slot, u32>)>,
}

enum Algorithm {
    Ring(Box<RingHash>),
    Table(Maglev),
}

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    let params = document.more.take("params");
    let mut params = Fields::of("params", document.more.required("params", params)?)?;
    document.config.harmless("cluster"); // "params" says the same, defaults filled in
    let mut flag = |name: &str| params.take(name) == Some(Value::Bool(true));
    let (use_hostname, by_locality) = (flag("use_hostname_for_hashing"), flag("locality_weighted"));
    let own = params.text("own_locality")?.map(region);
    let mut hosts = Vec::new();
    for node in &mut document.nodes {
        let mut host = Host::new(&node.name)?.with_weight(node.weight.unwrap_or(1))?;
        if let Some(key) = node.more.text("hash_key")? {
            host = host.with_hash_key(key);
        }
        if let Some(hostname) = node.more.text("hostname")? {
            host = host.with_hostname(hostname);
        }
        let weight = node.more.whole("locality_weight")?;
        if let Some(locality) = node.more.text("locality")? {
            host = host.in_locality(region(locality), weight.unwrap_or(1));
        }
        hosts.push(host);
    }
    let cluster = match (by_locality, use_hostname) {
        (true, _) => Cluster::by_locality(hosts, own.as_ref(), use_hostname)?,
        (false, true) => Cluster::by_hostname(hosts)?,
        (false, false) => Cluster::new(hosts)?,
    };
    let algorithm = match params.text("algorithm")?.as_deref() {
        Some("ring_hash") => {
            let (minimum, maximum) = (
                params.whole("minimum_ring_size")?,
                params.whole("maximum_ring_size")?,
            );
            let sizes = RingSizes {
                minimum: params.required("minimum_ring_size", minimum)?,
                maximum: params.required("maximum_ring_size", maximum)?,
            };
            let function = match params.text("hash_function")?.as_deref() {
                Some("XX_HASH") => HashFunction::XxHash,
                Some("MURMUR_HASH_2") => HashFunction::Murmur2,
                other => return Err(Unusable(format!("unknown hash_function {other:?}"))),
            };
            Algorithm::Ring(Box::new(RingHash::new(&cluster, sizes, function)?))
        }
        Some("maglev") => {
            let size = params.whole("table_size")?;
            Algorithm::Table(Maglev::new(&cluster, params.required("table_size", size)?)?)
        }
        other => return Err(Unusable(format!("unknown algorithm {other:?}"))),
    };
    let factor = params
        .whole("hash_balance_factor")?
        .filter(|&factor| factor > 0);
    params.finish()?;
    let sequence = document.more.text("mode")?.as_deref() == Some("sequence");
    if sequence != factor.is_some() {
        return Err(Unusable::new(
            "a balance factor depends on what is in flight: \"mode\" must be \"sequence\" with one",
        ));
    }
    let balance = factor
        .map(|factor| HashBalance::new(&cluster, factor))
        .transpose()?;
    Ok(Box::new(Balanced {
        algorithm,
        balance: balance.map(|balance| (balance, BTreeMap::new())),
    }))
}

fn region(region: String) -> Locality {
    Locality {
        region,
        ..Locality::default()
    }
}

impl Algorithm {
    fn members(&self) -> &Members {
        match self {
            Self::Ring(ring) => ring.members(),
            Self::Table(maglev) => maglev.members(),
        }
    }

    fn route(&self, key: &[u8]) -> Option<Slot> {
        match self {
            Self::Ring(ring) => ring.route(key),
            Self::Table(maglev) => maglev.route(key),
        }
    }
}

impl System for Balanced {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        let key = key.bytes()?;
        let mut slot = self.algorithm.route(key);
        if let (Some((balance, active)), Some(first)) = (&mut self.balance, slot) {
            let hash = Xxh64::default().hash(key);
            slot = balance.pick(hash, first, |slot| active.get(&slot).copied().unwrap_or(0));
            if let Some(slot) = slot {
                *active.entry(slot).or_default() += 1;
            }
        }
        Ok(name_of(self.algorithm.members(), slot))
    }
}
