//! [`RequestHash`]: from a request to a hash.

use alloc::vec::Vec;

use keyroute_core::KeyHasher;
use keyroute_core::hash::Xxh64;

/// The hash of a header with these values: each is hashed under the hash of the one before, in the order of their
/// bytes. Blanks around a value do not count. `None` for a header that is absent; one that is empty has a
/// hash.
///
/// ```
/// use keyroute_interop::envoy::header_hash;
///
/// assert_eq!(header_hash(&[b"b", b"a"]), Some(8_564_053_812_407_216_358));
/// assert_eq!(header_hash(&[b""]), Some(17_241_709_254_077_376_921));
/// assert_eq!(header_hash(&[]), None);
/// ```
#[must_use]
pub fn header_hash(values: &[&[u8]]) -> Option<u64> {
    let mut values: Vec<&[u8]> = values.iter().map(|value| value.trim_ascii()).collect();
    values.sort_unstable();
    let (first, rest) = values.split_first()?;
    let first = Xxh64::default().hash(first);
    Some(
        rest.iter()
            .fold(first, |seed, value| Xxh64 { seed }.hash(value)),
    )
}

/// The hash of a request under several policies, in their order. Cookies, the first value of a query parameter, and the
/// source's address without its port are hashed by XXH64 with seed 0.
///
/// ```
/// use keyroute_interop::envoy::{RequestHash, header_hash};
///
/// let hash = RequestHash::default()
///     .and(header_hash(&[b"a"]), false)
///     .and(None, false)
///     .and(header_hash(&[b"b"]), false);
/// assert_eq!(hash.value(), Some(15_913_648_788_416_971_564));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestHash {
    hash: Option<u64>,
    ended: bool,
}

impl RequestHash {
    /// One policy more: the hash that it gives, if any, and whether it is `terminal`, which ends the list
    /// once there is a hash.
    #[must_use]
    pub fn and(mut self, hash: Option<u64>, terminal: bool) -> Self {
        if self.ended {
            return self;
        }
        if let Some(hash) = hash {
            self.hash = Some(self.hash.unwrap_or(0).rotate_left(1) ^ hash);
        }
        self.ended = terminal && self.hash.is_some();
        self
    }

    /// The hash; `None` if no policy gave one: Envoy then takes a random host.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        self.hash
    }
}
