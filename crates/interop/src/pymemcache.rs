//! pymemcache.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::Write;
use core::hash::Hasher;

use keyroute_core::{Description, Members, Node, RouteError, Slot};
use mur3::Hasher32;

use crate::{HighestScore, Score};

/// pymemcache's `HashClient`: rendezvous by MurmurHash3 (32 bits) of the text `node-key`; the greatest score
/// wins, of equal ones the greater name. The order of nodes decides nothing.
///
/// **A character is one byte, its low eight bits**, and the length that is mixed in counts characters: `é`
/// is E9, `中` (U+4E2D) is 2D. Keys are UTF-8 here; bytes that are no UTF-8 count as they stand. A key given
/// to it as Python `bytes` is hashed as its `repr`, so `b"foo"` lands elsewhere than `"foo"`: ask for
/// [`bytes_key`] of it. The key prefix is not hashed. Keys that it refuses (over 250 bytes, with blanks or
/// NULs) are answered all the same.
///
/// Source: 4.0.0, `client/hash.py`, `client/rendezvous.py`, `client/murmur3.py`.
///
/// ```
/// use keyroute_interop::{PyMemcache, Router};
///
/// let client = PyMemcache::from_servers(0, ["10.0.1.1", "10.0.1.2:11212"])?;
/// assert_eq!(client.route_id("clé".as_bytes()).unwrap(), "10.0.1.1:11211");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type PyMemcache = HighestScore<Murmur3Text>;

impl PyMemcache {
    /// These servers, as text or as a path, under a seed (0 unless configured). [`server_name`] says their
    /// ids.
    ///
    /// # Errors
    ///
    /// As [`server_name`] and [`HighestScore::new`].
    pub fn from_servers(
        seed: u32,
        servers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let node = |server: &str| Node::new(server_name(server)?);
        let nodes: Result<Vec<_>, _> = servers.into_iter().map(|s| node(s.as_ref())).collect();
        Self::new(Murmur3Text { seed }, nodes?)
    }
}

/// The name under which a server is hashed: `host:port`, where the port is 11211 unless given and IPv6 loses
/// its brackets; of a unix socket the path, without `unix:` in front.
///
/// # Errors
///
/// [`RouteError::Parameter`] for a port that is not a number from 0 to 65535.
///
/// ```
/// use keyroute_interop::pymemcache::server_name;
///
/// for (server, name) in [
///     ("localhost", "localhost:11211"),
///     ("unix:/run/mc.sock", "/run/mc.sock"),
///     ("[::1]", "::1:11211"),
///     ("[::1]:11212", "::1:11212"),
/// ] {
///     assert_eq!(server_name(server)?, name);
/// }
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub fn server_name(server: &str) -> Result<String, RouteError> {
    if let Some(path) = server.strip_prefix("unix:") {
        return Ok(path.into());
    }
    if server.starts_with('/') {
        return Ok(server.into());
    }
    let (host, port) = match server.rsplit_once(':') {
        Some((host, port)) if !server.ends_with(']') => {
            let port: u16 = port.parse().map_err(|_| RouteError::Parameter {
                name: "a server's port",
                given: port.into(),
                accepted: "0 to 65535",
            })?;
            (host, port)
        }
        _ => (server, 11211),
    };
    let host = if host.starts_with('[') {
        host.trim_matches(['[', ']'])
    } else {
        host
    };
    Ok(format!("{host}:{port}"))
}

/// The text that is hashed of a key given as Python `bytes`: its `repr`.
///
/// ```
/// use keyroute_interop::pymemcache::bytes_key;
///
/// assert_eq!(bytes_key(b"foo"), "b'foo'");
/// assert_eq!(bytes_key(b"it's\n\xe9"), r#"b"it's\n\xe9""#);
/// ```
#[must_use]
pub fn bytes_key(key: &[u8]) -> String {
    let quote = if key.contains(&b'\'') && !key.contains(&b'"') {
        '"'
    } else {
        '\''
    };
    let mut text = format!("b{quote}");
    for &byte in key {
        let c = char::from(byte);
        match c {
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\\' => text.push_str("\\\\"),
            _ if c == quote => text.extend(['\\', quote]),
            ' '..='~' => text.push(c),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push(quote);
    text
}

/// MurmurHash3 of `node-key`, a byte a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Murmur3Text {
    seed: u32,
}

impl Murmur3Text {
    /// Under this seed: 0 unless configured.
    #[must_use]
    pub fn new(seed: u32) -> Self {
        Self { seed }
    }
}

/// What is hashed of a character.
fn low_byte(c: char) -> u8 {
    let [low, ..] = u32::from(c).to_le_bytes();
    low
}

impl Score for Murmur3Text {
    const NAME: &'static str = "pymemcache/1";
    type OfKey<'k> = &'k [u8];
    /// `name-`, a byte a character.
    type OfNode = Vec<u8>;
    type Value = u32;
    const LATER_WINS: bool = false;

    fn of_key<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key
    }

    fn of_node(&self, node: &Node) -> Vec<u8> {
        let name = node.id().as_str().chars();
        name.map(low_byte).chain([b'-']).collect()
    }

    fn value(&self, key: &&[u8], node: &Vec<u8>) -> u32 {
        let mut hasher = Hasher32::with_seed(self.seed);
        hasher.write(node);
        for chunk in key.utf8_chunks() {
            for c in chunk.valid().chars() {
                hasher.write(&[low_byte(c)]);
            }
            hasher.write(chunk.invalid());
        }
        hasher.finish32()
    }

    fn wins_tie(&self, members: &Members, best: Slot, other: Slot) -> bool {
        members.cmp_id(other, best) == Ordering::Greater
    }

    fn describe(&self, to: &mut Description) {
        to.field("seed", self.seed.to_string());
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::Router;

    use super::*;

    fn score(node: &str, key: &[u8]) -> u32 {
        let text = Murmur3Text { seed: 0 };
        text.value(&key, &text.of_node(&Node::new(node).unwrap()))
    }

    /// The worked examples that the running client gave.
    #[test]
    fn scores_are_of_a_byte_a_character() {
        for (key, scores) in [
            ("foo", [3_157_539_936, 2_184_181_358]),
            ("user:1001", [4_194_473_297, 3_591_002_091]),
            ("clé", [1_323_779_436, 43_782_657]),
        ] {
            let computed =
                ["10.0.1.1:11211", "10.0.1.2:11212"].map(|node| score(node, key.as_bytes()));
            assert_eq!(computed, scores, "{key}");
        }
        assert_eq!(score("a", "中".as_bytes()), score("a", b"-"));
        assert_eq!(score("é", b"k"), mur3::murmurhash3_x86_32(b"\xe9-k", 0));
        assert_eq!(score("a", b"\xe9"), score("a", "é".as_bytes()));
    }

    /// U+012D and U+002D have one low byte, so these two names always score alike.
    #[test]
    fn the_greater_name_wins_a_tie_in_either_order() {
        for names in [["a\u{12d}", "a-"], ["a-", "a\u{12d}"]] {
            let nodes = names.map(|name| Node::new(name).unwrap());
            let client = PyMemcache::new(Murmur3Text { seed: 0 }, nodes).unwrap();
            assert_eq!(client.route_id(b"k").unwrap(), "a\u{12d}");
        }
    }

    #[test]
    fn a_bytes_key_is_its_repr() {
        for (key, text) in [
            (&b""[..], "b''"),
            (b"'", "b\"'\""),
            (b"\"", "b'\"'"),
            (b"'\"", "b'\\'\"'"),
            (b"\\\x00\x7f~", "b'\\\\\\x00\\x7f~'"),
        ] {
            assert_eq!(bytes_key(key), text);
        }
        assert!(server_name("a:b").is_err());
        assert_eq!(server_name("unix:/a:b").unwrap(), "/a:b");
    }
}
