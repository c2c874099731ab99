//! The stored form: a recipe, `{hasher, window, nodes}`, nodes in the order of listing. Rows are made anew.

use alloc::vec::Vec;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use keyroute_core::{KeyHasher, Members, Node};

use crate::{Window, WindowRing};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Window", deny_unknown_fields)]
struct WindowRecord {
    candidates: u32,
    points: u32,
}

impl Serialize for Window {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        WindowRecord {
            candidates: self.candidates(),
            points: self.points(),
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Window {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let WindowRecord { candidates, points } = WindowRecord::deserialize(from)?;
        Self::new(candidates)
            .and_then(|window| window.with_points(points))
            .map_err(D::Error::custom)
    }
}

#[derive(Serialize)]
#[serde(rename = "WindowRing")]
struct WindowRingRef<'a, H> {
    hasher: &'a H,
    window: Window,
    nodes: &'a Members,
}

#[derive(Deserialize)]
#[serde(rename = "WindowRing", deny_unknown_fields)]
struct WindowRingRecord<H> {
    hasher: H,
    window: Window,
    nodes: Vec<Node>,
}

impl<H: KeyHasher<Out = u64> + Serialize> Serialize for WindowRing<H> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        WindowRingRef {
            hasher: self.hasher(),
            window: self.window(),
            nodes: self.members(),
        }
        .serialize(to)
    }
}

impl<'de, H: KeyHasher<Out = u64> + Deserialize<'de>> Deserialize<'de> for WindowRing<H> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let record = WindowRingRecord::deserialize(from)?;
        Self::from_nodes_with(record.hasher, record.window, record.nodes).map_err(D::Error::custom)
    }
}
