//! The stored form: a recipe, `{hasher, nodes}`, nodes in the order of listing.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use keyroute_core::{KeyHasher, Members, Node};

use crate::Rendezvous;

#[derive(Serialize)]
#[serde(rename = "Rendezvous")]
struct RendezvousRef<'a, H> {
    hasher: &'a H,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(rename = "Rendezvous", deny_unknown_fields)]
struct RendezvousRecord<H> {
    hasher: H,
    nodes: Vec<Node>,
}

impl<H: KeyHasher<Out = u64> + Serialize> Serialize for Rendezvous<H> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        RendezvousRef {
            hasher: self.hasher(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, H: KeyHasher<Out = u64> + Deserialize<'de>> Deserialize<'de> for Rendezvous<H> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let RendezvousRecord { hasher, nodes } = RendezvousRecord::deserialize(from)?;
        Self::from_nodes_with(hasher, nodes).map_err(D::Error::custom)
    }
}
