//! The stored form: a recipe, `{hasher, table_size, nodes}`, nodes in the order of listing. The table
//! is made anew when it is read.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use keyroute_core::{KeyHasher, Members, Node};

use crate::{Maglev, TableSize};

impl Serialize for TableSize {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.serialize_u32(self.get())
    }
}

impl<'de> Deserialize<'de> for TableSize {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::new(u32::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[derive(Serialize)]
#[serde(rename = "Maglev")]
struct MaglevRef<'a, H> {
    hasher: &'a H,
    table_size: TableSize,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(rename = "Maglev", deny_unknown_fields)]
struct MaglevRecord<H> {
    hasher: H,
    table_size: TableSize,
    nodes: Vec<Node>,
}

impl<H: KeyHasher<Out = u64> + Serialize> Serialize for Maglev<H> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        MaglevRef {
            hasher: self.hasher(),
            table_size: self.table_size(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, H: KeyHasher<Out = u64> + Deserialize<'de>> Deserialize<'de> for Maglev<H> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let record = MaglevRecord::deserialize(from)?;
        Self::from_nodes_with(record.hasher, record.table_size, record.nodes)
            .map_err(D::Error::custom)
    }
}
