//! [`LabelledRing`]: the ring that many of the systems share, of labels that are hashed.

use std::collections::BTreeSet;

use keyroute::{AddNode, Members, Node, PointScheme, RemoveNode, Slot, VectorRing};
use serde_json::Value;

use super::fields::Fields;
use super::report::Unusable;
use crate::hashes::{AnyHash, HashName, NamedHash};

/// A ring whose nodes have names alone.
#[derive(Debug)]
pub(crate) struct LabelledRing<S: PointScheme>(pub(crate) VectorRing<S>);

impl<S: PointScheme> LabelledRing<S> {
    /// An empty ring.
    pub(crate) fn new(scheme: S) -> Self {
        Self(VectorRing::with_scheme(scheme))
    }

    /// Adds a node at the end of the list.
    pub(crate) fn add(&mut self, name: &str) -> Result<(), Unusable> {
        self.0.add(Node::new(name)?)?;
        Ok(())
    }

    /// Adds a node unless it is present.
    pub(crate) fn add_new(&mut self, name: &str) -> Result<(), Unusable> {
        add_new(&mut self.0, name)
    }

    /// Adds a node, or makes it the last: it takes over equal points.
    pub(crate) fn add_last(&mut self, name: &str) -> Result<(), Unusable> {
        self.remove(name)?;
        self.add(name)
    }

    /// Removes a node; false if it is absent.
    pub(crate) fn remove(&mut self, name: &str) -> Result<bool, Unusable> {
        remove_present(&mut self.0, name)
    }

    /// The nodes.
    pub(crate) fn members(&self) -> &Members {
        self.0.members()
    }

    /// The owner's name; an empty text without nodes.
    pub(crate) fn owner(&self, key: &[u8]) -> Value {
        name_of(self.members(), self.0.route(key))
    }

    /// How many points there are, equal ones of different nodes counted each.
    pub(crate) fn points(&self) -> u64 {
        self.0.points() as u64
    }

    /// The positions, each once.
    pub(crate) fn positions(&self) -> Result<BTreeSet<S::Position>, Unusable> {
        let points = self.0.scheme().points_of_each(self.members())?;
        Ok(points.into_iter().map(|(position, _)| position).collect())
    }

    /// The positions that points of several nodes share.
    pub(crate) fn shared(&self) -> Result<BTreeSet<S::Position>, Unusable> {
        let points = self.0.scheme().points_of_each(self.members())?;
        Ok(shared_points(points))
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

/// The positions that points of several nodes share.
pub(crate) fn shared_points<P: Copy + Ord>(mut points: Vec<(P, Slot)>) -> BTreeSet<P> {
    points.sort_unstable();
    points.dedup(); // one node's own equal points
    let neighbours = points.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    neighbours.map(|pair| pair[0].0).collect()
}

/// Adds a node unless it is present.
pub(crate) fn add_new(router: &mut impl AddNode, name: &str) -> Result<(), Unusable> {
    if router.members().slot_of(name).is_none() {
        router.add(Node::new(name)?)?;
    }
    Ok(())
}

/// Removes a node; false if it is absent.
pub(crate) fn remove_present(router: &mut impl RemoveNode, name: &str) -> Result<bool, Unusable> {
    let present = router.members().slot_of(name).is_some();
    if present {
        router.remove(name)?;
    }
    Ok(present)
}

/// The names under these slots.
pub(crate) fn names_of(members: &Members, slots: impl IntoIterator<Item = Slot>) -> Value {
    let names = slots.into_iter().map(|slot| name_of(members, Some(slot)));
    names.collect::<Vec<_>>().into()
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
