//! [`Native`]: the point scheme that keyroute recommends.

use alloc::vec::Vec;

use crate::scheme::DefaultLookup;
use crate::{
    ById, KeyHasher, Members, Node, PointScheme, PointsPerWeight, RouteError, Scheme, Slot,
};

/// The scheme of a ring that says none: [`Native`] over the [`NativeHasher`](crate::hash::NativeHasher).
///
/// Without the feature `xxh3` there is no such hasher, this type has no values, and a ring is made with
/// a hasher or a scheme.
pub type DefaultScheme = Native<crate::hash::NativeHasher>;

/// Points from the hash of (length of id, id, index), each on its own: `ring/native/1`.
///
/// Point j is the hash of the node's [`NodeLabel`](crate::NodeLabel) with index j. So no two nodes share a label whatever
/// their names are, and equal hashes of two ids erase nobody. A node of weight w takes
/// `points_per_weight × w` points; point j does not depend on the weight, so raising a weight only adds
/// points.
///
/// Keys are placed by the same hasher. Ties: the lower id comes first. Lookup: at or after.
///
/// ```
/// use keyroute_core::{Native, hash::Xxh3};
/// use keyroute_vector_ring::VectorRing;
///
/// let scheme = Native::new(Xxh3).with_points_per_weight(500)?;
/// let ring = VectorRing::from_nodes_with(scheme, [])?;
/// assert_eq!(ring.route(b"user:1"), None);
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Native<H> {
    hasher: H,
    points_per_weight: PointsPerWeight,
}

impl<H: KeyHasher> Native<H> {
    /// The native scheme over this hasher, with
    /// [`DEFAULT_POINTS_PER_WEIGHT`](crate::DEFAULT_POINTS_PER_WEIGHT).
    #[must_use]
    pub fn new(hasher: H) -> Self {
        Self {
            hasher,
            points_per_weight: PointsPerWeight::default(),
        }
    }

    /// The same scheme with this many points per unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn with_points_per_weight(mut self, points: u32) -> Result<Self, RouteError> {
        self.points_per_weight = PointsPerWeight::new(points)?;
        Ok(self)
    }
}

impl<H: KeyHasher> Scheme for Native<H> {
    type Position = H::Out;
    type Hasher = H;
    type Lookup = DefaultLookup;
    type Ties = ById;

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn name(&self) -> &'static str {
        "ring/native/1"
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(H::Out, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(self.points_per_weight.get())
    }
}

impl<H: KeyHasher> PointScheme for Native<H> {
    fn points(&self, node: &Node) -> Result<Vec<H::Out>, RouteError> {
        Ok(self.points_per_weight.points(&self.hasher, node))
    }

    fn count_of(&self, node: &Node) -> u64 {
        self.points_per_weight.count(node)
    }
}
