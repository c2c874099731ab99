//! `zeromicro/go-zero`'s `core/hash`.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::hash::Hasher;
use core::mem::size_of;

use keyroute_core::{
    AtOrAfter, Description, Explanation, KeyHasher, MAX_POINTS, MemberOrder, Members, Node, Place,
    PointPlace, PointTable, Quoted, RouteError, Router, Slot,
};
use keyroute_vector_ring::SortedPoints;

/// The first 64-bit word of MurmurHash3 (x64, 128 bits, seed 0): `murmur3-x64-128-word0`.
///
/// ```
/// use keyroute_interop::{KeyHasher, Murmur3Word};
///
/// assert_eq!(Murmur3Word.hash(b"node-10"), 13_133_808_811_897_459_707);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Murmur3Word;

impl Murmur3Word {
    /// Of all parts, one behind the other.
    fn parts<const N: usize>(parts: [&[u8]; N]) -> u64 {
        let mut hasher = mur3::Hasher128::with_seed(0);
        parts.into_iter().for_each(|part| hasher.write(part));
        hasher.finish128().0
    }
}

impl KeyHasher for Murmur3Word {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        mur3::murmurhash3_x64_128(bytes, 0).0
    }

    fn name(&self) -> Option<String> {
        Some("murmur3-x64-128-word0".into())
    }
}

/// What is hashed in front of a key that several nodes contend for.
const INNER: &[u8] = b"16777619:";

/// go-zero's `ConsistentHash`, changed as the original changes it.
///
/// Point i of a node is [`Murmur3Word`] of `{node}{i}`, i in decimal from 0; the first point at or after the
/// key's hash serves it. A point that several nodes share picks one of them, in the order of adding, by the
/// hash of `16777619:{key}` modulo their number.
///
/// - The label is ambiguous (`node-110` is point 10 of `node-1` and point 0 of `node-11`): among `node-0` to
///   `node-19` there are 90 shared points, so **the order of adding decides**.
/// - A removal takes a point out for each label up to the ring's replicas, also for those that the node never
///   had: **a node of less weight that leaves takes points of others with it**, and history decides. The
///   description names the points that are missing.
/// - A node without replicas is known and owns nothing.
///
/// Keeps none of the laws of change where labels coincide; where none do, all of a ring's.
///
/// Cost: a lookup is two searches in ordered maps; a change is a hash for each replica.
///
/// Source: `core/hash/consistenthash.go` and `hash.go` at commit 11f2109. Keys and nodes are texts here;
/// the original makes texts of numbers and booleans first.
///
/// ```
/// use keyroute_interop::{GoZero, Router};
///
/// let mut ring = GoZero::new(100)?;
/// for node in ["192.168.1.10:8001", "192.168.1.11:8001", "192.168.1.12:8001"] {
///     ring.add(node)?;
/// }
/// assert_eq!(ring.route_id(b"192.168.1.10:800127").unwrap(), "192.168.1.10:8001");
/// ring.add_with_weight("192.168.1.10:8001", 0)?;
/// assert_ne!(ring.route_id(b"192.168.1.10:800127").unwrap(), "192.168.1.10:8001");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone)]
pub struct GoZero {
    replicas: u32,
    members: Members,
    /// By slot.
    replicas_of: Vec<u32>,
    /// How often each point is in the original's sorted list.
    keys: BTreeMap<u64, u32>,
    /// The nodes that share each point, in the order of adding.
    nodes: BTreeMap<u64, Vec<Slot>>,
}

impl GoZero {
    /// The least number of replicas of a ring; a smaller one is raised to it.
    pub const MIN_REPLICAS: u32 = 100;
    /// The weight that means all replicas.
    pub const TOP_WEIGHT: u32 = 100;

    /// An empty ring of so many replicas a node, at least 100.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] over 2^24.
    pub fn new(replicas: u32) -> Result<Self, RouteError> {
        if u64::from(replicas) > MAX_POINTS {
            return Err(RouteError::PointsPerWeight {
                given: replicas,
                accepted: "at most 16777216",
            });
        }
        Ok(Self {
            replicas: replicas.max(Self::MIN_REPLICAS),
            members: Members::new(),
            replicas_of: Vec::new(),
            keys: BTreeMap::new(),
            nodes: BTreeMap::new(),
        })
    }

    /// The original's `Add`: all replicas. A node that is present is removed first.
    ///
    /// # Errors
    ///
    /// As [`Node::new`], [`RouteError::TooManyNodes`], [`RouteError::TooManyPoints`]. The ring is as it was.
    pub fn add(&mut self, node: &str) -> Result<(), RouteError> {
        self.add_with_replicas(node, self.replicas)
    }

    /// The original's `AddWithReplicas`: so many replicas, at most the ring's; 0 is allowed, and stands for
    /// a negative number too.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_with_replicas(&mut self, node: &str, replicas: u32) -> Result<(), RouteError> {
        let replicas = replicas.min(self.replicas);
        let new = Node::new(node)?;
        if self.members.slot_of(node).is_none() {
            self.members.check_new(&new)?;
        }
        let points = (self.nodes.len() as u64).saturating_add(replicas.into());
        if points > MAX_POINTS {
            return Err(RouteError::TooManyPoints {
                points,
                points_per_weight: Some(self.replicas),
            });
        }
        self.remove(node);
        let slot = self.members.add(new)?;
        self.replicas_of.resize(self.members.slot_bound(), 0);
        self.replicas_of[slot.index() as usize] = replicas;
        for point in points_of(node, replicas) {
            *self.keys.entry(point).or_default() += 1;
            self.nodes.entry(point).or_default().push(slot);
        }
        Ok(())
    }

    /// The original's `AddWithWeight`: ⌊replicas × weight ÷ 100⌋ replicas.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn add_with_weight(&mut self, node: &str, weight: u32) -> Result<(), RouteError> {
        let replicas = u64::from(self.replicas) * u64::from(weight) / u64::from(Self::TOP_WEIGHT);
        self.add_with_replicas(node, u32::try_from(replicas).unwrap_or(u32::MAX))
    }

    /// The original's `Remove`; says whether the node was known.
    ///
    /// For each label up to the ring's replicas one copy of its point goes, whoever it stands for.
    pub fn remove(&mut self, node: &str) -> bool {
        let Ok((slot, _)) = self.members.remove(node) else {
            return false;
        };
        for point in points_of(node, self.replicas) {
            if let Some(copies) = self.keys.get_mut(&point) {
                *copies -= 1;
                if *copies == 0 {
                    self.keys.remove(&point);
                }
            }
            if let Some(nodes) = self.nodes.get_mut(&point) {
                nodes.retain(|&kept| kept != slot);
                if nodes.is_empty() {
                    self.nodes.remove(&point);
                }
            }
        }
        true
    }

    /// The points with the nodes that share each, ascending; those that are missing from the sorted list
    /// included.
    pub fn points(&self) -> impl Iterator<Item = (u64, &[Slot])> {
        self.nodes
            .iter()
            .map(|(&point, nodes)| (point, nodes.as_slice()))
    }
}

/// The points of a node's first labels.
fn points_of(node: &str, replicas: u32) -> impl Iterator<Item = u64> {
    let mut label = String::from(node);
    let index_at = label.len();
    (0..replicas).map(move |index| {
        label.truncate(index_at);
        // Writing to a string cannot fail.
        let _ = write!(label, "{index}");
        Murmur3Word.hash(label.as_bytes())
    })
}

impl Router for GoZero {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        let ahead = self.keys.range(Murmur3Word.hash(key)..).next();
        let (point, _) = ahead.or_else(|| self.keys.first_key_value())?;
        match self.nodes.get(point)?.as_slice() {
            [only] => Some(*only),
            several => {
                let inner = Murmur3Word::parts([INNER, key]);
                let place = inner.checked_rem(several.len() as u64)?;
                several.get(usize::try_from(place).ok()?).copied()
            }
        }
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("go-zero/1", MemberOrder::Listed);
        description.hasher("hasher", &Murmur3Word);
        description.field("replicas", self.replicas);
        for (slot, node) in self.members.iter() {
            let replicas = self.replicas_of[slot.index() as usize];
            if replicas != self.replicas {
                let id = Quoted(node.id().as_str());
                description.field(&alloc::format!("replicas of {id}"), replicas);
            }
        }
        let missing = self
            .nodes
            .keys()
            .filter(|point| !self.keys.contains_key(point));
        let missing: Vec<_> = missing.map(|point| alloc::format!("{point:x}")).collect();
        description.field("missing points", missing.join(" "));
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        // B-tree nodes are on average about two thirds full; a list of one slot has room for four.
        let keys = self.keys.len() * size_of::<(u64, u32)>() * 3 / 2;
        let entry = size_of::<(u64, Vec<Slot>)>() * 3 / 2 + 4 * size_of::<Slot>();
        self.members.heap_bytes()
            + self.replicas_of.capacity() * size_of::<u32>()
            + keys
            + self.nodes.len() * entry
    }

    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let at = Murmur3Word.hash(key);
        let why = Explanation::of(self, key).hashed(&Murmur3Word, at);
        // Points that are not in the sorted list serve nobody.
        let served = self
            .nodes
            .iter()
            .filter(|(point, _)| self.keys.contains_key(point));
        let points =
            served.flat_map(|(&point, nodes)| nodes.iter().map(move |&slot| (point, slot)));
        let mut table = SortedPoints::default();
        table.insert(points.collect(), &|a, b| a.cmp(&b));
        let ties = "by a second hash of the key";
        let mut place = Place::on_ring::<AtOrAfter, _, _>(&table, &self.members, ties, at);
        if let (Place::Arc(arc), Some(owner)) = (&mut place, why.owner())
            && let Ok(point) = u64::try_from(arc.point.position.value())
            && let Some(of_owner) = PointPlace::of(&table, &self.members, ties, point, owner)
        {
            arc.point = of_owner;
        }
        why.placed(place)
    }
}

impl fmt::Debug for GoZero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoZero")
            .field("replicas", &self.replicas)
            .field("members", &self.members)
            .field("points", &self.nodes.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use keyroute_core::{KeyHasher, Router};

    use super::{GoZero, INNER, Murmur3Word};

    fn ring<'a>(nodes: impl IntoIterator<Item = &'a str>) -> GoZero {
        let mut ring = GoZero::new(0).unwrap();
        nodes.into_iter().for_each(|node| ring.add(node).unwrap());
        ring
    }

    fn owners(ring: &GoZero) -> Vec<String> {
        let owner = |key: u32| ring.route_id(key.to_string().as_bytes());
        (0..20_000)
            .map(|key| owner(key).map_or(String::new(), ToString::to_string))
            .collect()
    }

    #[test]
    fn hashes_are_as_documented() {
        assert_eq!(Murmur3Word.hash(b"node-110"), 12_272_868_028_626_755_382);
        assert_eq!(
            Murmur3Word.hash(b"user:0:session"),
            14_329_913_255_635_846_934
        );
        let inner = Murmur3Word::parts([INNER, b"user:0:session"]);
        assert_eq!(inner, 3_292_065_376_948_980_809);
    }

    #[test]
    fn twenty_nodes_share_ninety_points() {
        let names: Vec<String> = (0..20).map(|i| alloc::format!("node-{i}")).collect();
        let ring = ring(names.iter().map(String::as_str));
        assert_eq!(
            ring.points().filter(|(_, nodes)| nodes.len() > 1).count(),
            90
        );
    }

    /// The case that the original's rule of removal is known for: `node-1` has 10 points, but its labels up to
    /// 99 are looked for, ten of which `node-11` has.
    #[test]
    fn a_light_node_that_leaves_takes_points_of_others_with_it() {
        let others: Vec<String> = (2..20).map(|i| alloc::format!("node-{i}")).collect();
        let fresh = ring(others.iter().map(String::as_str));
        let mut changed = fresh.clone();
        changed.add_with_weight("node-1", 10).unwrap();
        let light = changed.clone();
        assert!(changed.remove("node-1") && !changed.remove("node-1"));
        // Ten labels of each of node-10 to node-19: 0 to 9.
        assert_eq!(changed.points().count() - changed.keys.len(), 90);
        let (left, never) = (owners(&changed), owners(&fresh));
        let differ = left.iter().zip(&never).filter(|(a, b)| a != b).count();
        assert!(differ > 100, "{differ}");
        assert_ne!(changed.fingerprint(), fresh.fingerprint());
        // What is missing comes back with its node alone.
        changed.add_with_weight("node-1", 10).unwrap();
        assert_ne!(owners(&changed), owners(&light));
        for name in &others {
            changed.add(name).unwrap();
        }
        changed.remove("node-1");
        assert_ne!(owners(&changed), never);
    }

    #[test]
    fn a_shared_point_outlives_one_of_its_nodes() {
        let names: Vec<String> = (0..20).map(|i| alloc::format!("node-{i}")).collect();
        let mut changed = ring(names.iter().map(String::as_str));
        changed.remove("node-1");
        assert_eq!(changed.points().count(), changed.keys.len());
        let others = names.iter().filter(|name| *name != "node-1");
        let fresh = ring(others.map(String::as_str));
        assert_eq!(owners(&changed), owners(&fresh));
        assert_eq!(changed.fingerprint(), fresh.fingerprint());
    }

    #[test]
    fn replicas_are_cut_and_raised() {
        let mut ring = GoZero::new(7).unwrap();
        assert_eq!(ring.replicas, 100);
        for (weight, points) in [(0, 0), (1, 1), (33, 33), (100, 100), (250, 100)] {
            ring.add_with_weight("a", weight).unwrap();
            assert_eq!(ring.points().count(), points);
        }
        ring.add_with_replicas("a", 0).unwrap();
        assert_eq!((ring.route(b"k"), ring.members().len()), (None, 1));
        let mut large = GoZero::new(150).unwrap();
        large.add_with_weight("a", 33).unwrap();
        assert_eq!(large.points().count(), 49);
        assert!(GoZero::new((1 << 24) + 1).is_err());
    }

    /// Points of one node's labels go with its removal, so that changes without coinciding labels leave no
    /// trace.
    #[test]
    fn without_coinciding_labels_history_decides_nothing() {
        let mut changed = ring(["alpha", "beta"]);
        changed.add("gamma").unwrap();
        changed.add("alpha").unwrap();
        changed.remove("gamma");
        assert_eq!(changed.fingerprint(), ring(["beta", "alpha"]).fingerprint());
        assert_eq!(owners(&changed), owners(&ring(["beta", "alpha"])));
    }
}
