//! [`MultiProbeScheme`]: few points, many questions.

use alloc::vec::Vec;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    ById, KeyHasher, Members, Node, PointScheme, PointsPerWeight, Probes, RouteError, Scheme, Slot,
};

/// Native points, one for each unit of weight, and K probes a key: `multi-probe/1`.
///
/// Point j of a node is that of [`Native`](keyroute_core::Native). [`Probes`] says where a key asks and which answer counts. A
/// node of weight w has w points, so it stands for w nodes; all weights together are at most 2^24, and
/// large ones should be divided by what they have in common. Ties: the lower id comes first.
///
/// K is part of the type, 1 to 128, and of the fingerprint.
///
/// ```
/// use keyroute_multi_probe::{MultiProbe, MultiProbeScheme, Node, hash::Xxh3};
///
/// let nodes = [Node::new("a")?, Node::new("b")?];
/// let five = MultiProbe::from_nodes_with(MultiProbeScheme::<_, 5>::new(Xxh3), nodes.clone())?;
/// let default = MultiProbe::from_nodes(nodes)?;
/// assert_ne!(five.fingerprint(), default.fingerprint());
/// # Ok::<(), keyroute_multi_probe::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiProbeScheme<H = NativeHasher, const K: usize = 21> {
    hasher: H,
    points_per_weight: PointsPerWeight,
}

impl<H: KeyHasher, const K: usize> MultiProbeScheme<H, K> {
    /// K probes and one point for each unit of weight, over this hasher.
    #[must_use]
    pub fn new(hasher: H) -> Self {
        Self {
            hasher,
            points_per_weight: PointsPerWeight::of::<1>(),
        }
    }

    /// The same scheme with this many points per unit of weight. More points lift the least loaded nodes
    /// as they do on a ring, and narrow the peak's spread.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn with_points_per_weight(mut self, points: u32) -> Result<Self, RouteError> {
        self.points_per_weight = PointsPerWeight::new(points)?;
        Ok(self)
    }
}

impl<H: KeyHasher + Default, const K: usize> Default for MultiProbeScheme<H, K> {
    fn default() -> Self {
        Self::new(H::default())
    }
}

impl<H: KeyHasher, const K: usize> Scheme for MultiProbeScheme<H, K> {
    type Position = H::Out;
    type Hasher = H;
    type Lookup = Probes<K>;
    type Ties = ById;

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn name(&self) -> &'static str {
        "multi-probe/1"
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

impl<H: KeyHasher, const K: usize> PointScheme for MultiProbeScheme<H, K> {
    fn points(&self, node: &Node) -> Result<Vec<H::Out>, RouteError> {
        Ok(self.points_per_weight.points(&self.hasher, node))
    }

    fn count_of(&self, node: &Node) -> u64 {
        self.points_per_weight.count(node)
    }
}

/// Stored as `{hasher, points_per_weight, probes}`: another number of probes is refused, not taken for K.
#[cfg(feature = "serde")]
mod stored {
    use alloc::format;

    use keyroute_core::{KeyHasher, PointsPerWeight};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::MultiProbeScheme;

    #[derive(Serialize, Deserialize)]
    #[serde(rename = "MultiProbeScheme", deny_unknown_fields)]
    struct Record<H> {
        hasher: H,
        points_per_weight: PointsPerWeight,
        probes: usize,
    }

    impl<H: KeyHasher + Serialize, const K: usize> Serialize for MultiProbeScheme<H, K> {
        fn serialize<Z: Serializer>(&self, to: Z) -> Result<Z::Ok, Z::Error> {
            Record {
                hasher: &self.hasher,
                points_per_weight: self.points_per_weight,
                probes: K,
            }
            .serialize(to)
        }
    }

    impl<'de, H: KeyHasher + Deserialize<'de>, const K: usize> Deserialize<'de>
        for MultiProbeScheme<H, K>
    {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            let record = Record::<H>::deserialize(from)?;
            if record.probes != K {
                return Err(D::Error::custom(format!(
                    "{} probes a key, this type asks {K}: read it as the type it was stored as",
                    record.probes
                )));
            }
            Ok(Self {
                hasher: record.hasher,
                points_per_weight: record.points_per_weight,
            })
        }
    }
}
