//! The stored forms: for programs that read a plan. They are written, not read back: the routers say more.
//!
//! | type | form |
//! | --- | --- |
//! | `Plan` | `{space, before, after, moves}`, nodes as elsewhere |
//! | `Space` | `{hashes: {bits, hasher}}` or `{partitions: {count, rule, hasher}}` |
//! | `Move` | `{after, through, from, to, copies, drops}`, positions in hexadecimal digits; of partitions `{first, last, …}`, numbers |
//! | `Phase` | `{moves, bytes}` |
//! | `Flows` | `{moved, needed, needless, lost, pairs: [{from, to, needed, needless}], nodes: [{id, sends, receives, drops}]}` |
//! | `Interval` | `{low, high}` |

use ::serde::ser::{SerializeMap, SerializeStruct};
use ::serde::{Serialize, Serializer};
use keyroute_core::NodeId;

use crate::{Ends, Flow, Flows, Interval, Move, NewCopy, NodeFlow, Phase, Plan, Space};

impl Serialize for Plan {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut it = to.serialize_struct("Plan", 4)?;
        it.serialize_field("space", &self.space)?;
        it.serialize_field("before", &self.before)?;
        it.serialize_field("after", &self.after)?;
        it.serialize_field("moves", &self.moves)?;
        it.end()
    }
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum SpaceRecord {
    Hashes {
        bits: u32,
        hasher: String,
    },
    Partitions {
        count: u32,
        rule: &'static str,
        hasher: String,
    },
}

impl Serialize for Space {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let record = match *self {
            Self::Hashes { bits, hasher } => SpaceRecord::Hashes {
                bits,
                hasher: hasher.to_string(),
            },
            Self::Partitions(it) => SpaceRecord::Partitions {
                count: it.count,
                rule: it.rule,
                hasher: it.hasher.to_string(),
            },
        };
        record.serialize(to)
    }
}

impl Serialize for Move {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut it = to.serialize_map(Some(6))?;
        match self.space {
            Space::Hashes { .. } => {
                it.serialize_entry("after", &self.space.shown(self.after).to_string())?;
                it.serialize_entry("through", &self.space.shown(self.through).to_string())?;
            }
            Space::Partitions(_) => {
                it.serialize_entry("first", &self.first())?;
                it.serialize_entry("last", &self.through)?;
            }
        }
        let transfer = self.transfer();
        it.serialize_entry("from", transfer.from())?;
        it.serialize_entry("to", transfer.to())?;
        it.serialize_entry("copies", &transfer.copies().collect::<Vec<_>>())?;
        it.serialize_entry("drops", &transfer.drops().collect::<Vec<_>>())?;
        it.end()
    }
}

impl Serialize for NewCopy<'_> {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut it = to.serialize_struct("NewCopy", 3)?;
        it.serialize_field("from", &self.from)?;
        it.serialize_field("to", self.to)?;
        it.serialize_field("needed", &self.needed)?;
        it.end()
    }
}

impl Serialize for Phase {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut it = to.serialize_struct("Phase", 2)?;
        it.serialize_field("moves", self.moves())?;
        it.serialize_field("bytes", self.bytes())?;
        it.end()
    }
}

#[derive(Serialize)]
struct Pair<'a> {
    from: Option<&'a NodeId>,
    to: &'a NodeId,
    needed: u128,
    needless: u128,
}

impl<'a> Pair<'a> {
    fn of(((from, to), flow): (&'a Ends, Flow)) -> Self {
        Self {
            from: from.as_ref(),
            to,
            needed: flow.needed,
            needless: flow.needless,
        }
    }
}

#[derive(Serialize)]
struct NodeRecord<'a> {
    id: &'a NodeId,
    sends: u128,
    receives: u128,
    drops: u128,
}

impl<'a> NodeRecord<'a> {
    fn of((id, it): (&'a NodeId, NodeFlow)) -> Self {
        Self {
            id,
            sends: it.sends,
            receives: it.receives,
            drops: it.drops,
        }
    }
}

impl Serialize for Flows {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut it = to.serialize_struct("Flows", 6)?;
        it.serialize_field("moved", &self.moved())?;
        it.serialize_field("needed", &self.needed())?;
        it.serialize_field("needless", &self.needless())?;
        it.serialize_field("lost", &self.lost())?;
        it.serialize_field("pairs", &self.iter().map(Pair::of).collect::<Vec<_>>())?;
        it.serialize_field(
            "nodes",
            &self.nodes().map(NodeRecord::of).collect::<Vec<_>>(),
        )?;
        it.end()
    }
}

impl Serialize for Interval {
    fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
        let mut it = to.serialize_struct("Interval", 2)?;
        it.serialize_field("low", &self.low)?;
        it.serialize_field("high", &self.high)?;
        it.end()
    }
}
