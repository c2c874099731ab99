//! Cloudflare's crate `pingora-ketama`.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::{self, Write};
use core::marker::PhantomData;
use core::net::SocketAddr;

use keyroute_core::hash::Crc32;
use keyroute_core::{
    AtOrAfter, Edge, FirstListed, MemberOrder, Members, Node, PointScheme, PointTable,
    PointsPerWeight, RouteDigest, RouteError, Scheme, Slot, TieOrder,
};
use keyroute_vector_ring::VectorRing;

/// The rings of `pingora-ketama`, a scheme for [`VectorRing`]; `V` is the crate's version, [`V1`] or [`V2`].
///
/// A node is a socket address with a weight. Its points are a chain: each is the CRC-32 of its base (the address
/// without brackets as Rust writes it, a NUL, the port in decimal) and the point before in four bytes,
/// little-endian, from 0. It has 160 for a unit of weight (V2: any number). The first point at or after the
/// CRC-32 of the key owns it.
///
/// Of nodes on one point V2 gives it to the lower address (IPv4 before IPv6, then the port); **V1 sorts
/// unstably, so that nobody can tell**: here the node listed first has it. The loser's point is kept, and
/// comes up if the winner leaves, as in a ring made anew.
///
/// All laws of rings are kept (V1: but that the order decides nothing). Cost: as [`VectorRing`]; the crate
/// itself cannot add or remove.
///
/// Source: `pingora-ketama` 0.9.1.
///
/// ```
/// use keyroute_interop::PingoraKetama;
///
/// let ring = PingoraKetama::v1([("10.0.1.1:11211", 1), ("10.0.1.2:11212", 1)])?;
/// assert_eq!(ring.route_id(b"foo").unwrap(), "10.0.1.1:11211");
/// assert_eq!(ring.route_id(b"user:1001").unwrap(), "10.0.1.2:11212");
/// assert!(PingoraKetama::v1([("cache-1:11211", 1)]).is_err());
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub struct PingoraKetama<V> {
    points_per_weight: PointsPerWeight,
    version: PhantomData<V>,
}

/// A version of the crate's ring.
pub trait PingoraVersion {
    /// The preset's name and revision.
    const NAME: &'static str;
    /// Who owns a point that two nodes share.
    type Ties: TieOrder;
}

/// `Version::V1`, the default.
#[derive(Clone, Copy, Debug)]
pub struct V1;

impl PingoraVersion for V1 {
    const NAME: &'static str = "pingora-ketama/v1/1";
    type Ties = FirstListed;
}

/// `Version::V2`.
#[derive(Clone, Copy, Debug)]
pub struct V2;

impl PingoraVersion for V2 {
    const NAME: &'static str = "pingora-ketama/v2/1";
    type Ties = ByAddress;
}

/// The most nodes: their numbers have 16 bits.
const MAX_NODES: usize = 1 << 16;

impl PingoraKetama<V1> {
    /// A ring of these addresses and weights, of 160 points for a unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::Unplaceable`] for what is no socket address, [`RouteError::ZeroWeight`],
    /// [`RouteError::TooManyNodes`] over 65,536, and as [`VectorRing::from_nodes_with`].
    pub fn v1<A: AsRef<str>>(
        nodes: impl IntoIterator<Item = (A, u32)>,
    ) -> Result<VectorRing<Self>, RouteError> {
        Self::of(PointsPerWeight::of::<160>(), nodes)
    }
}

impl PingoraKetama<V2> {
    /// A ring of these addresses and weights, of so many points for a unit of weight.
    ///
    /// # Errors
    ///
    /// As [`v1`](PingoraKetama::v1), and [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    pub fn v2<A: AsRef<str>>(
        point_multiple: u32,
        nodes: impl IntoIterator<Item = (A, u32)>,
    ) -> Result<VectorRing<Self>, RouteError> {
        Self::of(PointsPerWeight::new(point_multiple)?, nodes)
    }
}

impl<V: PingoraVersion> PingoraKetama<V> {
    fn of<A: AsRef<str>>(
        points_per_weight: PointsPerWeight,
        nodes: impl IntoIterator<Item = (A, u32)>,
    ) -> Result<VectorRing<Self>, RouteError> {
        let node =
            |(address, weight): (A, u32)| Ok(Node::new(address)?.with_weight(weight.try_into()?));
        let nodes: Result<Vec<Node>, RouteError> = nodes.into_iter().map(node).collect();
        let version = PhantomData;
        VectorRing::from_nodes_with(
            Self {
                points_per_weight,
                version,
            },
            nodes?,
        )
    }

    /// The crate's `node_iter`: the owners of successive points from the key's on, once round; a node appears
    /// for each of its points. (The crate's goes round for ever.)
    pub fn node_iter<'a>(
        ring: &'a VectorRing<Self>,
        key: &[u8],
    ) -> impl Iterator<Item = Slot> + 'a {
        let at = ring.digest(key).value();
        let mut last = None;
        let ahead = ring.table().forward(at, Edge::Inclusive);
        // Of equal points the crate keeps the first.
        ahead
            .filter(move |&(point, _)| last.replace(point) != Some(point))
            .map(|(_, slot)| slot)
    }
}

impl<V: PingoraVersion> Scheme for PingoraKetama<V> {
    type Position = u32;
    type Hasher = Crc32;
    type Lookup = AtOrAfter;
    type Ties = V::Ties;

    fn hasher(&self) -> &Crc32 {
        &Crc32
    }

    fn name(&self) -> &'static str {
        V::NAME
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        if members.len() > MAX_NODES {
            return Err(RouteError::TooManyNodes {
                limit: MAX_NODES as u64,
            });
        }
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(self.points_per_weight.get())
    }
}

impl<V: PingoraVersion> PointScheme for PingoraKetama<V> {
    fn points(&self, node: &Node) -> Result<Vec<u32>, RouteError> {
        let address = address(node).ok_or_else(|| RouteError::Unplaceable {
            id: node.id().clone(),
            reason: "is no socket address: give an IP and a port, as 10.0.0.1:80 or [::1]:80",
        })?;
        let mut base = Base(crc32fast::Hasher::new());
        // Writing to a hasher cannot fail.
        let _ = write!(base, "{}\0{}", address.ip(), address.port());
        let mut last = 0u32;
        let count = usize::try_from(self.count_of(node)).unwrap_or(usize::MAX);
        let chain = core::iter::repeat_with(|| {
            let mut hasher = base.0.clone();
            hasher.update(&last.to_le_bytes());
            last = hasher.finalize();
            last
        });
        Ok(chain.take(count).collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        self.points_per_weight.count(node)
    }
}

fn address(node: &Node) -> Option<SocketAddr> {
    node.id().as_str().parse().ok()
}

/// A hasher as something to write text to.
struct Base(crc32fast::Hasher);

impl Write for Base {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// The lower socket address comes first: IPv4 before IPv6, then the address, then the port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByAddress;

impl TieOrder for ByAddress {
    const NAME: &'static str = "by address";
    const ORDER: MemberOrder = MemberOrder::ById;

    fn cmp(members: &Members, a: Slot, b: Slot) -> Ordering {
        let of = |slot| members.get(slot).and_then(address);
        // Addresses can be written in several ways, ids differ.
        of(a).cmp(&of(b)).then_with(|| members.cmp_id(a, b))
    }
}

// By hand, since a version is never a value.
impl<V> Clone for PingoraKetama<V> {
    fn clone(&self) -> Self {
        Self {
            points_per_weight: self.points_per_weight,
            version: PhantomData,
        }
    }
}

impl<V: PingoraVersion> fmt::Debug for PingoraKetama<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PingoraKetama")
            .field("version", &V::NAME)
            .field("points_per_weight", &self.points_per_weight)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::cmp::Ordering;

    use keyroute_core::{Members, Node, PointScheme, RouteDigest, Scheme, TieOrder};

    use super::{ByAddress, PingoraKetama, address};

    #[test]
    fn chains_begin_as_documented() {
        let nodes = [("10.0.1.1:11211", 1), ("10.0.1.2:11212", 1)];
        let ring = PingoraKetama::v1(nodes).unwrap();
        for (name, chain) in [
            (
                "10.0.1.1:11211",
                [3_775_326_715, 2_533_746_202, 1_624_309_936],
            ),
            (
                "10.0.1.2:11212",
                [1_061_483_818, 1_639_427_191, 2_298_454_202],
            ),
        ] {
            let points = ring.scheme().points(&Node::new(name).unwrap()).unwrap();
            assert_eq!((points.len(), &points[..3]), (160, chain.as_slice()));
        }
        let mut points = ring.scheme().fleet_points(ring.members()).unwrap();
        points.sort_unstable();
        let lowest: Vec<u32> = points[..5].iter().map(|&(point, _)| point).collect();
        assert_eq!(
            lowest,
            [19_771_341, 19_869_997, 27_494_522, 33_802_864, 40_134_431]
        );
        assert_eq!(points[319].0, 4_275_124_180);
    }

    #[test]
    fn addresses_are_compared_as_numbers() {
        let ordered = [
            "9.0.0.1:80",
            "10.0.0.1:9",
            "10.0.0.1:80",
            "[::1]:1",
            "[::2]:1",
            "[::0:2]:1",
        ];
        let members = Members::from_nodes(ordered.map(|name| Node::new(name).unwrap())).unwrap();
        let slot = |name| members.slot_of(name).unwrap();
        for pair in ordered.windows(2).take(4) {
            let order = ByAddress::cmp(&members, slot(pair[0]), slot(pair[1]));
            assert_eq!(order, Ordering::Less, "{pair:?}");
        }
        // One address, two spellings: the ids decide.
        let order = ByAddress::cmp(&members, slot("[::2]:1"), slot("[::0:2]:1"));
        assert_eq!(order, "[::2]:1".cmp("[::0:2]:1"));
    }

    #[test]
    fn a_shared_point_goes_to_the_lower_address_or_the_first_listed() {
        let names: Vec<_> = (0..1500u32)
            .map(|i| alloc::format!("10.1.{}.{}:80", i / 250, i % 250))
            .collect();
        let weighted = |rev: bool| {
            let nodes: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
            if rev {
                nodes.into_iter().rev().collect()
            } else {
                nodes
            }
        };
        let (one, other) = (
            PingoraKetama::v2(160, weighted(false)).unwrap(),
            PingoraKetama::v2(160, weighted(true)).unwrap(),
        );
        assert_eq!(one.fingerprint(), other.fingerprint());
        let mut points = one.scheme().fleet_points(one.members()).unwrap();
        points.sort_unstable();
        let shared = points.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let mut told_apart = 0; // pairs whose ids are ordered otherwise
        for pair in shared {
            let [a, b] = [0, 1].map(|i| one.members().get(pair[i].1).unwrap());
            let lower = if address(a) < address(b) {
                pair[0].1
            } else {
                pair[1].1
            };
            for ring in [&one, &other] {
                let owner = ring.route_value(pair[0].0).unwrap();
                let owner = ring.members().get(owner).unwrap().id();
                assert_eq!(owner, one.members().get(lower).unwrap().id());
            }
            told_apart += u32::from((a.id() < b.id()) != (address(a) < address(b)));
        }
        assert!(told_apart > 0);
        let (one, other) = (
            PingoraKetama::v1(weighted(false)).unwrap(),
            PingoraKetama::v1(weighted(true)).unwrap(),
        );
        assert_ne!(one.fingerprint(), other.fingerprint());
        let round = PingoraKetama::node_iter(&one, b"").count();
        let mut points = one.scheme().fleet_points(one.members()).unwrap();
        points.sort_unstable();
        points.dedup_by_key(|point| point.0);
        // 240,000 points in 2^32 places: some seven pairs. Each comes up once.
        assert!(points.len() < 240_000);
        assert_eq!(round, points.len());
    }
}
