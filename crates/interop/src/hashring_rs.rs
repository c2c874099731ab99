//! The crate `hashring`.

use alloc::vec::Vec;
use core::hash::Hasher;
use core::net::SocketAddr;

use alloc::string::String;

use keyroute_core::{
    AtOrAfter, ById, Description, Edge, KeyHasher, Members, Node, PointScheme, PointTable,
    RouteDigest, RouteError, Scheme, Slot,
};
use keyroute_vector_ring::VectorRing;
use siphasher::sip::SipHasher24;

use crate::labels::unweighted;

/// The rings of the crate `hashring`, a scheme for [`VectorRing`]: **one point a value**, at SipHash-2-4 (keys 0
/// and 0) of what the value feeds to `std::hash::Hash`.
///
/// What a value is the program decides that fills the ring: [`HashringValue`]. Of values with a number a node of
/// weight w has those of 0 to w − 1. Keys are `&str`s: their bytes, and a byte 0xFF; the first point at or
/// after the hash owns a key. The crate states no rule for equal points, and 64-bit hashes hardly collide;
/// here the lower id has one.
///
/// All laws of rings are kept. With one point a node balance is poor, as there.
///
/// Source: `hashring` 0.3.6 on a 64-bit little-endian machine (`usize` has 8 bytes), Rust 1.95 (what
/// `SocketAddr` feeds is a detail of `std`).
///
/// ```
/// use keyroute_interop::{Hashring, HashringValue, Node};
///
/// let nodes = ["node1", "node2", "node3"].map(|name| Node::new(name).unwrap());
/// let ring = Hashring::ring(HashringValue::Text, nodes)?;
/// assert_eq!(ring.route_id(b"foo").unwrap(), "node2"); // round the end
/// assert_eq!(ring.route_id(b"user:1001").unwrap(), "node3");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hashring {
    value: HashringValue,
}

/// What a program puts into a `HashRing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashringValue {
    /// A `String` or `&str`: the name. Nodes have weight 1.
    Text,
    /// A struct of a `usize` and a text, in this order: the numbers below the weight, each with the name.
    NumberedText,
    /// A `SocketAddr`: the name must be one. Nodes have weight 1.
    Address,
    /// A struct of a `usize` and a `SocketAddr`, in this order.
    NumberedAddress,
}

impl HashringValue {
    fn is_numbered(self) -> bool {
        matches!(self, Self::NumberedText | Self::NumberedAddress)
    }
}

impl Hashring {
    /// A ring of these nodes.
    ///
    /// # Errors
    ///
    /// [`RouteError::WeightUnsupported`] for values without a number, [`RouteError::Unplaceable`] for a name
    /// that is no address where it must be one, and as [`VectorRing::from_nodes_with`].
    pub fn ring(
        value: HashringValue,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<VectorRing<Self>, RouteError> {
        VectorRing::from_nodes_with(Self { value }, nodes)
    }

    /// The crate's `get_with_replicas`: the owner of the key's point and of the `replicas` next points, not of
    /// distinct nodes; each point once if there are not so many. With as many replicas as points the
    /// first comes twice, as there.
    #[must_use]
    pub fn get_with_replicas(ring: &VectorRing<Self>, key: &[u8], replicas: usize) -> Vec<Slot> {
        let points = ring.points();
        let wanted = if replicas > points {
            points
        } else {
            replicas + 1
        };
        let at = ring.digest(key).value();
        let round = || {
            ring.table()
                .forward(at, Edge::Inclusive)
                .map(|(_, slot)| slot)
        };
        // One more than a round at most.
        round().chain(round()).take(wanted).collect()
    }
}

impl Scheme for Hashring {
    type Position = u64;
    type Hasher = StrSipHash;
    type Lookup = AtOrAfter;
    type Ties = ById;

    fn hasher(&self) -> &StrSipHash {
        &StrSipHash
    }

    fn name(&self) -> &'static str {
        "hashring-rs/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field(
            "value",
            match self.value {
                HashringValue::Text => "text",
                HashringValue::NumberedText => "number, text",
                HashringValue::Address => "address",
                HashringValue::NumberedAddress => "number, address",
            },
        );
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u64, Slot)>, RouteError> {
        self.points_of_each(members)
    }

    fn points_per_weight(&self) -> Option<u32> {
        Some(1)
    }
}

impl PointScheme for Hashring {
    fn points(&self, node: &Node) -> Result<Vec<u64>, RouteError> {
        if !self.value.is_numbered() {
            unweighted("hashring-rs/1", node)?;
        }
        let name = Name::of(self.value, node)?;
        let point = |number: u32| {
            let mut hasher = SipHasher24::new();
            if self.value.is_numbered() {
                hasher.write(&u64::from(number).to_le_bytes());
            }
            name.feed(&mut hasher);
            hasher.finish()
        };
        Ok((0..node.weight().get()).map(point).collect())
    }

    fn count_of(&self, node: &Node) -> u64 {
        node.weight().get().into()
    }
}

/// What is hashed of a name.
enum Name<'a> {
    Text(&'a str),
    Address(SocketAddr),
}

impl<'a> Name<'a> {
    fn of(value: HashringValue, node: &'a Node) -> Result<Self, RouteError> {
        let name = node.id().as_str();
        match value {
            HashringValue::Text | HashringValue::NumberedText => Ok(Self::Text(name)),
            HashringValue::Address | HashringValue::NumberedAddress => {
                let address = name.parse().map_err(|_| RouteError::Unplaceable {
                    id: node.id().clone(),
                    reason: "is no socket address: give an IP and a port, as 10.0.0.1:80 or [::1]:80",
                });
                Ok(Self::Address(address?))
            }
        }
    }

    fn feed(&self, hasher: &mut SipHasher24) {
        match self {
            Self::Text(text) => {
                hasher.write(text.as_bytes());
                hasher.write(&[0xff]);
            }
            Self::Address(SocketAddr::V4(address)) => {
                hasher.write(&0u64.to_le_bytes());
                hasher.write(&address.ip().octets());
                hasher.write(&address.port().to_le_bytes());
            }
            Self::Address(SocketAddr::V6(address)) => {
                hasher.write(&1u64.to_le_bytes());
                hasher.write(&address.ip().octets());
                hasher.write(&address.port().to_le_bytes());
                hasher.write(&address.flowinfo().to_le_bytes());
                hasher.write(&address.scope_id().to_le_bytes());
            }
        }
    }
}

/// SipHash-2-4 with keys 0 and 0 of the bytes and a byte 0xFF, as Rust hashes a `str`: 64 bits,
/// `siphash-2-4 of a str`.
///
/// ```
/// use keyroute_interop::{KeyHasher, StrSipHash};
///
/// assert_eq!(StrSipHash.hash(b"foo"), 16_262_950_014_981_195_938);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StrSipHash;

impl KeyHasher for StrSipHash {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = SipHasher24::new();
        hasher.write(bytes);
        hasher.write(&[0xff]);
        hasher.finish()
    }

    fn name(&self) -> Option<String> {
        Some("siphash-2-4 of a str".into())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use keyroute_core::{Node, PointScheme, Scheme, Weight};

    use super::{Hashring, HashringValue};

    fn nodes<const N: usize>(nodes: [(&str, u32); N]) -> [Node; N] {
        nodes.map(|(name, weight)| {
            Node::new(name)
                .unwrap()
                .with_weight(Weight::new(weight).unwrap())
        })
    }

    #[test]
    fn points_are_as_documented() {
        let points = |value, of: &[Node]| {
            let ring = Hashring::ring(value, of.iter().cloned()).unwrap();
            let mut points = ring.scheme().fleet_points(ring.members()).unwrap();
            points.sort_unstable();
            let id = |slot| ring.members().get(slot).unwrap().id().as_str();
            points
                .iter()
                .map(|&(point, slot)| alloc::format!("{point:016x} {}", id(slot)))
                .collect::<Vec<_>>()
        };
        let three = nodes([("node1", 1), ("node2", 1), ("node3", 1)]);
        assert_eq!(
            points(HashringValue::Text, &three),
            [
                "14138eba82180eb9 node2",
                "49a50c6d827fd3d6 node3",
                "5b2e30dfdeea342d node1"
            ]
        );
        let two = nodes([("10.0.1.1:11211", 2), ("10.0.1.2:11212", 3)]);
        assert_eq!(
            points(HashringValue::NumberedText, &two),
            [
                "1263d4f144265823 10.0.1.2:11212",
                "2a26b5fe8c358f2c 10.0.1.2:11212",
                "51e306558351cf73 10.0.1.1:11211",
                "777fca025b4e681d 10.0.1.1:11211",
                "78b21d9a41d4bc22 10.0.1.2:11212",
            ]
        );
    }

    /// As `std::hash::SipHasher` of Rust 1.95 says of a `SocketAddr`, and of number 1 with it.
    #[test]
    fn addresses_are_fed_as_std_feeds_them() {
        for (value, name, weight, last) in [
            (
                HashringValue::Address,
                "10.0.1.1:11211",
                1,
                "2c01c824792cfb4b",
            ),
            (
                HashringValue::NumberedAddress,
                "10.0.1.1:11211",
                2,
                "cfdeb7524960a8b3",
            ),
            (
                HashringValue::Address,
                "[2001:db8::a]:443",
                1,
                "4152feb092a424c4",
            ),
            (
                HashringValue::NumberedAddress,
                "[2001:db8::a]:443",
                2,
                "7152a094e40b098b",
            ),
            (
                HashringValue::Address,
                "[fe80::1%7]:80",
                1,
                "2e1e32e7f3b7d899",
            ),
            (
                HashringValue::NumberedAddress,
                "[fe80::1%7]:80",
                2,
                "30dd5e8d522c16aa",
            ),
        ] {
            let [node] = nodes([(name, weight)]);
            let points = Hashring { value }.points(&node).unwrap();
            assert_eq!(
                alloc::format!("{:016x}", points[weight as usize - 1]),
                last,
                "{name}"
            );
        }
    }

    #[test]
    fn replicas_are_points_and_the_last_may_be_the_first_again() {
        let ring =
            Hashring::ring(HashringValue::NumberedText, nodes([("a", 2), ("b", 1)])).unwrap();
        let asked = |replicas| Hashring::get_with_replicas(&ring, b"key", replicas).len();
        assert_eq!([0, 1, 2, 3, 4, usize::MAX].map(asked), [1, 2, 3, 4, 3, 3]);
        let round = Hashring::get_with_replicas(&ring, b"key", 3);
        assert_eq!(round[0], round[3]);
        let empty = Hashring::ring(HashringValue::Text, []).unwrap();
        assert!(Hashring::get_with_replicas(&empty, b"key", 2).is_empty());
        assert!(Hashring::get_with_replicas(&empty, b"key", 0).is_empty());
    }

    #[test]
    fn what_a_value_cannot_be_is_refused() {
        let ring = |value, node: (&str, u32)| Hashring::ring(value, nodes([node])).is_ok();
        assert!(
            !ring(HashringValue::Text, ("a", 2)) && ring(HashringValue::NumberedText, ("a", 2))
        );
        assert!(
            !ring(HashringValue::Address, ("a", 1))
                && ring(HashringValue::Address, ("[::1]:80", 1))
        );
    }
}
