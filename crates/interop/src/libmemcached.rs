//! libmemcached, and with it pylibmc and PHP's `Memcached`.

use alloc::vec::Vec;

use keyroute_core::{Node, RouteError, Weight};
use keyroute_vector_ring::VectorRing;

use crate::hash::MemcachedHash;

mod address;
mod continuum;
mod key_hash;
mod modula;

pub use address::sort_hosts;
pub use continuum::Continuum;
pub use key_hash::KeyHash;
pub use modula::{Modula, ModulaRule};

/// `KETAMA=1` (or `DISTRIBUTION=CONSISTENT`) and then these servers, with this hash set before: points and
/// keys by that hash, 100 points a server. **A server of weight over 1 turns weights on**: then points are
/// MD5's, and keys stay with the hash. This is not libketama; [`ketama_weighted`] comes close.
///
/// # Errors
///
/// As [`Continuum::ketama`] and [`VectorRing::from_nodes_with`].
///
/// ```
/// use keyroute_interop::hash::MemcachedHash;
/// use keyroute_interop::{Node, libmemcached};
///
/// let servers = [Node::new("10.0.1.1:11211")?, Node::new("10.0.1.2:11212")?];
/// let ring = libmemcached::ketama(MemcachedHash::OneAtATime, servers)?;
/// assert_eq!(ring.route_id("clé".as_bytes()).unwrap(), "10.0.1.2:11212");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub fn ketama(
    hash: MemcachedHash,
    servers: impl IntoIterator<Item = Node>,
) -> Result<VectorRing<Continuum>, RouteError> {
    let servers: Vec<Node> = servers.into_iter().collect();
    let mut continuum = Continuum::ketama(hash)?;
    if servers.iter().any(|server| server.weight() > Weight::ONE) {
        continuum = continuum.with_weights();
    }
    VectorRing::from_nodes_with(continuum, servers)
}

/// `KETAMA_WEIGHTED=1` (PHP's `OPT_LIBKETAMA_COMPATIBLE`, pylibmc's `ketama_weighted`) and then these
/// servers: points and keys by MD5, shares by weight.
///
/// # Errors
///
/// As [`VectorRing::from_nodes_with`].
///
/// ```
/// use keyroute_interop::{Node, libmemcached};
///
/// let ring = libmemcached::ketama_weighted([Node::new("10.0.1.1:11211")?, Node::new("10.0.1.2:11212")?])?;
/// assert_eq!(ring.route_id(b"user:1001").unwrap(), "10.0.1.1:11211"); // libketama says the other
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub fn ketama_weighted(
    servers: impl IntoIterator<Item = Node>,
) -> Result<VectorRing<Continuum>, RouteError> {
    VectorRing::from_nodes_with(Continuum::ketama_weighted(), servers)
}

#[cfg(test)]
mod tests {
    use keyroute_core::{KeyHasher, NodeId, RouteDigest, Router, Scheme};

    use alloc::string::{String, ToString};

    use super::address::Address;
    use super::*;
    use crate::slot_list::SlotList;

    fn label(id: &str, spy: bool) -> String {
        let id = NodeId::new(id).unwrap();
        Address::of(&id).unwrap().label(spy)
    }

    #[test]
    fn labels_drop_the_default_port_and_brackets() {
        for (id, plain, spy) in [
            ("10.0.1.1", "10.0.1.1", "/10.0.1.1:11211"),
            ("10.0.1.1:11211", "10.0.1.1", "/10.0.1.1:11211"),
            ("10.0.1.1:11212", "10.0.1.1:11212", "/10.0.1.1:11212"),
            ("[::1]:11211", "::1", "/::1:11211"),
            ("[fe80::1]:11212", "fe80::1:11212", "/fe80::1:11212"),
            ("[::1]", "::1", "/::1:11211"),
            ("fe80::1", "fe80::1", "/fe80::1:11211"),
            ("/tmp/a.sock", "/tmp/a.sock:0", "//tmp/a.sock:0"),
            ("/tmp/a.sock:11211", "/tmp/a.sock", "//tmp/a.sock:11211"),
            ("a:", "a:", "/a::11211"),
        ] {
            assert_eq!(label(id, false), plain, "{id}");
            assert_eq!(label(id, true), spy, "{id}");
        }
        let servers = [Node::new("a:65536")].map(|node| node.unwrap());
        assert!(matches!(
            ketama_weighted(servers),
            Err(RouteError::Unplaceable { .. })
        ));
    }

    fn nodes(servers: &[(&str, u32)]) -> Vec<Node> {
        let node = |&(id, weight)| Ok(Node::new(id)?.with_weight(Weight::new(weight)?));
        let nodes: Result<_, RouteError> = servers.iter().map(node).collect();
        nodes.unwrap()
    }

    const PAIR: [(&str, u32); 2] = [("10.0.1.1:11211", 1), ("10.0.1.2:11212", 1)];

    fn lowest(ring: &VectorRing<Continuum>) -> Vec<u32> {
        let mut points: Vec<u32> = ring
            .scheme()
            .fleet_points(ring.members())
            .unwrap()
            .into_iter()
            .map(|(position, _)| position)
            .collect();
        points.sort_unstable();
        points.truncate(5);
        points
    }

    /// The worked examples that the running library gave.
    #[test]
    fn a_weight_over_one_turns_weights_on_and_leaves_the_key_hash() {
        let weighted = [("10.0.1.1:11211", 1), ("10.0.1.2:11212", 3)];
        let ring = ketama(MemcachedHash::OneAtATime, nodes(&weighted));
        let ring = ring.unwrap();
        let five = [29_641_642, 30_930_419, 35_492_370, 36_107_413, 69_822_779];
        assert_eq!(lowest(&ring), five);
        assert_eq!(ring.points(), 320);
        assert_eq!(ring.digest(b"foo").value(), 596_015_325);

        let plain = ketama(MemcachedHash::OneAtATime, nodes(&PAIR));
        let plain = plain.unwrap();
        let five = [15_125_188, 30_885_565, 57_789_490, 67_800_135, 84_396_296];
        assert_eq!(lowest(&plain), five);
        assert_ne!(plain.fingerprint(), ring.fingerprint());

        // Setting KETAMA after adding them clears the flag: weights are ignored.
        let continuum = Continuum::ketama(MemcachedHash::OneAtATime);
        let continuum = continuum.unwrap();
        let cleared = VectorRing::from_nodes_with(continuum, nodes(&weighted));
        assert_eq!(lowest(&cleared.unwrap()), five);
    }

    #[test]
    fn spy_has_labels_of_its_own() {
        let ring = VectorRing::from_nodes_with(Continuum::ketama_weighted().spy(), nodes(&PAIR));
        let ring = ring.unwrap();
        let five = [5_889_671, 30_180_085, 42_039_644, 42_900_072, 65_531_118];
        assert_eq!(lowest(&ring), five);
        // Without weights the labels are hashed once each.
        let continuum = Continuum::ketama(MemcachedHash::Md5);
        let ring = continuum.and_then(|c| VectorRing::from_nodes_with(c.spy(), nodes(&PAIR)));
        assert_eq!(ring.map(|ring| ring.points()), Ok(200));
    }

    #[test]
    fn a_prefixed_key_ends_at_250_bytes_and_at_a_nul() {
        let hash = KeyHash::new(MemcachedHash::Md5).and_then(|hash| hash.with_prefix("app1:"));
        let hash = hash.unwrap();
        let md5 = |key: &[u8]| MemcachedHash::Md5.hash(key);
        assert_eq!(hash.hash(b"k"), md5(b"app1:k"));
        assert_eq!(hash.hash(b"k\0ab"), md5(b"app1:k\0\0\0"));
        let longest = [b'k'; 245];
        assert_eq!(
            hash.hash(&longest),
            md5(&[&b"app1:"[..], &longest].concat())
        );
        assert_eq!(hash.hash(&[b'k'; 246]), 0);
        // The flag alone, with no prefix set.
        let hash = KeyHash::new(MemcachedHash::Md5).and_then(|hash| hash.with_prefix(""));
        let hash = hash.unwrap();
        assert_eq!(hash.hash(b"k\0ab"), md5(b"k\0\0\0"));
        assert_eq!(hash.hash(&[b'k'; 251]), 0);
    }

    #[test]
    fn hosts_sort_by_bytes_and_then_by_port_as_a_number() {
        let mut servers = nodes(&[("b:9", 1), ("a:100", 1), ("a:20", 1), ("B", 1)]);
        assert_eq!(sort_hosts(&mut servers), Ok(()));
        let ids: Vec<&str> = servers.iter().map(|server| server.id().as_str()).collect();
        assert_eq!(ids, ["B", "a:20", "a:100", "b:9"]);
    }

    #[test]
    fn modula_ignores_weights_and_virtual_buckets_mask() {
        let servers = nodes(&[("a", 5), ("b", 1), ("c", 1)]);
        let hash = KeyHash::named("fnv1a_32").unwrap();
        // 2851307223 is 0 modulo 3, and its lowest bit is set.
        let owner = |rule| {
            let router = SlotList::new(rule, servers.clone());
            let router = router.unwrap();
            router.route_id(b"foo").map(|id| id.as_str().to_string())
        };
        assert_eq!(owner(ModulaRule::new(hash.clone())).as_deref(), Some("a"));
        let masked = owner(ModulaRule::virtual_bucket(hash));
        assert_eq!(masked.as_deref(), Some("c")); // 0b10 & 0xa9f37ed7
        assert!(KeyHash::named("hsieh").is_err());
        assert!(KeyHash::named("crc32a").is_err());
    }
}
