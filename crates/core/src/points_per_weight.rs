//! [`PointsPerWeight`]: how many points a unit of weight takes.

use alloc::vec::Vec;
use core::fmt;

use crate::{KeyHasher, MAX_POINTS, Node, NodeLabel, RouteError};

/// The points a node of weight 1 takes unless said: shares then differ by about 8 %.
pub const DEFAULT_POINTS_PER_WEIGHT: u32 = 160;

/// How many points a unit of weight takes: 1 to 2^24. By default 160.
///
/// A part of schemes whose nodes take the native points, each node for itself.
///
/// ```
/// use keyroute_core::{Node, PointsPerWeight, Weight};
///
/// let node = Node::new("a")?.with_weight(Weight::new(3)?);
/// assert_eq!(PointsPerWeight::of::<64>().count(&node), 192);
/// assert!(PointsPerWeight::new(0).is_err());
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointsPerWeight(u32);

impl PointsPerWeight {
    /// This many points.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn new(given: u32) -> Result<Self, RouteError> {
        if given == 0 || u64::from(given) > MAX_POINTS {
            return Err(RouteError::PointsPerWeight {
                given,
                accepted: "1 to 16777216",
            });
        }
        Ok(Self(given))
    }

    /// This many points, as a constant; a number out of range does not compile.
    #[must_use]
    pub const fn of<const POINTS: u32>() -> Self {
        const {
            assert!(
                POINTS >= 1 && POINTS as u64 <= MAX_POINTS,
                "1 to 2^24 points"
            );
        };
        Self(POINTS)
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }

    /// How many points this node takes.
    #[must_use]
    pub fn count(self, node: &Node) -> u64 {
        u64::from(self.0) * u64::from(node.weight().get())
    }

    /// The native points of this node: point j is the hash of its [`NodeLabel`] with index j.
    ///
    /// It allocates [`count`](Self::count) positions: check that against [`MAX_POINTS`] before.
    pub fn points<H: KeyHasher>(self, hasher: &H, node: &Node) -> Vec<H::Out> {
        NodeLabel::new(node.id()).hash_each(hasher, self.indices(node))
    }

    /// The indices of this node's points.
    pub(crate) fn indices(self, node: &Node) -> core::ops::Range<u32> {
        // The ring has refused more than MAX_POINTS before it asks for points.
        0..u32::try_from(self.count(node)).unwrap_or(u32::MAX)
    }
}

impl Default for PointsPerWeight {
    fn default() -> Self {
        Self(DEFAULT_POINTS_PER_WEIGHT)
    }
}

impl fmt::Display for PointsPerWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
