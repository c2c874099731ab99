//! [`KetamaPoints`]: the native scheme.

use alloc::vec::Vec;

use keyroute_core::hash::Md5Word;
use keyroute_core::{
    AtOrAfter, ById, DEFAULT_POINTS_PER_WEIGHT, MAX_POINTS, Members, Node, PointScheme, RouteError,
    Scheme, Slot,
};

use crate::labels::{POINTS_PER_DIGEST, positions};

/// Ketama's points, independent of the other nodes: `ring/ketama/1`.
///
/// Digest i of a node is the MD5 of `{id}-{i}`, i in decimal from 0; its four little-endian 32-bit
/// words are four points. A node of weight w has `points_per_weight × w` points (160 × w unless said),
/// so a weight moves keys only to its node or away from it. A key stands at word 0 of its MD5. Ties:
/// the lower id comes first. Lookup: at or after.
///
/// No two ids share a label, since the index is what follows the last hyphen; shared *positions* are
/// common on 32 bits, and every point is kept.
///
/// ```
/// use keyroute_ketama::{Ketama, KetamaPoints};
///
/// let scheme = KetamaPoints::default().with_points_per_weight(400)?;
/// let ring = Ketama::from_nodes_with(scheme, [])?;
/// assert_eq!(ring.route(b"user:1"), None);
/// assert!(KetamaPoints::default().with_points_per_weight(150).is_err());
/// # Ok::<(), keyroute_ketama::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Record", into = "Record"))]
pub struct KetamaPoints {
    digests_per_weight: u32,
}

impl KetamaPoints {
    /// The same scheme with this many points per unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] unless it is a multiple of 4 (the points of a digest) from 4 to
    /// 2^24.
    pub fn with_points_per_weight(self, points: u32) -> Result<Self, RouteError> {
        if points == 0
            || !points.is_multiple_of(POINTS_PER_DIGEST)
            || u64::from(points) > MAX_POINTS
        {
            return Err(RouteError::PointsPerWeight {
                given: points,
                accepted: "a multiple of 4, from 4 to 16777216",
            });
        }
        Ok(Self {
            digests_per_weight: points / POINTS_PER_DIGEST,
        })
    }
}

impl Default for KetamaPoints {
    fn default() -> Self {
        Self {
            digests_per_weight: DEFAULT_POINTS_PER_WEIGHT / POINTS_PER_DIGEST,
        }
    }
}

impl Scheme for KetamaPoints {
    type Position = u32;
    type Hasher = Md5Word;
    type Lookup = AtOrAfter;
    type Ties = ById;

    fn hasher(&self) -> &Md5Word {
        &Md5Word::FIRST
    }

    fn name(&self) -> &'static str {
        "ring/ketama/1"
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(self.digests_per_weight * POINTS_PER_DIGEST)
    }
}

impl PointScheme for KetamaPoints {
    fn points(&self, node: &Node) -> Result<Vec<u32>, RouteError> {
        // The ring has refused more than MAX_POINTS before it asks for points.
        let digests = self.digests_per_weight.saturating_mul(node.weight().get());
        Ok(positions(node.id(), digests).collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        u64::from(self.digests_per_weight * POINTS_PER_DIGEST) * u64::from(node.weight().get())
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "KetamaPoints", deny_unknown_fields)]
struct Record {
    points_per_weight: u32,
}

#[cfg(feature = "serde")]
impl From<KetamaPoints> for Record {
    fn from(scheme: KetamaPoints) -> Self {
        Self {
            points_per_weight: scheme.digests_per_weight * POINTS_PER_DIGEST,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Record> for KetamaPoints {
    type Error = RouteError;

    fn try_from(record: Record) -> Result<Self, RouteError> {
        Self::default().with_points_per_weight(record.points_per_weight)
    }
}
