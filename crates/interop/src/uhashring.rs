//! uhashring, in Python.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use keyroute_core::hash::{Md5, Md5Word};
use keyroute_core::{
    After, Description, KeyHasher, LastListed, MAX_POINTS, Members, Node, NodeId, PointScheme,
    Quoted, RouteError, Scheme, Slot,
};

use crate::hash::Md5BigEndian;
use crate::label_points::labelled;
use crate::python_text::name_of;
use crate::share::Fleet;

pub use crate::python_text::{EMPTY_NAME, python_name};

/// `HashRing(hash_fn="ketama")`: `uhashring-ketama/1`.
///
/// - **Labels**: ⌊vnodes × n × weight ÷ total⌋ a node in whole numbers, 40 vnodes by default; of each label
///   `name-i` the first words of its MD5, 4 (`replicas`) by default.
/// - **A key on a point belongs to the next point**. Ties go to the node added last.
/// - Since shares depend on all nodes, **adding one moves keys between the others** where weights differ.
/// - A name may be empty: [`EMPTY_NAME`]. A node of weight 0 has no point, but counts in n: leave it out and
///   say so with [`with_weightless`](Self::with_weightless).
///
/// Keys that are no text are turned into one by `str`, so `b"x"` is the text `b'x'`.
///
/// Source: 2.5, `ring.py`, `ring_ketama.py`, `ring_meta.py`.
///
/// ```
/// use keyroute_interop::{VectorRing, uhashring::Ketama};
///
/// let ring = VectorRing::from_ids_with(Ketama::default(), ["10.0.1.1:11211", "10.0.1.2:11212"])?;
/// assert_eq!(ring.route_id(b"user:1001").unwrap(), "10.0.1.2:11212");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ketama {
    vnodes: u32,
    replicas: u32,
    of_node: BTreeMap<NodeId, u32>,
    weightless: u32,
}

impl Default for Ketama {
    fn default() -> Self {
        Self {
            vnodes: 40,
            replicas: 4,
            of_node: BTreeMap::new(),
            weightless: 0,
        }
    }
}

fn checked(
    name: &'static str,
    given: u32,
    most: u32,
    accepted: &'static str,
) -> Result<u32, RouteError> {
    if given == 0 || given > most {
        return Err(RouteError::Parameter {
            name,
            given: format!("{given}"),
            accepted,
        });
    }
    Ok(given)
}

fn checked_vnodes(given: u32) -> Result<u32, RouteError> {
    #[expect(clippy::cast_possible_truncation, reason = "2^24")]
    checked("vnodes", given, MAX_POINTS as u32, "1 to 16777216")
}

impl Ketama {
    /// With so many vnodes a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24.
    pub fn with_vnodes(mut self, vnodes: u32) -> Result<Self, RouteError> {
        self.vnodes = checked_vnodes(vnodes)?;
        Ok(self)
    }

    /// With so many vnodes for this node.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24; as [`NodeId::new`].
    pub fn with_vnodes_of(mut self, id: &str, vnodes: u32) -> Result<Self, RouteError> {
        self.of_node
            .insert(NodeId::new(id)?, checked_vnodes(vnodes)?);
        Ok(self)
    }

    /// With so many points a label.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is 1 to 4: a digest has four words.
    pub fn with_replicas(mut self, replicas: u32) -> Result<Self, RouteError> {
        self.replicas = checked("replicas", replicas, 4, "1 to 4")?;
        Ok(self)
    }

    /// With so many more nodes, of weight 0: they have no point, but count in n.
    #[must_use]
    pub fn with_weightless(mut self, nodes: u32) -> Self {
        self.weightless = nodes;
        self
    }

    fn fleet(&self, members: &Members) -> Fleet {
        let nodes = members.len() as u64 + u64::from(self.weightless);
        Fleet::new(members.total_weight(), nodes)
    }

    fn labels(&self, fleet: Fleet, node: &Node) -> u64 {
        let vnodes = self.of_node.get(node.id()).copied().unwrap_or(self.vnodes);
        fleet.in_integers(node.weight().get(), vnodes)
    }
}

impl Scheme for Ketama {
    type Position = u32;
    type Hasher = Md5Word;
    type Lookup = After;
    type Ties = LastListed;

    fn hasher(&self) -> &Md5Word {
        &Md5Word::FIRST
    }

    fn name(&self) -> &'static str {
        "uhashring-ketama/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("vnodes", self.vnodes);
        to.field("replicas", self.replicas);
        to.field("nodes of weight 0", self.weightless);
        describe_vnodes(&self.of_node, to);
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = self.fleet(members);
        let replicas = u64::from(self.replicas);
        members
            .iter()
            .map(|(_, node)| self.labels(fleet, node).saturating_mul(replicas))
            .fold(0, u64::saturating_add)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = self.fleet(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let labels = self.labels(fleet, node);
            let of_node = labelled(name_of(node.id()), '-', labels, |label| {
                Md5::words(label).into_iter().take(self.replicas as usize)
            });
            points.extend(of_node.map(|point| (point, slot)));
        }
        Ok(points)
    }
}

fn describe_vnodes(of_node: &BTreeMap<NodeId, u32>, to: &mut Description) {
    for (id, vnodes) in of_node {
        to.field(&format!("vnodes of {}", Quoted(id.as_str())), vnodes);
    }
}

/// `HashRing()`, the default mode: `uhashring/1`.
///
/// - **Points**: all of MD5 of `name-i` as a number of 128 bits, as its hex digits write it; vnodes × weight
///   of them, 160 vnodes by default. They do not depend on the other nodes, so nodes come and go.
/// - Keys likewise. **A key on a point belongs to the next point**. Ties go to the node added last.
/// - A name may be empty: [`EMPTY_NAME`]. A node of weight 0 has no point: leave it out.
///
/// Source: 2.5, `ring.py`, `ring_meta.py`.
///
/// ```
/// use keyroute_interop::{VectorRing, uhashring::Meta};
///
/// let ring = VectorRing::from_ids_with(Meta::default(), ["10.0.1.1:11211", "10.0.1.2:11212"])?;
/// assert_eq!(ring.route_id(b"foo").unwrap(), "10.0.1.2:11212");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    vnodes: u32,
    of_node: BTreeMap<NodeId, u32>,
}

impl Default for Meta {
    fn default() -> Self {
        Self {
            vnodes: 160,
            of_node: BTreeMap::new(),
        }
    }
}

impl Meta {
    /// With so many points per unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24.
    pub fn with_vnodes(mut self, vnodes: u32) -> Result<Self, RouteError> {
        self.vnodes = checked_vnodes(vnodes)?;
        Ok(self)
    }

    /// With so many points per unit of weight for this node.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24; as [`NodeId::new`].
    pub fn with_vnodes_of(mut self, id: &str, vnodes: u32) -> Result<Self, RouteError> {
        self.of_node
            .insert(NodeId::new(id)?, checked_vnodes(vnodes)?);
        Ok(self)
    }
}

impl Scheme for Meta {
    type Position = u128;
    type Hasher = Md5BigEndian;
    type Lookup = After;
    type Ties = LastListed;

    fn hasher(&self) -> &Md5BigEndian {
        &Md5BigEndian
    }

    fn name(&self) -> &'static str {
        "uhashring/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("vnodes", self.vnodes);
        describe_vnodes(&self.of_node, to);
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u128, Slot)>, RouteError> {
        self.points_of_each(members)
    }
}

impl PointScheme for Meta {
    fn points(&self, node: &Node) -> Result<Vec<u128>, RouteError> {
        let points = labelled(name_of(node.id()), '-', self.count_of(node), |label| {
            [Md5BigEndian.hash(label)]
        });
        Ok(points.collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        let vnodes = self.of_node.get(node.id()).copied().unwrap_or(self.vnodes);
        u64::from(vnodes) * u64::from(node.weight().get())
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::Weight;
    use keyroute_vector_ring::VectorRing;

    use super::*;

    fn counts(scheme: &Ketama, weights: &[u32]) -> u64 {
        let nodes = (0..).zip(weights).map(|(i, &weight)| {
            let weight = Weight::new(weight).unwrap();
            Node::new(format!("n{i}")).unwrap().with_weight(weight)
        });
        scheme.count(&Members::from_nodes(nodes).unwrap())
    }

    #[test]
    fn vnodes_of_a_node_and_nodes_of_weight_0_count() {
        let scheme = Ketama::default();
        assert_eq!(counts(&scheme, &[1; 100]), 16000);
        assert_eq!(counts(&scheme, &[1, 6]), 4 * (11 + 68)); // ⌊80 × 1 ÷ 7⌋, ⌊80 × 6 ÷ 7⌋
        assert_eq!(
            counts(&scheme.clone().with_weightless(1), &[1, 6]),
            4 * (17 + 102)
        );
        let mixed = scheme.clone().with_vnodes_of("n0", 10).unwrap();
        assert_eq!(counts(&mixed, &[1, 1]), 4 * (10 + 40));
        let one = scheme.with_replicas(1).unwrap().with_vnodes(7).unwrap();
        assert_eq!(counts(&one, &[1, 1]), 14);
        assert!(Ketama::default().with_replicas(5).is_err());
        assert!(Meta::default().with_vnodes(0).is_err());
    }

    /// A key that is a label stands on that label's point: the next one owns it.
    #[test]
    fn a_key_on_a_point_belongs_to_the_next() {
        let ring = VectorRing::from_ids_with(Meta::default(), ["a", "b"]).unwrap();
        let mut points = ring.scheme().fleet_points(ring.members()).unwrap();
        points.sort_unstable();
        for i in 0..160 {
            let label = format!("a-{i}");
            let at = Md5BigEndian.hash(label.as_bytes());
            let next = points.partition_point(|&(position, _)| position <= at) % points.len();
            assert_eq!(ring.route(label.as_bytes()), Some(points[next].1));
        }
    }

    #[test]
    fn the_empty_name_is_written_as_two_apostrophes() {
        assert_eq!(python_name("").unwrap().as_str(), EMPTY_NAME);
        assert!(python_name(EMPTY_NAME).is_err());
        let points = Meta::default().points(&Node::new(EMPTY_NAME).unwrap());
        assert_eq!(points.unwrap()[0], Md5BigEndian.hash(b"-0"));
    }
}
