//! dalli.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use keyroute_core::{
    AtOrBefore, ById, KeyHasher, Members, Node, Quoted, RouteError, Scheme, Slot, Weight,
};
use keyroute_vector_ring::VectorRing;
use md5::Md5;
use sha1::{Digest, Sha1};

use crate::label_points::labelled;
use crate::share::Fleet;

/// The longest key that is hashed as it stands, in characters.
const MAX_KEY: usize = 250;

/// Reads a server as dalli does: `host[:port[:weight]]`, `/path[:weight]` or `memcached://host[:port]`. The
/// node's id is `host:port`, 11211 spelled out and IPv6 without brackets; of a socket the path.
///
/// # Errors
///
/// [`RouteError::Parameter`] for another form, and for a weight of 0, whose server would never be asked.
///
/// ```
/// use keyroute_interop::dalli;
///
/// let servers = ["[::1]", "a:11212:3", "/tmp/a.sock:2", "memcached://a"];
/// let ids = servers.map(|server| dalli::server(server).unwrap().id().to_string());
/// assert_eq!(ids, ["::1:11211", "a:11212", "/tmp/a.sock", "a:11211"]);
/// ```
pub fn server(text: &str) -> Result<Node, RouteError> {
    let malformed = || RouteError::Parameter {
        name: "a server",
        given: format!("{text:?}"),
        accepted: "host, host:port, host:port:weight, /path or /path:weight, of weight 1 or more",
    };
    let weighed = |id: String, weight: &str| {
        let weight = weight
            .parse()
            .ok()
            .and_then(|weight| Weight::new(weight).ok());
        Ok(Node::new(id)?.with_weight(weight.ok_or_else(malformed)?))
    };
    if text.starts_with('/') {
        let (path, weight) = text.split_once(':').unwrap_or((text, "1"));
        return weighed(path.into(), weight);
    }
    let uri = text.strip_prefix("memcached://");
    let address = uri.map_or(text, |rest| {
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let rest = &rest[..end];
        rest.rsplit_once('@').map_or(rest, |(_, address)| address)
    });
    let (host, rest) = match address.strip_prefix('[') {
        Some(inner) => inner.split_once(']').ok_or_else(malformed)?,
        None => address.split_at(address.find(':').unwrap_or(address.len())),
    };
    if host.is_empty() || uri.is_none() && rest == ":" {
        return Err(malformed());
    }
    let mut parts = match rest {
        "" => None,
        _ => Some(rest.strip_prefix(':').ok_or_else(malformed)?.split(':')),
    };
    let mut part = || parts.as_mut().and_then(Iterator::next);
    let port: u16 = part().unwrap_or("11211").parse().map_err(|_| malformed())?;
    let weight = part().unwrap_or("1");
    if part().is_some() || uri.is_some() && weight != "1" {
        return Err(malformed());
    }
    weighed(format!("{host}:{port}"), weight)
}

/// The ring over these servers, whose ids are what [`server`] says.
///
/// # Errors
///
/// As [`VectorRing::from_nodes_with`].
///
/// ```
/// use keyroute_interop::dalli::{self, KeyManager};
///
/// let servers = ["10.0.1.1:11211", "10.0.1.2:11212"].map(|text| dalli::server(text).unwrap());
/// let ring = dalli::ring(KeyManager::default(), servers)?;
/// assert_eq!(ring.route_id("clé".as_bytes()).unwrap(), "10.0.1.2:11212");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub fn ring(
    keys: KeyManager,
    servers: impl IntoIterator<Item = Node>,
) -> Result<VectorRing<Dalli>, RouteError> {
    VectorRing::from_nodes_with(Dalli { keys }, servers)
}

/// The ring of dalli: `dalli/1`.
///
/// - **Points**: the first four bytes of SHA-1 of `id:i`, big-endian; ⌊n × 160 × weight ÷ total⌋ of them,
///   one division in doubles. **A share under one point is none**, silently.
/// - **Backwards**: the last point at or before a key's CRC-32 serves it.
/// - **Ties** are left to an unstable sort there. Here the lower id comes first.
/// - Since shares depend on all servers, **adding one moves keys between the others** unless weights are
///   equal.
/// - One server is asked without a ring; it answers as its ring would.
///
/// Its failover hashes `1key`, `2key` and so on; a [walk](keyroute_core::Walk) here goes on along the ring.
///
/// Source: 3.0.6, `ring.rb`, `key_manager.rb`, `protocol/server_config_parser.rb`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dalli {
    keys: KeyManager,
}

impl Dalli {
    /// Keys hashed so.
    #[must_use]
    pub fn new(keys: KeyManager) -> Self {
        Self { keys }
    }
}

impl Scheme for Dalli {
    type Position = u32;
    type Hasher = KeyManager;
    type Lookup = AtOrBefore;
    type Ties = ById;

    fn hasher(&self) -> &KeyManager {
        &self.keys
    }

    fn name(&self) -> &'static str {
        "dalli/1"
    }

    fn count(&self, members: &Members) -> u64 {
        let fleet = Fleet::of(members);
        members
            .iter()
            .map(|(_, node)| fleet.quotient_in_doubles(node.weight().get(), 160))
            .sum()
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(u32, Slot)>, RouteError> {
        let fleet = Fleet::of(members);
        let mut points = Vec::new();
        for (slot, node) in members.iter() {
            let count = fleet.quotient_in_doubles(node.weight().get(), 160);
            let of_node = labelled(node.id().as_str(), ':', count, |label| {
                let digest: [u8; 20] = Sha1::digest(label).into();
                let [a, b, c, d, ..] = digest;
                [u32::from_be_bytes([a, b, c, d])]
            });
            points.extend(of_node.map(|point| (point, slot)));
        }
        Ok(points)
    }
}

/// What dalli makes of a key before it hashes it: CRC-32 of `namespace:key`, of over 250 characters
/// shortened, their MD5 at the end.
///
/// A character is one of UTF-8, as in a Ruby string in that encoding; a byte that is none counts as one. Empty
/// keys, which dalli refuses, are answered all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyManager {
    namespace: Option<String>,
}

impl KeyManager {
    /// With the option `namespace`.
    #[must_use]
    pub fn with_namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_string());
        self
    }

    /// The pieces of the key with its namespace.
    fn pieces<'k>(&'k self, key: &'k [u8]) -> [&'k [u8]; 3] {
        match &self.namespace {
            Some(namespace) => [namespace.as_bytes(), b":", key],
            None => [b"", b"", key],
        }
    }
}

impl KeyHasher for KeyManager {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        let pieces = self.pieces(key);
        let mut crc = crc32fast::Hasher::new();
        // A key with a namespace may be one character longer once it is shortened.
        let kept = match self.namespace {
            Some(_) => 250 - 5 - 32,
            None => 249 - 5 - 32,
        };
        if pieces.iter().map(|piece| characters(piece)).sum::<usize>() <= MAX_KEY {
            for piece in pieces {
                crc.update(piece);
            }
            return crc.finalize();
        }
        let mut md5 = Md5::new();
        let mut left = kept;
        for piece in pieces {
            md5.update(piece);
            let end = end_of(piece, left);
            left -= characters(&piece[..end]);
            crc.update(&piece[..end]);
        }
        crc.update(b":md5:");
        let digest: [u8; 16] = md5.finalize().into();
        let hex = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
        for byte in digest {
            crc.update(&[hex(byte >> 4), hex(byte & 15)]);
        }
        crc.finalize()
    }

    fn name(&self) -> Option<String> {
        Some(match &self.namespace {
            None => "crc32 of dalli's keys".into(),
            Some(namespace) => format!("crc32 of dalli's keys in {}", Quoted(namespace)),
        })
    }
}

/// How many characters these bytes are.
fn characters(bytes: &[u8]) -> usize {
    bytes
        .utf8_chunks()
        .map(|chunk| chunk.valid().chars().count() + chunk.invalid().len())
        .sum()
}

/// Where the first `count` characters end; the length if there are fewer.
fn end_of(bytes: &[u8], count: usize) -> usize {
    let lengths = bytes.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().chars().map(char::len_utf8);
        valid.chain(chunk.invalid().iter().map(|_| 1))
    });
    lengths.take(count).sum()
}

#[cfg(test)]
mod tests {
    use keyroute_core::RouteDigest;

    use super::*;

    fn crc(text: &str) -> u32 {
        crc32fast::hash(text.as_bytes())
    }

    #[test]
    fn long_keys_end_in_their_md5() {
        let keys = KeyManager::default();
        let key = "k".repeat(250);
        assert_eq!(keys.hash(key.as_bytes()), crc(&key));
        let key = "k".repeat(251);
        let shortened = format!("{}:md5:{}", "k".repeat(212), MD5_OF_251);
        assert_eq!(keys.hash(key.as_bytes()), crc(&shortened));
        let spaced = KeyManager::default().with_namespace("n");
        assert_eq!(spaced.hash(b"k"), crc("n:k"));
        let fits = "k".repeat(248);
        assert_eq!(spaced.hash(fits.as_bytes()), crc(&format!("n:{fits}")));
        let key = "k".repeat(249);
        let shortened = format!("n:{}:md5:{}", "k".repeat(211), MD5_OF_SPACED);
        assert_eq!(spaced.hash(key.as_bytes()), crc(&shortened));
    }

    /// The worked example that the running client gave.
    #[test]
    fn points_are_the_first_bytes_of_sha_1() {
        let servers = ["10.0.1.1:11211", "10.0.1.2:11212"].map(|text| server(text).unwrap());
        let ring = ring(KeyManager::default(), servers).unwrap();
        let mut points = ring.scheme().fleet_points(ring.members()).unwrap();
        points.sort_unstable();
        let first: Vec<u32> = points[..5].iter().map(|point| point.0).collect();
        let lowest = [1_753_330, 4_284_946, 31_536_022, 34_193_259, 44_958_060];
        assert_eq!(first, lowest);
        // Below the lowest point the highest serves, on a point that point.
        let owner = |at| ring.route_value(at).map(Slot::index);
        assert_eq!([owner(0), owner(1_753_330), owner(4_284_945)], [Some(0); 3]);
        assert_eq!(owner(4_284_946), Some(1));
    }

    const MD5_OF_251: &str = "f0506ef804c48c4c4a9816dcef0b6091";
    const MD5_OF_SPACED: &str = "3a3b42747dcab163baeb1b4d5e15670a";

    /// 250 characters of two bytes fit.
    #[test]
    fn length_is_counted_in_characters() {
        let keys = KeyManager::default();
        let key = "é".repeat(250);
        assert_eq!(keys.hash(key.as_bytes()), crc(&key));
        let shortened = format!(
            "{}:md5:{}",
            "é".repeat(212),
            "569442b2266f3cadb9e110c06f5666e7"
        );
        assert_eq!(keys.hash("é".repeat(251).as_bytes()), crc(&shortened));
        assert_eq!(characters(b"a\xff\xe4\xb8"), 4);
        assert_eq!(end_of("aéb".as_bytes(), 2), 3);
    }

    #[test]
    fn servers_are_read_as_written() {
        for (text, id, weight) in [
            ("/var/run/mc.sock", "/var/run/mc.sock", 1),
            ("/tmp/a.sock:3", "/tmp/a.sock", 3),
            ("[::1]", "::1:11211", 1),
            ("[fe80::1]:11212:2", "fe80::1:11212", 2),
            ("memcached://u.example.com:11300", "u.example.com:11300", 1),
            ("memcached://user:secret@a:1/x", "a:1", 1),
            ("UPPER.example", "UPPER.example:11211", 1),
            ("10.2.0.1:11212:3", "10.2.0.1:11212", 3),
        ] {
            let node = server(text).unwrap();
            assert_eq!((node.id().as_str(), node.weight().get()), (id, weight));
        }
        for text in ["a:1:0", "a:x", "a:1:2:3", "", ":1", "[::1", "[::1]x", "a:"] {
            assert!(server(text).is_err(), "{text}");
        }
    }
}
