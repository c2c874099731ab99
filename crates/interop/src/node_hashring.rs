//! hashring of npm: 3rd-Eden's node-hashring.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem;

use keyroute_core::{
    AtOrAfter, Description, FirstListed, KeyHasher, MAX_POINTS, Members, Node, NodeId, Quoted,
    RouteError, Scheme, Slot,
};
use sha1::{Digest, Sha1};
use sha2::{Sha256, Sha512};

use crate::label_points::labelled;
use crate::share::Fleet;

/// The most points a label.
const MAX_REPLICAS: u32 = 1024;

/// The ring of npm's hashring: `node-hashring/1`.
///
/// - **Labels**: ⌊weight ÷ total × vnodes × n⌋ a node, in doubles from left to right, 40 vnodes by default. At
///   equal weights that is 40, but 39 at n = 7, 14, 28, 49 and others. A node with a number of vnodes of
///   its own, other than the ring's, has that many labels whatever its weight is.
/// - **Points** of label `name-i`: the first words of its digest, 4 (`replicas`) by default. **Words beyond
///   the digest are 0**: of five words of MD5 the last always is.
/// - **Ties** go to the node listed first. A key on a point is that point's.
/// - With [`default port`](Self::with_default_port) a node on that port is hashed without it.
/// - Since shares depend on all nodes, **adding one moves keys between the others**. `swap`, which renames a
///   node and leaves its points, has no counterpart.
/// - `compatibility: "hash_ring"` is `replicas` 3 and nothing else.
///
/// A weight of 0 is 1 there. Source: 3.2.0, `index.js`, and connection-parse 0.0.7.
///
/// ```
/// use keyroute_interop::{VectorRing, node_hashring::HashRing};
///
/// let ring = VectorRing::from_ids_with(HashRing::default(), ["10.0.1.1:11211", "10.0.1.2:11212"])?;
/// assert_eq!(ring.route_id(b"user:1001").unwrap(), "10.0.1.2:11212");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashRing {
    digest: LabelDigest,
    vnodes: u32,
    replicas: u32,
    default_port: Option<u16>,
    of_node: BTreeMap<NodeId, u32>,
}

impl Default for HashRing {
    fn default() -> Self {
        Self {
            digest: LabelDigest::Md5,
            vnodes: 40,
            replicas: 4,
            default_port: None,
            of_node: BTreeMap::new(),
        }
    }
}

impl HashRing {
    /// With this digest.
    #[must_use]
    pub fn with_digest(mut self, digest: LabelDigest) -> Self {
        self.digest = digest;
        self
    }

    /// With `vnode count` so many.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24.
    pub fn with_vnodes(mut self, vnodes: u32) -> Result<Self, RouteError> {
        self.vnodes = checked_vnodes(vnodes)?;
        Ok(self)
    }

    /// With so many vnodes for this node. If it is the ring's own number, this says nothing.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24; as [`NodeId::new`].
    pub fn with_vnodes_of(mut self, id: &str, vnodes: u32) -> Result<Self, RouteError> {
        self.of_node
            .insert(NodeId::new(id)?, checked_vnodes(vnodes)?);
        Ok(self)
    }

    /// With `replicas` so many: points a label. 0 is 1, as there.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] over 1024.
    pub fn with_replicas(mut self, replicas: u32) -> Result<Self, RouteError> {
        if replicas > MAX_REPLICAS {
            return Err(RouteError::Parameter {
                name: "replicas",
                given: replicas.to_string(),
                accepted: "at most 1024",
            });
        }
        self.replicas = replicas.max(1);
        Ok(self)
    }

    /// With `default port`: a node on that port is hashed as what stands before its first colon.
    #[must_use]
    pub fn with_default_port(mut self, port: u16) -> Self {
        self.default_port = Some(port);
        self
    }

    fn labels(&self, fleet: Fleet, node: &Node) -> u64 {
        match self.of_node.get(node.id()) {
            Some(&own) if own != self.vnodes => own.into(),
            _ => fleet.share_in_doubles(node.weight().get(), self.vnodes),
        }
    }

    /// What is hashed of a node: its port stands between its first two colons.
    fn base<'a>(&self, id: &'a str) -> &'a str {
        let mut parts = id.split(':');
        match (parts.next(), parts.next(), self.default_port) {
            (Some(host), Some(port), Some(default)) if port.parse() == Ok(default) => host,
            _ => id,
        }
    }
}

fn checked_vnodes(vnodes: u32) -> Result<u32, RouteError> {
    if vnodes == 0 || u64::from(vnodes) > MAX_POINTS {
        return Err(RouteError::Parameter {
            name: "vnodes",
            given: vnodes.to_string(),
            accepted: "1 to 16777216",
        });
    }
    Ok(vnodes)
}

impl Scheme for HashRing {
    type Position = u32;
    type Hasher = LabelDigest;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;

    fn hasher(&self) -> &LabelDigest {
        &self.digest
    }

    fn name(&self) -> &'static str {
        "node-hashring/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("vnodes", self.vnodes);
        to.field("replicas", self.replicas);
        if let Some(port) = self.default_port {
            to.field("default port", port);
        }
        for (id, vnodes) in &self.of_node {
            to.field(&format!("vnodes of {}", Quoted(id.as_str())), vnodes);
        }
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        members
            .iter()
            .map(|(_, node)| {
                self.labels(fleet, node)
                    .saturating_mul(self.replicas.into())
            })
            .fold(0, u64::saturating_add)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let labels = self.labels(fleet, node);
            let of_node = labelled(self.base(node.id().as_str()), '-', labels, |label| {
                let digest = self.digest.of(label);
                (0..self.replicas).map(move |word| digest.word(word))
            });
            points.extend(of_node.map(|point| (point, slot)));
        }
        Ok(points)
    }
}

/// What hashes labels and keys: a digest of Node's `crypto`, or a function that gives bytes.
#[derive(Clone, Copy, Debug)]
pub enum LabelDigest {
    /// `md5`, the default.
    Md5,
    /// `sha1`.
    Sha1,
    /// `sha256`.
    Sha256,
    /// `sha512`.
    Sha512,
    /// A function of the user's. Its bytes are known to fingerprints by what they are of 16 fixed keys.
    Function(fn(&[u8]) -> DigestBytes),
}

/// Functions are told apart by what they answer.
impl PartialEq for LabelDigest {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Function(a), Self::Function(b)) => [&b""[..], b"a", b"ab"]
                .iter()
                .all(|text| a(text) == b(text)),
            _ => mem::discriminant(self) == mem::discriminant(other),
        }
    }
}

impl Eq for LabelDigest {}

/// The bytes of a digest, at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestBytes {
    bytes: [u8; 64],
}

impl DigestBytes {
    /// These bytes; what is over 64 is cut off.
    #[must_use]
    pub fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; 64];
        let length = digest.len().min(64);
        bytes[..length].copy_from_slice(&digest[..length]);
        Self { bytes }
    }

    /// The little-endian word with this index; 0 beyond the bytes.
    fn word(&self, index: u32) -> u32 {
        let mut words = self.bytes.chunks_exact(4);
        let word = words.nth(index as usize); // u32 fits
        word.map_or(0, |word| {
            word.iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u32::from(byte))
        })
    }
}

impl LabelDigest {
    fn of(self, bytes: &[u8]) -> DigestBytes {
        match self {
            Self::Md5 => DigestBytes::new(&md5::Md5::digest(bytes)),
            Self::Sha1 => DigestBytes::new(&Sha1::digest(bytes)),
            Self::Sha256 => DigestBytes::new(&Sha256::digest(bytes)),
            Self::Sha512 => DigestBytes::new(&Sha512::digest(bytes)),
            Self::Function(digest) => digest(bytes),
        }
    }
}

impl KeyHasher for LabelDigest {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        self.of(key).word(0)
    }

    fn name(&self) -> Option<String> {
        match self {
            Self::Md5 => Some("md5-word0".into()),
            Self::Sha1 => Some("sha1-word0".into()),
            Self::Sha256 => Some("sha256-word0".into()),
            Self::Sha512 => Some("sha512-word0".into()),
            Self::Function(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::{RouteDigest, Weight};
    use keyroute_vector_ring::VectorRing;

    use super::*;

    #[test]
    fn words_beyond_the_digest_are_0_and_serve_keys_that_wrap() {
        let ring = HashRing::default().with_replicas(5).unwrap();
        let ring = VectorRing::from_ids_with(ring, ["a", "b"]).unwrap();
        let points = ring.scheme().fleet_points(ring.members()).unwrap();
        assert_eq!(points.iter().filter(|point| point.0 == 0).count(), 80);
        let last = points.iter().map(|point| point.0).max().unwrap();
        assert_eq!(ring.route_value(last + 1).unwrap().index(), 0);
        let digest = DigestBytes::new(&[1, 2, 3, 4, 5]);
        assert_eq!(
            [0, 1, 2, 16].map(|i| digest.word(i)),
            [0x0403_0201, 5, 0, 0]
        );
    }

    #[test]
    fn a_default_port_is_what_stands_between_two_colons() {
        let ring = HashRing::default().with_default_port(11211);
        for (id, base) in [
            ("10.6.1.1:11211", "10.6.1.1"),
            ("10.6.1.1:11212", "10.6.1.1:11212"),
            ("a:11211:c", "a"),
            ("a:b:11211", "a:b:11211"),
            ("no-port", "no-port"),
        ] {
            assert_eq!(ring.base(id), base);
            assert_eq!(HashRing::default().base(id), id);
        }
    }

    #[test]
    fn vnodes_of_a_nodes_own_leave_its_weight_aside() {
        let node = |id, weight| {
            let weight = Weight::new(weight).unwrap();
            Node::new(id).unwrap().with_weight(weight)
        };
        let members = Members::from_nodes([node("a", 3), node("b", 1)]).unwrap();
        let labels = |ring: &HashRing| ring.count(&members) / 4;
        let ring = HashRing::default();
        assert_eq!(labels(&ring), 60 + 20);
        assert_eq!(
            labels(&ring.clone().with_vnodes_of("a", 7).unwrap()),
            7 + 20
        );
        assert_eq!(labels(&ring.clone().with_vnodes_of("a", 40).unwrap()), 80);
        assert_eq!(ring.clone().with_replicas(0).unwrap().count(&members), 80);
        assert!(ring.clone().with_replicas(1025).is_err());
        assert!(ring.with_vnodes(0).is_err());
    }
}
