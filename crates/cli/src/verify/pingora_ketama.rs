//! `pingora-ketama`: the crate's ring, of either version.

use keyroute::VectorRing;
use keyroute_interop::{PingoraKetama, PingoraVersion};
use serde_json::Value;

use super::document::{Document, Key};
use super::hashring_rs::{asked_again, not_listed};
use super::labelled_ring::names_of;
use super::replay::System;
use super::report::Unusable;
use super::ring_system::RingSystem;

struct Pingora<V: PingoraVersion>(RingSystem<PingoraKetama<V>>);

pub(crate) fn set_up(document: &mut Document) -> Result<Box<dyn System>, Unusable> {
    not_listed(document)?;
    document.more.harmless("ring_owner_sequence_note");
    let config = &mut document.config;
    config.only("algorithm", "nginx-style crc32 ring")?;
    let version = config.text("version")?;
    let points = config.whole("points_per_weight")?;
    let nodes = document.nodes.iter();
    let nodes = nodes.map(|node| (node.name.as_str(), node.weight.unwrap_or(1)));
    Ok(match (version.as_deref(), points) {
        (Some("V1"), None | Some(160)) => Box::new(pingora(PingoraKetama::v1(nodes)?)),
        (Some("V2"), Some(points)) => Box::new(pingora(PingoraKetama::v2(points, nodes)?)),
        other => {
            return Err(Unusable(format!(
                "unknown version and points {other:?}: V1 with 160, or V2"
            )));
        }
    })
}

fn pingora<V: PingoraVersion>(ring: VectorRing<PingoraKetama<V>>) -> Pingora<V> {
    Pingora(RingSystem(ring))
}

impl<V: PingoraVersion> System for Pingora<V> {
    fn answer(&mut self, key: &Key) -> Result<Value, Unusable> {
        self.0.answer(key)
    }

    fn told(&self, name: &str, recorded: &Value) -> Result<Option<Value>, Unusable> {
        let ring = &self.0.0;
        match name {
            "node_iter" => asked_again(recorded, |key, length| {
                let round = || PingoraKetama::node_iter(ring, key);
                // The original's goes round for ever.
                let owners = std::iter::repeat_with(round).flatten().take(length);
                Ok(match ring.points() {
                    0 => names_of(ring.members(), []),
                    _ => names_of(ring.members(), owners),
                })
            }),
            _ => Ok(None),
        }
    }

    /// The crate keeps one of equal points.
    fn points(&self) -> Result<Option<Vec<(u128, String)>>, Unusable> {
        let points = self.0.points()?;
        Ok(points.map(|mut points| {
            points.dedup_by_key(|point| point.0);
            points
        }))
    }

    fn locate(&self, key: &[u8]) -> Option<u128> {
        self.0.locate(key)
    }
}
