//! [`BuraksezerFill`]: the tables of the Go package `buraksezer/consistent`.

use alloc::vec::Vec;

use keyroute_core::{
    Description, KeyHasher, MAX_POINTS, MemberOrder, Members, Node, RouteError, Slot, Weight,
};

use crate::bounded_fill::Load;
use crate::{ByRemainder, Fill, Partitioner, SlotTable};

/// The owners that `buraksezer/consistent` gives its partitions: `slot-table/buraksezer/1`.
///
/// Nodes stand on a ring with some points each; a partition, whose number is hashed, goes to the first
/// node from there that has room. The limit is the same for all nodes (there are no weights). Where two
/// nodes share a point, the one listed later has it. Its two versions label points and round limits
/// differently, so **their tables have nothing in common**: [`v0_10`](Self::v0_10) is also right for
/// v0.9, [`v1_0`](Self::v1_0) for v1.0.0.
///
/// Use it with [`ByRemainder`] over the same hasher. With the package's defaults (271 partitions) that
/// is
///
/// ```
/// use keyroute_slot_table::{BuraksezerFill, ByRemainder, Node, SlotTable, hash::Xxh64};
///
/// let hasher = Xxh64::default();
/// let nodes = ["node-A", "node-B", "node-C"].map(Node::new);
/// let nodes = nodes.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let table = SlotTable::from_nodes_with(BuraksezerFill::v1_0(hasher), ByRemainder::new(hasher, 271)?, nodes)?;
/// assert_eq!(table.partition_of(b"key-0"), 167);
/// # Ok::<(), keyroute_slot_table::RouteError>(())
/// ```
///
/// Where the package panics ("not enough room to distribute partitions") there is
/// [`RouteError::NoRoom`]: under
/// `v0_10` a partition may miss the only node with room, and with more nodes than partitions there is no room at
/// all. What it crashes on is not reproduced: removing a node that shares a point with another.
///
/// For native tables take [`BoundedFill`](crate::BoundedFill): it moves less, has weights, and no
/// partition goes begging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BuraksezerFill<H> {
    hasher: H,
    version: Version,
    points: Points,
    load: Load,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
enum Version {
    #[cfg_attr(feature = "serde", serde(rename = "0.10"))]
    V0_10,
    #[cfg_attr(feature = "serde", serde(rename = "1.0"))]
    V1_0,
}

/// The most points a node takes: what a ring of them costs stays small.
const MAX_POINTS_PER_NODE: u32 = 10_000;

impl<H: KeyHasher<Out = u64>> BuraksezerFill<H> {
    /// As v0.10.0 and earlier, 20 points a node and a load of 1.25.
    #[must_use]
    pub fn v0_10(hasher: H) -> Self {
        Self::of(hasher, Version::V0_10)
    }

    /// As v1.0.0, 20 points a node and a load of 1.25.
    #[must_use]
    pub fn v1_0(hasher: H) -> Self {
        Self::of(hasher, Version::V1_0)
    }

    fn of(hasher: H, version: Version) -> Self {
        Self {
            hasher,
            version,
            points: Points(20),
            load: Load::default(),
        }
    }

    /// The same fill with this many points a node (the package's `ReplicationFactor`).
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] unless it is 1 to 10,000.
    pub fn with_points(mut self, points: u32) -> Result<Self, RouteError> {
        self.points = Points::new(points)?;
        Ok(self)
    }

    /// The same fill with this load, in thousandths of an even share.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is 1,000 to 1,000,000.
    pub fn with_load(mut self, thousandths: u32) -> Result<Self, RouteError> {
        self.load = Load::new(thousandths)?;
        Ok(self)
    }

    /// The most partitions of a node: the package's average load, in its doubles.
    fn limit(&self, nodes: usize, partitions: u32) -> u32 {
        // Members are at most 2^24.
        let nodes = u32::try_from(nodes).unwrap_or(u32::MAX).max(1);
        let load = f64::from(self.load.0) / 1000.0;
        match self.version {
            Version::V0_10 => ceil(f64::from(partitions / nodes) * load),
            Version::V1_0 => ceil(f64::from(partitions) / f64::from(nodes) * load),
        }
    }

    /// Fails for more points than a ring holds, before there are any.
    fn check_count(&self, nodes: usize) -> Result<(), RouteError> {
        let points = (nodes as u64).saturating_mul(self.points.0.into());
        if points > MAX_POINTS {
            return Err(RouteError::TooManyPoints {
                points,
                points_per_weight: Some(self.points.0),
            });
        }
        Ok(())
    }

    /// The points of all members, node by node in the order of listing; equal ones are not settled.
    ///
    /// It allocates them all: a table has refused more than [`MAX_POINTS`].
    #[must_use]
    pub fn points(&self, members: &Members) -> Vec<(u64, Slot)> {
        let mut points = Vec::new();
        let listed = members.listed().into_iter();
        for (slot, node) in listed.filter_map(|slot| Some((slot, members.get(slot)?))) {
            let id = node.id();
            points.extend((0..self.points.0).map(|index| {
                let label = match self.version {
                    Version::V0_10 => alloc::format!("{id}{index}"),
                    Version::V1_0 => alloc::format!("{index}:{id}"),
                };
                (self.hasher.hash(label.as_bytes()), slot)
            }));
        }
        points
    }

    /// The ring: every node's points, ascending.
    fn ring(&self, members: &Members) -> Vec<(u64, Slot)> {
        let mut ring = self.points(members);
        // Stable: equal points stay in the order of listing, and the last of them has them all.
        ring.sort_by_key(|&(point, _)| point);
        for i in (1..ring.len()).rev() {
            if ring[i - 1].0 == ring[i].0 {
                ring[i - 1].1 = ring[i].1;
            }
        }
        ring
    }
}

impl<H: KeyHasher<Out = u64>> Fill for BuraksezerFill<H> {
    const SCHEME: &'static str = "slot-table/buraksezer/1";
    const ORDER: MemberOrder = MemberOrder::Listed;
    type Ranking = ();

    fn rank(&self, _members: &Members) {}

    fn fill(&self, members: &Members, (): &(), partitions: u32) -> Result<Vec<Slot>, RouteError> {
        members.iter().try_for_each(|(_, node)| unweighted(node))?;
        if members.is_empty() {
            return Ok(Vec::new());
        }
        self.check_count(members.len())?;
        let ring = self.ring(members);
        let limit = self.limit(members.len(), partitions);
        let tries = match self.version {
            Version::V0_10 => ring.len() - 1,
            Version::V1_0 => ring.len(),
        };
        let mut held = alloc::vec![0; members.slot_bound()];
        let place = |partition: u32| {
            let hash = self.hasher.hash(&u64::from(partition).to_le_bytes());
            let start = ring.partition_point(|&(point, _)| point < hash);
            let walk = ring[start..].iter().chain(&ring[..start]).take(tries);
            let mut walk = walk.map(|&(_, slot)| slot);
            let slot = walk
                .find(|slot| held[slot.index() as usize] < limit)
                .ok_or(RouteError::NoRoom { partition, limit })?;
            held[slot.index() as usize] += 1;
            Ok(slot)
        };
        (0..partitions).map(place).collect()
    }

    fn describe(&self, description: &mut Description) {
        description.hasher("node_hasher", &self.hasher);
        description.field("points_per_node", self.points.0);
        description.field("load_thousandths", self.load.0);
        description.field(
            "version",
            match self.version {
                Version::V0_10 => "0.10",
                Version::V1_0 => "1.0",
            },
        );
    }
}

impl<H: KeyHasher<Out = u64>> SlotTable<BuraksezerFill<H>, ByRemainder<H>> {
    /// The package's `GetClosestN`: the owner and the `n` − 1 nodes after it in the order of their ids'
    /// hashes, round the end; all nodes if there are fewer.
    ///
    /// Distinct, but no preference order: when the owner leaves, another node than the second may
    /// follow it.
    #[must_use]
    pub fn closest(&self, key: &[u8], n: usize) -> Vec<Slot> {
        let hasher = self.partitioner().hasher();
        let mut hashed: Vec<(u64, Slot)> = Vec::new();
        for slot in self.members().listed() {
            let hash = |node: &Node| (hasher.hash(node.id().as_bytes()), slot);
            hashed.extend(self.members().get(slot).map(hash));
        }
        // Stable: equal hashes stay in the order of listing.
        hashed.sort_by_key(|&(hash, _)| hash);
        let owner = self.route(key);
        let Some(start) = hashed.iter().position(|&(_, slot)| Some(slot) == owner) else {
            return Vec::new();
        };
        let round = hashed[start..].iter().chain(&hashed[..start]);
        round.map(|&(_, slot)| slot).take(n).collect()
    }
}

/// The points of a node: 1 to [`MAX_POINTS_PER_NODE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "u32", into = "u32"))]
struct Points(u32);

impl Points {
    fn new(given: u32) -> Result<Self, RouteError> {
        if !(1..=MAX_POINTS_PER_NODE).contains(&given) {
            return Err(RouteError::PointsPerWeight {
                given,
                accepted: "1 to 10000",
            });
        }
        Ok(Self(given))
    }
}

impl TryFrom<u32> for Points {
    type Error = RouteError;

    fn try_from(given: u32) -> Result<Self, RouteError> {
        Self::new(given)
    }
}

impl From<Points> for u32 {
    fn from(points: Points) -> Self {
        points.0
    }
}

fn unweighted(node: &Node) -> Result<(), RouteError> {
    if node.weight() == Weight::ONE {
        return Ok(());
    }
    Err(RouteError::WeightUnsupported {
        id: node.id().clone(),
        weight: node.weight().get(),
        strategy: "buraksezer's table",
    })
}

/// Rounds up a number that is not negative: core has no function for it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^20 partitions times a load of 1000: below 2^30"
)]
fn ceil(number: f64) -> u32 {
    let whole = number as u32;
    whole + u32::from(f64::from(whole) < number)
}
