//! The stored form of a [`View`]: the parts of its description, so that it can be compared where it arrives.

use std::collections::BTreeMap;

use ::serde::de::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use keyroute_core::{Description, Fingerprint, MemberOrder, Members, Node, NodeId};

use crate::View;
use crate::trail::Trail;

#[derive(Serialize, Deserialize)]
#[serde(rename = "View", deny_unknown_fields)]
struct Record {
    epoch: u64,
    scheme: String,
    order: Order,
    fields: BTreeMap<String, String>,
    nodes: Vec<Node>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    ramps: BTreeMap<NodeId, u32>,
    recent: Vec<Fingerprint>,
}

#[derive(Serialize, Deserialize)]
enum Order {
    #[serde(rename = "by id")]
    ById,
    #[serde(rename = "listed")]
    Listed,
}

impl Serialize for View {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let description = self.description();
        let text = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Record {
            epoch: self.epoch,
            scheme: description.scheme().to_owned(),
            order: match description.order() {
                MemberOrder::ById => Order::ById,
                MemberOrder::Listed => Order::Listed,
            },
            fields: description.fields().map(text).collect(),
            nodes: description.nodes().to_vec(),
            ramps: self.ramps.clone(),
            recent: self.recent().collect(),
        }
        .serialize(to)
    }
}

/// Refuses a record whose newest fingerprint is not that of its own description.
impl<'de> Deserialize<'de> for View {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let record = Record::deserialize(from)?;
        let order = match record.order {
            Order::ById => MemberOrder::ById,
            Order::Listed => MemberOrder::Listed,
        };
        let mut description = Description::new(&record.scheme, order);
        for (name, value) in &record.fields {
            description.field(name, value);
        }
        let members = Members::from_nodes(record.nodes).map_err(D::Error::custom)?;
        description.members_in(&members, members.listed());
        let trail: Trail = record.recent.into_iter().collect();
        let fingerprint = description.fingerprint();
        if trail.newest() != Some(fingerprint) {
            let said = trail
                .newest()
                .map_or_else(|| "absent".to_owned(), |it| it.to_string());
            return Err(D::Error::custom(format!(
                "the newest fingerprint is {said}: what the view describes has {fingerprint}"
            )));
        }
        Ok(Self {
            epoch: record.epoch,
            description,
            ramps: record.ramps,
            trail,
        })
    }
}
