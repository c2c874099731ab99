//! spymemcached.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;

use keyroute_core::{
    AtOrAfter, Description, Explanation, KeyHasher, LastListed, MemberOrder, Members, Node,
    RouteError, Scheme, Slot,
};
use keyroute_vector_ring::VectorRing;

use crate::hash::SpyHash;
use crate::label_points::{labelled, md5_points};
use crate::share::Fleet;
use crate::slot_list::{SlotList, SlotRule, repeated};

/// The name that `KetamaNodeKeyFormatter` gives a server in its default format, `SPYMEMCACHED`, on JDK 14 and
/// later: the text of the socket address without its leading slash.
///
/// **A host name brings its resolved address along**, so the ring moves when the name resolves otherwise. An
/// address that never resolved has none; JDK 8 to 13 wrote such as `host:port`, and IPv6 without brackets.
///
/// ```
/// use keyroute_interop::spymemcached::socket_address;
///
/// let ip = Some("10.0.1.1".parse().unwrap());
/// assert_eq!(socket_address(None, ip, 11211), "10.0.1.1:11211");
/// assert_eq!(socket_address(Some("mc1"), ip, 11211), "mc1/10.0.1.1:11211");
/// assert_eq!(socket_address(Some("mc1"), None, 11211), "mc1/<unresolved>:11211");
/// assert_eq!(socket_address(None, Some("::1".parse().unwrap()), 1), "[0:0:0:0:0:0:0:1]:1");
/// ```
#[must_use]
pub fn socket_address(host: Option<&str>, ip: Option<IpAddr>, port: u16) -> String {
    let ip = match ip {
        None => "<unresolved>".into(),
        Some(IpAddr::V4(ip)) => format!("{ip}"),
        Some(IpAddr::V6(ip)) => {
            let [a, b, c, d, e, f, g, h] = ip.segments();
            format!("[{a:x}:{b:x}:{c:x}:{d:x}:{e:x}:{f:x}:{g:x}:{h:x}]")
        }
    };
    match host {
        Some(host) => format!("{host}/{ip}:{port}"),
        None => format!("{ip}:{port}"),
    }
}

/// The name that `KetamaNodeKeyFormatter` gives a server in the format `LIBMEMCACHED`: the host, with the
/// port unless that is 11211. For an IP literal Java asks DNS for the host's name first.
///
/// ```
/// use keyroute_interop::spymemcached::libmemcached_address;
///
/// assert_eq!(libmemcached_address("mc1", 11211), "mc1");
/// assert_eq!(libmemcached_address("mc1", 11212), "mc1:11212");
/// ```
#[must_use]
pub fn libmemcached_address(host: &str, port: u16) -> String {
    if port == 11211 {
        host.into()
    } else {
        format!("{host}:{port}")
    }
}

/// `KetamaNodeLocator` without weights: nodes named by [`socket_address`] or [`libmemcached_address`], in
/// this order.
///
/// # Errors
///
/// As [`VectorRing::from_nodes_with`].
///
/// ```
/// use keyroute_interop::{Node, hash::SpyHash, spymemcached};
///
/// let nodes = [Node::new("mc1/10.0.1.1:11211")?, Node::new("mc2/10.0.1.2:11212")?];
/// let ring = spymemcached::ketama(SpyHash::Ketama, nodes)?;
/// assert_eq!(ring.route_id(b"foo").unwrap(), "mc1/10.0.1.1:11211");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub fn ketama(
    hash: SpyHash,
    nodes: impl IntoIterator<Item = Node>,
) -> Result<VectorRing<Ketama>, RouteError> {
    VectorRing::from_nodes_with(Ketama::new(hash), nodes)
}

/// `KetamaNodeLocator` with a map of weights.
///
/// # Errors
///
/// As [`VectorRing::from_nodes_with`].
pub fn weighted_ketama(
    hash: SpyHash,
    nodes: impl IntoIterator<Item = Node>,
) -> Result<VectorRing<Ketama>, RouteError> {
    VectorRing::from_nodes_with(Ketama::new(hash).weighted(), nodes)
}

/// `ArrayModNodeLocator`: the hash modulo the number of nodes; weights are ignored.
pub type ArrayMod = SlotList<ArrayModRule>;

impl ArrayMod {
    /// These nodes in this order.
    ///
    /// # Errors
    ///
    /// As [`SlotList::new`].
    ///
    /// ```
    /// use keyroute_interop::hash::SpyHash;
    /// use keyroute_interop::{Node, Router, spymemcached::ArrayMod};
    ///
    /// let nodes = [Node::new("10.0.4.0:11211")?, Node::new("10.0.4.1:11211")?];
    /// let modulo = ArrayMod::of_nodes(SpyHash::Native, nodes)?;
    /// assert_eq!(modulo.route_id(b"a").unwrap(), "10.0.4.1:11211"); // "a".hashCode() is 97
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn of_nodes(
        hash: SpyHash,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::new(ArrayModRule { hash }, nodes)
    }
}

/// The ring of spymemcached: `spymemcached/1`. A node's id is what is hashed of it.
///
/// - **Without weights** 160 points a node, always: the four words of MD5 of 40 labels `id-i` under
///   KETAMA, and one point of 160 labels by the hash of keys under any other.
/// - **With weights** the words of MD5 whatever the hash is, of as many labels as a share in single precision
///   gives: 156 points in place of 160 at n = 25, 47, 50 and others; **a share under one label is none**.
///   Then **adding a node moves keys between the others**.
/// - **Ties** go to the node listed last: the ring is a map, which keeps one.
///
/// Its failover asks other hashes of the key, seven times, and may name a node again; a
/// [walk](keyroute_core::Walk) here goes on along the ring.
///
/// Source: 2.12.3 on JDK 17, `KetamaNodeLocator`, `KetamaNodeKeyFormatter`,
/// `DefaultKetamaNodeLocatorConfiguration`, `DefaultHashAlgorithm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ketama {
    hash: SpyHash,
    weighted: bool,
}

impl Ketama {
    /// Without weights, keys hashed so.
    #[must_use]
    pub fn new(hash: SpyHash) -> Self {
        Self {
            hash,
            weighted: false,
        }
    }

    /// With weights.
    #[must_use]
    pub fn weighted(mut self) -> Self {
        self.weighted = true;
        self
    }

    fn points_of(self, fleet: Fleet, weight: u32) -> u64 {
        if self.weighted {
            fleet.in_singles(weight) * 4
        } else {
            160
        }
    }
}

impl Scheme for Ketama {
    type Position = u32;
    type Hasher = SpyHash;
    type Lookup = AtOrAfter;
    type Ties = LastListed;

    fn hasher(&self) -> &SpyHash {
        &self.hash
    }

    fn name(&self) -> &'static str {
        "spymemcached/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("weighted", self.weighted);
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        members
            .iter()
            .map(|(_, node)| self.points_of(fleet, node.weight().get()))
            .sum()
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let count = self.points_of(fleet, node.weight().get());
            let name = node.id().as_str();
            if self.weighted || self.hash == SpyHash::Ketama {
                points.extend(md5_points(name, count / 4).map(|point| (point, slot)));
            } else {
                let by_hash = labelled(name, '-', count, |label| [self.hash.hash(label)]);
                points.extend(by_hash.map(|point| (point, slot)));
            }
        }
        Ok(points)
    }
}

/// The rule of [`ArrayMod`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayModRule {
    hash: SpyHash,
}

impl ArrayModRule {
    /// Keys hashed so.
    #[must_use]
    pub fn new(hash: SpyHash) -> Self {
        Self { hash }
    }
}

impl SlotRule for ArrayModRule {
    const NAME: &'static str = "spymemcached-array-mod/1";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError> {
        repeated(members, members.listed(), |_| 1)
    }

    fn place(&self, key: &[u8], entries: u32) -> u32 {
        self.hash.hash(key) % entries
    }

    fn hashed(&self, why: Explanation, key: &[u8]) -> Explanation {
        why.hashed(&self.hash, self.hash.hash(key))
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only mode whose points depend on the hash; the weighted one never does.
    #[test]
    fn weights_make_points_of_md5_whatever_the_hash() {
        let points = |scheme: Ketama| {
            let nodes = ["10.0.1.1:11211", "10.0.1.2:11212"].map(|id| Node::new(id).unwrap());
            let ring = VectorRing::from_nodes_with(scheme, nodes).unwrap();
            scheme.fleet_points(ring.members()).unwrap()
        };
        let ketama = points(Ketama::new(SpyHash::Ketama));
        assert_eq!(points(Ketama::new(SpyHash::Fnv1a32).weighted()), ketama);
        let plain = points(Ketama::new(SpyHash::Fnv1a32));
        assert_eq!(plain.len(), 320);
        let first: Vec<u32> = plain[..3].iter().map(|&(position, _)| position).collect();
        assert_eq!(first, [2_779_353_827, 2_762_576_208, 2_812_909_065]);
    }

    #[test]
    fn points_stay_160_without_weights_and_fall_to_156_with_them() {
        let nodes: Vec<Node> = (0..25)
            .map(|i| Node::new(alloc::format!("10.0.0.{i}:11211")).unwrap())
            .collect();
        let plain = ketama(SpyHash::Ketama, nodes.clone()).unwrap();
        assert_eq!(plain.points(), 25 * 160);
        let weighted = weighted_ketama(SpyHash::Ketama, nodes).unwrap();
        assert_eq!(weighted.points(), 25 * 156);
        assert_ne!(plain.fingerprint(), weighted.fingerprint());
    }
}
