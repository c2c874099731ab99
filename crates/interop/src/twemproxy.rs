//! twemproxy (nutcracker).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use keyroute_core::{
    AtOrAfter, Description, Explanation, KeyHasher, MemberOrder, Members, Node, RouteError, Scheme,
    Slot, TieOrder, Weight,
};
use keyroute_vector_ring::VectorRing;

use crate::hash::MemcachedHash;
use crate::label_points::labelled;
use crate::share::Fleet;
use crate::slot_list::{SlotList, SlotRule, repeated};

/// The longest label that is hashed, in bytes.
const MAX_LABEL: usize = 272;

/// Reads a line of a pool's `servers`: `host:port:weight` or `/path:weight`, and perhaps an alias after a
/// blank. The node's id is what twemproxy hashes: the alias; else `host` on port 11211 and `host:port` on
/// others; for a socket the path **with a colon behind it**.
///
/// # Errors
///
/// [`RouteError::Parameter`] for another form, and for a weight of 0, which it refuses; as [`Node::new`].
///
/// ```
/// use keyroute_interop::twemproxy;
///
/// let ids = ["10.0.1.1:11211:1", "10.0.1.2:11212:3", "10.0.1.3:11211:1 cache-3", "/tmp/a.sock:1"];
/// let ids = ids.map(|line| twemproxy::server(line).unwrap().id().to_string());
/// assert_eq!(ids, ["10.0.1.1", "10.0.1.2:11212", "cache-3", "/tmp/a.sock:"]);
/// ```
pub fn server(line: &str) -> Result<Node, RouteError> {
    let malformed = || RouteError::Parameter {
        name: "a server",
        given: format!("{line:?}"),
        accepted: "host:port:weight or /path:weight, of weight 1 or more, and perhaps a blank and an alias",
    };
    let number = |text: &str| -> Option<u32> {
        // No sign, which Rust would take.
        text.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| text.parse().ok())?
    };
    // From the end, as there: one blank, and what stands before it holds none.
    let (address, alias) = match line.rsplit_once(' ') {
        Some((address, alias)) => (address, Some(alias)),
        None => (line, None),
    };
    let (address, weight) = address.rsplit_once(':').ok_or_else(malformed)?;
    let weight = number(weight).and_then(|weight| Weight::new(weight).ok());
    let weight = weight.ok_or_else(malformed)?;
    let identity = if address.starts_with('/') {
        if address.contains(':') {
            return Err(malformed());
        }
        format!("{address}:")
    } else {
        let (host, port) = address.rsplit_once(':').ok_or_else(malformed)?;
        match number(port) {
            Some(11211) => host.into(),
            // As it is written, with zeros before it.
            Some(1..=65535) => address.into(),
            _ => return Err(malformed()),
        }
    };
    let id = alias.map_or(identity, String::from);
    Ok(Node::new(id)?.with_weight(weight))
}

/// `distribution: ketama`, the default, over these servers, whose ids are what [`server`] says.
///
/// # Errors
///
/// [`RouteError::AlreadyMember`] for two servers of one identity, which it refuses too, and as
/// [`VectorRing::from_nodes_with`].
///
/// ```
/// use keyroute_interop::twemproxy::{self, KeyHash};
///
/// let servers = ["10.0.1.1:11211:1", "10.0.1.2:11212:1"].map(|line| twemproxy::server(line).unwrap());
/// let ring = twemproxy::ketama(KeyHash::default(), servers)?;
/// assert_eq!(ring.route_id(b"foo").unwrap(), "10.0.1.1");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub fn ketama(
    key_hash: KeyHash,
    servers: impl IntoIterator<Item = Node>,
) -> Result<VectorRing<Ketama>, RouteError> {
    VectorRing::from_nodes_with(Ketama { key_hash }, servers)
}

/// `distribution: modula`: the hash modulo the sum of the weights, in a list that holds each server as often
/// as its weight says. **In the order of identities, shorter ones first**, not of the file.
pub type Modula = SlotList<ModulaRule>;

impl Modula {
    /// These servers, whose ids are what [`server`] says.
    ///
    /// # Errors
    ///
    /// As [`SlotList::new`].
    ///
    /// ```
    /// use keyroute_interop::Router;
    /// use keyroute_interop::twemproxy::{self, KeyHash, Modula};
    ///
    /// let servers = ["h:1:3 zz", "h:2:1 a", "h:3:2 bbb"].map(|line| twemproxy::server(line).unwrap());
    /// let modula = Modula::of_servers(KeyHash::named("fnv1a_32")?, servers)?; // a zz zz zz bbb bbb
    /// assert_eq!(modula.route_id(b"foo").unwrap(), "zz"); // 2851307223 % 6 = 3
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn of_servers(
        key_hash: KeyHash,
        servers: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::new(ModulaRule { key_hash }, servers)
    }
}

/// The ring of twemproxy: `twemproxy/1`. A node's id is what is hashed of it; see [`server`].
///
/// - **Points**: the four words of MD5 of `id-i` (its first 272 bytes), whatever the hash of keys is, for as
///   many labels as a share in single precision gives: 160 points at equal weights, but 156 at n = 25, 47,
///   50 and others. **A share under one label is none**, silently.
/// - **Ties** go to the shorter identity, of equal lengths to the lower: the order of the file decides
///   nothing.
/// - Since shares depend on all servers, **adding one moves keys between the others**. An ejected server
///   (`auto_eject_hosts`) is as one that is not there.
/// - Under `crc32`, which has 15 bits, nearly every key goes to the owner of the lowest point.
///
/// Source: 0.5.0, `hashkit/nc_ketama.c`, `nc_server.c`, `nc_conf.c`; unchanged since 0.4.1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ketama {
    key_hash: KeyHash,
}

impl Ketama {
    /// Keys hashed so.
    #[must_use]
    pub fn new(key_hash: KeyHash) -> Self {
        Self { key_hash }
    }
}

impl Scheme for Ketama {
    type Position = u32;
    type Hasher = KeyHash;
    type Lookup = AtOrAfter;
    type Ties = ShorterFirst;

    fn hasher(&self) -> &KeyHash {
        &self.key_hash
    }

    fn name(&self) -> &'static str {
        "twemproxy/1"
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        members
            .iter()
            .map(|(_, node)| fleet.in_singles(node.weight().get()) * 4)
            .sum()
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let labels = fleet.in_singles(node.weight().get());
            let of_node = labelled(node.id().as_str(), '-', labels, |label| {
                keyroute_core::hash::Md5::words(&label[..label.len().min(MAX_LABEL)])
            });
            points.extend(of_node.map(|point| (point, slot)));
        }
        Ok(points)
    }
}

/// The shorter id comes first, of equal lengths the lower.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShorterFirst;

impl TieOrder for ShorterFirst {
    const NAME: &'static str = "shorter id, then lower";
    const ORDER: MemberOrder = MemberOrder::ById;

    fn cmp(members: &Members, a: Slot, b: Slot) -> Ordering {
        let length = |slot| {
            members
                .get(slot)
                .map_or(usize::MAX, |node| node.id().as_str().len())
        };
        length(a).cmp(&length(b)).then_with(|| members.cmp_id(a, b))
    }
}

/// The rule of [`Modula`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModulaRule {
    key_hash: KeyHash,
}

impl ModulaRule {
    /// Keys hashed so.
    #[must_use]
    pub fn new(key_hash: KeyHash) -> Self {
        Self { key_hash }
    }
}

impl SlotRule for ModulaRule {
    const NAME: &'static str = "twemproxy-modula/1";
    const ORDER: MemberOrder = MemberOrder::ById;

    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError> {
        let mut sorted: Vec<Slot> = members.slots().collect();
        sorted.sort_by(|&a, &b| ShorterFirst::cmp(members, a, b));
        repeated(members, sorted, |node| node.weight().get())
    }

    fn place(&self, key: &[u8], entries: u32) -> u32 {
        self.key_hash.hash(key) % entries
    }

    fn hashed(&self, why: Explanation, key: &[u8]) -> Explanation {
        why.hashed(&self.key_hash, self.key_hash.hash(key))
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.key_hash);
    }
}

/// How twemproxy hashes a key: by `hash`, of the whole key or of what stands between the characters of
/// `hash_tag`. `fnv1a_64` without tag by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHash {
    hash: MemcachedHash,
    tag: Option<[u8; 2]>,
}

impl Default for KeyHash {
    fn default() -> Self {
        Self {
            hash: MemcachedHash::Fnv1a64,
            tag: None,
        }
    }
}

impl KeyHash {
    /// The hash of this name in its configuration.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a name that it does not have.
    pub fn named(hash: &str) -> Result<Self, RouteError> {
        let hash = match hash {
            "one_at_a_time" => MemcachedHash::OneAtATime,
            "md5" => MemcachedHash::Md5,
            "crc16" => MemcachedHash::Crc16,
            "crc32" => MemcachedHash::Crc,
            "crc32a" => MemcachedHash::Crc32a,
            "fnv1_64" => MemcachedHash::Fnv1_64,
            "fnv1a_64" => MemcachedHash::Fnv1a64,
            "fnv1_32" => MemcachedHash::Fnv1_32,
            "fnv1a_32" => MemcachedHash::Fnv1a32,
            "hsieh" => MemcachedHash::Hsieh,
            "murmur" => MemcachedHash::Murmur,
            "jenkins" => MemcachedHash::Jenkins,
            _ => {
                return Err(RouteError::Parameter {
                    name: "hash",
                    given: hash.into(),
                    accepted: "one_at_a_time, md5, crc16, crc32, crc32a, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32, hsieh, murmur or jenkins",
                });
            }
        };
        Ok(Self { hash, tag: None })
    }

    /// With this `hash_tag`: two characters, which may be one and the same.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it has two bytes.
    ///
    /// ```
    /// use keyroute_interop::{KeyHasher, twemproxy::KeyHash};
    ///
    /// let hash = KeyHash::default().with_hash_tag("{}")?;
    /// assert_eq!(hash.hash(b"{user:1}.name"), hash.hash(b"{user:1}.mail"));
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn with_hash_tag(mut self, tag: &str) -> Result<Self, RouteError> {
        let bytes = tag.as_bytes().try_into();
        self.tag = Some(bytes.map_err(|_| RouteError::Parameter {
            name: "hash_tag",
            given: format!("{tag:?}"),
            accepted: "two characters of one byte each",
        })?);
        Ok(self)
    }

    /// What of a key is hashed: what stands between the first of the one character and the next of the
    /// other, unless that is nothing.
    fn part<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        let tagged = || {
            let [open, close] = self.tag?;
            let start = key.iter().position(|&byte| byte == open)? + 1;
            let length = key[start..].iter().position(|&byte| byte == close)?;
            (length > 0).then(|| &key[start..start + length])
        };
        tagged().unwrap_or(key)
    }
}

impl KeyHasher for KeyHash {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        match self.part(key) {
            [] => 0,
            part => self.hash.hash(part),
        }
    }

    fn name(&self) -> Option<String> {
        let hash = self.hash.name()?;
        Some(match self.tag {
            None => format!("{hash}, empty 0"),
            Some([open, close]) => format!("{hash}, empty 0, tag {open:02x} {close:02x}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_what_stands_between_the_first_pair() {
        let hash = |tag| KeyHash::default().with_hash_tag(tag).unwrap();
        for (tag, key, part) in [
            ("{}", "a{b}c", "b"),
            ("{}", "{}{x}", "{}{x}"),
            ("{}", "{{a}}", "{a"),
            ("{}", "}a{b", "}a{b"),
            ("{}", "}{b}", "b"),
            ("{}", "a{b}{c}", "b"),
            ("$$", "a$b$c$", "b"),
            ("$$", "a$$b$", "a$$b$"),
            ("{}", "", ""),
        ] {
            assert_eq!(hash(tag).part(key.as_bytes()), part.as_bytes(), "{key}");
        }
        assert!(KeyHash::default().with_hash_tag("{").is_err());
        assert!(KeyHash::default().with_hash_tag("é}").is_err());
    }

    #[test]
    fn nothing_hashes_to_0() {
        assert_eq!(KeyHash::named("jenkins").unwrap().hash(b""), 0);
        assert_eq!(KeyHash::default().hash(b""), 0);
        assert_eq!(KeyHash::default().hash(b"foo"), 4_275_688_823);
        assert!(KeyHash::named("murmur3").is_err());
        assert!(KeyHash::named("default").is_err());
    }

    #[test]
    fn lines_that_it_refuses_are_refused() {
        for line in [
            "a:1:0",
            "a:1",
            "a",
            "a:1:x",
            "a:70000:1",
            "/tmp/a.sock",
            "",
            "a:0:1",
            "a::1",
            "a:1:+1",
            "a:1:-1",
            "a:+1:1",
            "a:1:1  n",
            "a:1:1 my n",
            "a:1: 1",
            "a:1:1\tn",
            "/tmp/a:b:1",
            "/tmp/a b:1",
            "a:1:1 ",
        ] {
            assert!(server(line).is_err(), "{line}");
        }
        let ids = [
            "a:0080:1",
            "a:011211:1",
            "::1:11211:1",
            "/tmp/a:1",
            "a:1:1 n:x",
        ];
        let nodes = ids.map(|line| server(line).unwrap());
        let ids = nodes.each_ref().map(|node| node.id().as_str());
        assert_eq!(ids, ["a:0080", "a", "::1", "/tmp/a:", "n:x"]);
        let node = server("10.0.1.1:11211:7 cache-1").unwrap();
        assert_eq!((node.id().as_str(), node.weight().get()), ("cache-1", 7));
    }

    #[test]
    fn a_weight_repeats_a_server_in_its_place() {
        let servers = ["/tmp/a.sock:1", "h:2:3 zz"].map(|line| server(line).unwrap());
        let modula = Modula::of_servers(KeyHash::default(), servers).unwrap();
        let places: Vec<u32> = modula.entries().iter().map(|slot| slot.index()).collect();
        assert_eq!(places, [1, 1, 1, 0]);
        let socket = server("/tmp/a.sock:1").unwrap();
        assert_eq!(socket.id().as_str(), "/tmp/a.sock:");
    }

    #[test]
    fn identities_sort_by_length_and_then_by_bytes() {
        let ids = ["zz", "a", "bbb", "aa"].map(|id| Node::new(id).unwrap());
        let members = Members::from_nodes(ids).unwrap();
        let mut slots: Vec<Slot> = members.slots().collect();
        slots.sort_by(|&a, &b| ShorterFirst::cmp(&members, a, b));
        let sorted: Vec<&str> = slots
            .iter()
            .filter_map(|&slot| Some(members.get(slot)?.id().as_str()))
            .collect();
        assert_eq!(sorted, ["a", "aa", "zz", "bbb"]);
    }

    /// Two identities of 272 bytes and more that begin alike share every label.
    #[test]
    fn labels_end_at_272_bytes() {
        let long = |end: &str| Node::new(alloc::format!("{}{end}", "a".repeat(272))).unwrap();
        let ring = ketama(KeyHash::default(), [long("yy"), long("z")]).unwrap();
        let points = ring.scheme().fleet_points(ring.members()).unwrap();
        assert!(
            points
                .iter()
                .all(|point| points[..4].iter().any(|first| first.0 == point.0))
        );
        assert_eq!(ring.route_id(b"foo").unwrap(), long("z").id().as_str());
    }
}
