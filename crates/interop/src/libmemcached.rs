//! libmemcached, and with it pylibmc and PHP's `Memcached`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use keyroute_core::{
    AtOrAfter, Description, FirstListed, KeyHasher, MemberOrder, Members, Node, NodeId, Quoted,
    RouteError, Scheme, Slot, Weight,
};
use keyroute_vector_ring::VectorRing;

use crate::hash::MemcachedHash;
use crate::label_points::{labelled, md5_points};
use crate::share::Fleet;
use crate::slot_list::{SlotList, SlotRule, repeated};

/// The port that labels leave out.
const DEFAULT_PORT: u16 = 11211;
/// Points of a server on a ring without weights.
const POINTS: u64 = 100;
/// The longest key that is hashed with its prefix, in bytes.
const MAX_KEY: usize = 250;

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

/// `DISTRIBUTION=MODULA`, the default: the hash modulo the number of servers; weights are ignored.
pub type Modula = SlotList<ModulaRule>;

impl Modula {
    /// These servers in this order; keys are hashed so.
    ///
    /// # Errors
    ///
    /// As [`KeyHash::new`] and [`SlotList::new`].
    ///
    /// ```
    /// use keyroute_interop::hash::MemcachedHash;
    /// use keyroute_interop::{Node, Router, libmemcached::Modula};
    ///
    /// let modula = Modula::of_servers(MemcachedHash::OneAtATime, [Node::new("a")?, Node::new("b")?])?;
    /// assert_eq!(modula.route_id(b"foo").unwrap(), "b"); // 596015325 is odd
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn of_servers(
        hash: MemcachedHash,
        servers: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::new(ModulaRule::new(KeyHash::new(hash)?), servers)
    }
}

/// Sorts servers as `SORT_HOSTS` does: by the bytes of the host, then by port.
///
/// # Errors
///
/// [`RouteError::Unplaceable`] for an id whose port is over 65535; the list is as it was.
pub fn sort_hosts(servers: &mut [Node]) -> Result<(), RouteError> {
    for server in &*servers {
        Address::of(server.id())?;
    }
    servers.sort_by(|a, b| {
        let key = |node: &Node| {
            Address::of(node.id())
                .map(|address| (address.host.to_string(), address.port))
                .ok()
        };
        key(a).cmp(&key(b))
    });
    Ok(())
}

/// The ring of libmemcached: `libmemcached/1`.
///
/// A node's id is its address, `host:port`; without a port that is 11211. IPv6 stands in brackets. A path
/// is a unix socket added with the call for sockets; write `/path:11211` for one added with the ordinary
/// call, as PHP does.
///
/// - **Labels** are `host-i` on port 11211 and `host:port-i` on others; under [`spy`](Self::spy)
///   `/host:port-i` on all. IPv6 loses its brackets; a socket has port 0.
/// - **With weights**, the four words of MD5 of as many labels as a share in single precision gives: 160
///   points at equal weights, but 156 at n = 25, 47, 50 and others. **A share under one label is none**,
///   silently.
/// - **Without**, 100 labels a server and one point each, by the hash of points; weights are ignored.
/// - **Ties** go to the server added first (1.0.x left that to its sort). A key on a point is that point's.
/// - Since shares depend on all servers, **adding one moves keys between the others**.
/// - Over 100 servers Debian's build of 1.1.4 aborts on an assertion. 1.0.16 and this do not.
///
/// Source: 1.1.4, `hosts.cc`, `hash.cc`, `behavior.cc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuum {
    spy: bool,
    weighted: bool,
    point_hash: MemcachedHash,
    key_hash: KeyHash,
}

impl Continuum {
    /// `KETAMA=1`, whatever the weights: points and keys by this hash.
    ///
    /// # Errors
    ///
    /// As [`KeyHash::new`].
    pub fn ketama(hash: MemcachedHash) -> Result<Self, RouteError> {
        Ok(Self {
            spy: false,
            weighted: false,
            point_hash: hash,
            key_hash: KeyHash::new(hash)?,
        })
    }

    /// `KETAMA_WEIGHTED=1`: points and keys by MD5, shares by weight.
    #[must_use]
    pub fn ketama_weighted() -> Self {
        Self {
            spy: false,
            weighted: true,
            point_hash: MemcachedHash::Md5,
            key_hash: KeyHash {
                hash: MemcachedHash::Md5,
                prefix: String::new(),
            },
        }
    }

    /// With weights, and so points by MD5; keys stay with their hash: `DISTRIBUTION=CONSISTENT_WEIGHTED`,
    /// or a server of weight over 1 added to a ring.
    #[must_use]
    pub fn with_weights(mut self) -> Self {
        self.weighted = true;
        self
    }

    /// `DISTRIBUTION=KETAMA_SPY`: spymemcached's labels with a slash in front, which spymemcached itself
    /// leaves out for IP literals.
    #[must_use]
    pub fn spy(mut self) -> Self {
        self.spy = true;
        self
    }

    /// Keys hashed so, and points as before: `HASH` set once the servers were added, or with weights.
    #[must_use]
    pub fn with_key_hash(mut self, key_hash: KeyHash) -> Self {
        self.key_hash = key_hash;
        self
    }

    /// How many labels a server has.
    fn labels(&self, fleet: Fleet, weight: u32) -> u64 {
        if self.weighted {
            fleet.in_singles(weight)
        } else {
            POINTS
        }
    }
}

impl Scheme for Continuum {
    type Position = u32;
    type Hasher = KeyHash;
    type Lookup = AtOrAfter;
    type Ties = FirstListed;

    fn hasher(&self) -> &KeyHash {
        &self.key_hash
    }

    fn name(&self) -> &'static str {
        "libmemcached/1"
    }

    fn describe(&self, to: &mut Description) {
        to.field("labels", if self.spy { "spy" } else { "ketama" });
        if self.weighted {
            to.field("points", "md5 words by weight");
        } else {
            to.field("points", "100 by hash");
            to.hasher("point hash", &self.point_hash);
        }
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        let points = if self.weighted { 4 } else { 1 };
        members
            .iter()
            .map(|(_, node)| {
                self.labels(fleet, node.weight().get())
                    .saturating_mul(points)
            })
            .fold(0, u64::saturating_add)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let base = Address::of(node.id())?.label(self.spy);
            let labels = self.labels(fleet, node.weight().get());
            if self.weighted {
                points.extend(md5_points(&base, labels).map(|point| (point, slot)));
            } else {
                let by_hash = labelled(&base, '-', labels, |label| [self.point_hash.hash(label)]);
                points.extend(by_hash.map(|point| (point, slot)));
            }
        }
        Ok(points)
    }
}

/// What libmemcached knows of a server.
struct Address<'a> {
    host: &'a str,
    port: u16,
}

impl<'a> Address<'a> {
    /// Reads an id.
    fn of(id: &'a NodeId) -> Result<Self, RouteError> {
        let text = id.as_str();
        let is_path = text.starts_with('/');
        let whole = Self {
            host: text,
            port: if is_path { 0 } else { DEFAULT_PORT },
        };
        let bare = |host: &'a str| {
            let inner = host
                .strip_prefix('[')
                .and_then(|host| host.strip_suffix(']'));
            inner.unwrap_or(host)
        };
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port))
                if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                (host, port)
            }
            _ => {
                return Ok(Self {
                    host: bare(text),
                    ..whole
                });
            }
        };
        // Colons before the last are IPv6's, which without brackets has no port.
        if host.contains(':') && !host.ends_with(']') && !is_path {
            return Ok(whole);
        }
        let port = port.parse().map_err(|_| RouteError::Unplaceable {
            id: id.clone(),
            reason: "has no port of 16 bits after its last colon: give 0 to 65535",
        })?;
        Ok(Self {
            host: bare(host),
            port,
        })
    }

    /// The label without its index.
    fn label(&self, spy: bool) -> String {
        let Self { host, port } = self;
        if spy {
            format!("/{host}:{port}")
        } else if *port == DEFAULT_PORT {
            (*host).into()
        } else {
            format!("{host}:{port}")
        }
    }
}

/// How libmemcached hashes a key: by one of its hashes, with the prefix in front if
/// `HASH_WITH_PREFIX_KEY` is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHash {
    hash: MemcachedHash,
    prefix: String,
}

impl KeyHash {
    /// By this hash.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for Hsieh's, which libmemcached as packaged refuses to set, and for the
    /// two CRCs that only twemproxy has.
    pub fn new(hash: MemcachedHash) -> Result<Self, RouteError> {
        if let MemcachedHash::Hsieh | MemcachedHash::Crc16 | MemcachedHash::Crc32a = hash {
            return Err(RouteError::Parameter {
                name: "HASH",
                given: hash.plain_name().into(),
                accepted: "default, md5, crc, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, murmur, jenkins or murmur3",
            });
        }
        Ok(Self {
            hash,
            prefix: String::new(),
        })
    }

    /// The hash of this name, as libmemcached's tools write it.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a name that it does not have, and as [`new`](Self::new).
    pub fn named(name: &str) -> Result<Self, RouteError> {
        let hash = match name {
            "default" | "one_at_a_time" => MemcachedHash::OneAtATime,
            "md5" => MemcachedHash::Md5,
            "crc" => MemcachedHash::Crc,
            "fnv1_64" => MemcachedHash::Fnv1_64,
            "fnv1a_64" => MemcachedHash::Fnv1a64,
            "fnv1_32" => MemcachedHash::Fnv1_32,
            "fnv1a_32" => MemcachedHash::Fnv1a32,
            "murmur" => MemcachedHash::Murmur,
            "murmur3" => MemcachedHash::Murmur3,
            "jenkins" => MemcachedHash::Jenkins,
            "hsieh" => MemcachedHash::Hsieh,
            _ => {
                return Err(RouteError::Parameter {
                    name: "HASH",
                    given: name.into(),
                    accepted: "default, md5, crc, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, murmur, jenkins or murmur3",
                });
            }
        };
        Self::new(hash)
    }

    /// With this prefix in front: `HASH_WITH_PREFIX_KEY=1` and `PREFIX`. **Prefix and key of over 250 bytes
    /// together hash to 0**, and bytes from the first NUL on count as NULs. Without the flag a prefix
    /// decides nothing.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a prefix with a NUL in it, or over 250 bytes.
    pub fn with_prefix(mut self, prefix: &str) -> Result<Self, RouteError> {
        if prefix.len() > MAX_KEY || prefix.contains('\0') {
            return Err(RouteError::Parameter {
                name: "PREFIX",
                given: format!("{prefix:?}"),
                accepted: "at most 250 bytes without a NUL",
            });
        }
        self.prefix = prefix.into();
        Ok(self)
    }

    /// The hash.
    #[must_use]
    pub fn hash_function(&self) -> MemcachedHash {
        self.hash
    }
}

impl KeyHasher for KeyHash {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        if self.prefix.is_empty() {
            return self.hash.hash(key);
        }
        let length = self.prefix.len().saturating_add(key.len());
        let mut buffer = [0; MAX_KEY];
        let Some(text) = buffer.get_mut(..length) else {
            return 0;
        };
        let (front, back) = text.split_at_mut(self.prefix.len());
        front.copy_from_slice(self.prefix.as_bytes());
        let end = key.iter().position(|&byte| byte == 0).unwrap_or(key.len());
        back[..end].copy_from_slice(&key[..end]);
        self.hash.hash(text)
    }

    fn name(&self) -> Option<String> {
        let hash = self.hash.name()?;
        Some(if self.prefix.is_empty() {
            hash
        } else {
            format!("{hash} after {}", Quoted(&self.prefix))
        })
    }
}

/// The rule of [`Modula`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulaRule {
    key_hash: KeyHash,
    masked: bool,
}

impl ModulaRule {
    /// `DISTRIBUTION=MODULA`: `hash % n`.
    #[must_use]
    pub fn new(key_hash: KeyHash) -> Self {
        Self {
            key_hash,
            masked: false,
        }
    }

    /// `DISTRIBUTION=VIRTUAL_BUCKET` without a map: `hash & (n − 1)`, so that unless n is a power of two
    /// **some servers own nothing**. Read from the source; no answer of it is recorded.
    #[must_use]
    pub fn virtual_bucket(key_hash: KeyHash) -> Self {
        Self {
            key_hash,
            masked: true,
        }
    }
}

impl SlotRule for ModulaRule {
    const NAME: &'static str = "libmemcached-modula/1";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError> {
        repeated(members, members.listed(), |_| 1)
    }

    fn place(&self, key: &[u8], entries: u32) -> u32 {
        let hash = self.key_hash.hash(key);
        if self.masked {
            hash & (entries - 1)
        } else {
            hash % entries
        }
    }

    fn describe(&self, to: &mut Description) {
        to.field(
            "place",
            if self.masked {
                "hash & (n - 1)"
            } else {
                "hash % n"
            },
        );
        to.hasher("hasher", &self.key_hash);
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::{RouteDigest, Router};

    use super::*;

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
