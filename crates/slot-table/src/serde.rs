//! The stored form: a recipe, `{fill, partitioner, nodes}`, nodes in the order of listing. Owners are
//! made anew when it is read.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use keyroute_core::{Members, Node};

use crate::{Fill, Partitioner, SlotTable};

#[derive(Serialize)]
#[serde(rename = "SlotTable")]
struct SlotTableRef<'a, F, P> {
    fill: &'a F,
    partitioner: &'a P,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(rename = "SlotTable", deny_unknown_fields)]
struct SlotTableRecord<F, P> {
    fill: F,
    partitioner: P,
    nodes: Vec<Node>,
}

impl<F: Fill + Serialize, P: Partitioner + Serialize> Serialize for SlotTable<F, P> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        SlotTableRef {
            fill: self.fill(),
            partitioner: self.partitioner(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, F, P> Deserialize<'de> for SlotTable<F, P>
where
    F: Fill + Deserialize<'de>,
    P: Partitioner + Deserialize<'de>,
{
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let SlotTableRecord {
            fill,
            partitioner,
            nodes,
        } = SlotTableRecord::deserialize(from)?;
        Self::from_nodes_with(fill, partitioner, nodes).map_err(D::Error::custom)
    }
}

/// Stored as its name, and read back only under that name.
#[cfg(feature = "redis")]
impl Serialize for crate::RedisCrc16 {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        to.serialize_str("redis-crc16")
    }
}

#[cfg(feature = "redis")]
impl<'de> Deserialize<'de> for crate::RedisCrc16 {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = alloc::string::String::deserialize(from)?;
        if name == "redis-crc16" {
            Ok(Self)
        } else {
            Err(D::Error::custom(alloc::format!(
                "hasher {name:?} is not RedisCrc16: read it as the type it was stored as"
            )))
        }
    }
}
