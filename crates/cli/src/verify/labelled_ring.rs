//! [`LabelledRing`]: the ring that five of the systems share, text labels hashed to 32 bits.

use std::collections::BTreeSet;

use keyroute::{
    KeyHasher, Labelled, Members, Node, PointScheme, Slot, TieOrder, VectorRing, WithTies,
};
use serde_json::Value;

use super::fields::Fields;
use super::report::Unusable;
use crate::hashes::{AnyHash, HashName, NamedHash};

/// A ring of labelled points whose equal positions go to a stated node.
#[derive(Debug)]
pub(crate) struct LabelledRing<H: KeyHasher<Out = u32>, T: TieOrder> {
    ring: VectorRing<WithTies<Labelled<H>, T>>,
}

impl<H: KeyHasher<Out = u32>, T: TieOrder> LabelledRing<H, T> {
    /// An empty ring.
    pub(crate) fn new(label: &str, hasher: H, points: u32) -> Result<Self, Unusable> {
        let scheme = Labelled::new(label, hasher)?.with_points_per_weight(points)?;
        Ok(Self {
            ring: VectorRing::with_scheme(WithTies::new(scheme, T::default())),
        })
    }

    /// Adds a node at the end of the list.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), Unusable> {
        self.ring.add(Node::new(name)?)?;
        Ok(())
    }

    /// Removes a node; false if it is absent.
    pub(crate) fn remove(&mut self, name: &str) -> Result<bool, Unusable> {
        let present = self.contains(name);
        if present {
            self.ring.remove(name)?;
        }
        Ok(present)
    }

    /// Whether the node is a member.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.members().slot_of(name).is_some()
    }

    /// The ring itself.
    pub(crate) fn ring(&self) -> &VectorRing<WithTies<Labelled<H>, T>> {
        &self.ring
    }

    /// The nodes.
    pub(crate) fn members(&self) -> &Members {
        self.ring.members()
    }

    /// The owner's name; an empty text without nodes.
    pub(crate) fn owner(&self, key: &[u8]) -> Value {
        name_of(self.members(), self.ring.route(key))
    }

    /// How many points there are, equal ones of different nodes counted each.
    pub(crate) fn points(&self) -> u64 {
        self.ring.points() as u64
    }

    /// The positions, each once.
    pub(crate) fn positions(&self) -> Result<BTreeSet<u32>, Unusable> {
        let points = self.ring.scheme().points_of_each(self.members())?;
        Ok(points.into_iter().map(|(position, _)| position).collect())
    }

    /// The positions that points of several nodes share.
    pub(crate) fn shared(&self) -> Result<BTreeSet<u32>, Unusable> {
        let mut points = self.ring.scheme().points_of_each(self.members())?;
        points.sort_unstable();
        points.dedup(); // one node's own equal points
        let neighbours = points.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        Ok(neighbours.map(|pair| pair[0].0).collect())
    }

    /// The facts of a run that all these systems tell, by their names in `aux`.
    pub(crate) fn fact(&self, name: &str) -> Result<Option<Value>, Unusable> {
        Ok(match name {
            "distinct_points" => Some(self.positions()?.len().into()),
            "points_shared_by_two_nodes" => Some(self.shared()?.len().into()),
            _ => None,
        })
    }
}

/// The name under this slot; an empty text for none, as the originals write it.
pub(crate) fn name_of(members: &Members, slot: Option<Slot>) -> Value {
    let node = slot.and_then(|slot| members.get(slot));
    node.map_or("", |node| node.id().as_str()).into()
}

/// Takes `hash`: CRC-32 unless it says otherwise.
pub(crate) fn hash_of(config: &mut Fields) -> Result<NamedHash<u32>, Unusable> {
    let name = match config.text("hash")?.as_deref() {
        None | Some("crc32-ieee") => HashName::Crc32,
        Some("fnv1a32") => HashName::Fnv1a32,
        Some(other) => {
            return Err(Unusable(format!(
                "unknown hash {other:?}: crc32-ieee or fnv1a32"
            )));
        }
    };
    match name.any() {
        AnyHash::Narrow(hash) => Ok(hash),
        AnyHash::Plain(_) | AnyHash::Wide(_) => Err(Unusable(format!("{name} has over 32 bits"))),
    }
}
