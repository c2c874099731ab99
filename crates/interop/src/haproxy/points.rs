//! [`Points`]: where a consistent backend's servers stand.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use keyroute_core::{
    Description, FirstListed, Members, Nearest, Node, NodeId, PointScheme, Quoted, RouteError,
    Scheme, Slot,
};

use super::{KeyHash, mix};

/// The points of a unit of weight.
pub(super) const POINTS: u32 = 16;

/// A ring of 16 points a unit of weight: point n of a server is [`mix`] of its base and n added.
///
/// Asked as a ring of ours it takes the nearest point, and of several at one position the first listed
/// from either side. HAProxy takes the last from above, which [`Backend`](super::Backend) does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Points {
    pub(super) key: KeyHash,
    /// What each server's points are made from.
    pub(super) bases: BTreeMap<NodeId, u32>,
}

impl Scheme for Points {
    type Position = u32;
    type Hasher = KeyHash;
    type Lookup = Nearest;
    type Ties = FirstListed;

    fn hasher(&self) -> &KeyHash {
        &self.key
    }

    fn name(&self) -> &'static str {
        "haproxy/consistent/1"
    }

    fn describe(&self, to: &mut Description) {
        for (id, base) in &self.bases {
            to.field(&format!("base of {}", Quoted(id.as_str())), base);
        }
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(POINTS)
    }
}

impl PointScheme for Points {
    fn points(&self, node: &Node) -> Result<Vec<u32>, RouteError> {
        let base = self.bases.get(node.id());
        let base = *base.ok_or_else(|| RouteError::Unplaceable {
            id: node.id().clone(),
            reason: "is no server of this backend: make the backend anew",
        })?;
        let count = node.weight().get().saturating_mul(POINTS);
        Ok((0..count).map(|n| mix(base.wrapping_add(n))).collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        u64::from(node.weight().get()) * u64::from(POINTS)
    }
}
