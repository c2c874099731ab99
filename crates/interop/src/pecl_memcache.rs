//! pecl-memcache: PHP's `Memcache`, not `Memcached`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use keyroute_core::{
    Description, Explanation, KeyHasher, MemberOrder, Members, Node, Quoted, RouteError, Slot,
};

use crate::hash::MemcachedHash;
use crate::label_points::labelled;
use crate::slot_list::{SlotList, SlotRule, check_entries, repeated};

/// The places of the consistent strategy's table.
const BUCKETS: u32 = 1024;
/// Points of a server per unit of weight.
const POINTS: u64 = 160;
/// The longest key that is hashed, in bytes.
const MAX_KEY: usize = 250;

/// `memcache.hash_strategy=consistent`, the default: a ring of points, asked once for each of 1024 places.
/// **A key is never placed on the ring**: its hash's low ten bits choose a place, so a server may own none.
///
/// - Ids are `host:port`, whatever the port; of a socket `unix:///path:0`. See [`server_name`].
/// - **Points**: the hash of `id-i`, 160 × weight of them. Ties go to the server added first.
/// - **Places**: the first point at or after place × 4194303.
///
/// Source: 4.0.5.2, `memcache_consistent_hash.c`, `memcache_pool.c`.
pub type Consistent = SlotList<ConsistentRule>;

impl Consistent {
    /// These servers in the order of adding.
    ///
    /// # Errors
    ///
    /// As [`SlotList::new`]; [`RouteError::TooManyPoints`] for over 2^24 points.
    ///
    /// ```
    /// use keyroute_interop::pecl_memcache::{Consistent, KeyHash};
    /// use keyroute_interop::{Node, Router};
    ///
    /// let servers = [Node::new("10.0.1.1:11211")?, Node::new("10.0.1.2:11212")?];
    /// let pool = Consistent::of_servers(KeyHash::default(), servers)?;
    /// assert_eq!(pool.route_id("clé".as_bytes()).unwrap(), "10.0.1.1:11211");
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn of_servers(
        key_hash: KeyHash,
        servers: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::new(ConsistentRule { key_hash }, servers)
    }
}

/// `memcache.hash_strategy=standard`: bits 16 to 30 of the hash, or 1 if they are 0, modulo the sum of the
/// weights, in a list that holds each server as often as its weight says.
///
/// Source: 4.0.5.2, `memcache_standard_hash.c`.
pub type Standard = SlotList<StandardRule>;

impl Standard {
    /// These servers in the order of adding.
    ///
    /// # Errors
    ///
    /// As [`SlotList::new`].
    ///
    /// ```
    /// use keyroute_interop::pecl_memcache::{KeyHash, Standard};
    /// use keyroute_interop::{Node, Router};
    ///
    /// let servers = [Node::new("10.0.1.1:11211")?, Node::new("10.0.1.2:11212")?];
    /// let pool = Standard::of_servers(KeyHash::default(), servers)?;
    /// assert_eq!(pool.route_id(b"foo").unwrap(), "10.0.1.2:11212"); // 3187 % 2
    /// # Ok::<(), keyroute_interop::RouteError>(())
    /// ```
    pub fn of_servers(
        key_hash: KeyHash,
        servers: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::new(StandardRule { key_hash }, servers)
    }
}

/// The name under which a server is hashed.
///
/// ```
/// use keyroute_interop::pecl_memcache::server_name;
///
/// assert_eq!(server_name("10.0.1.1", 11211), "10.0.1.1:11211");
/// assert_eq!(server_name("unix:///tmp/mc.sock", 0), "unix:///tmp/mc.sock:0");
/// ```
#[must_use]
pub fn server_name(host: &str, port: u16) -> String {
    format!("{host}:{port}")
}

/// How pecl-memcache hashes a key: **bytes up to 0x20 become `_`** and prefix and key are cut at 250 bytes
/// together, so that `a b` and `a_b` are one key. CRC-32 by default.
///
/// FNV-1a reads `char`, which is signed on x86-64; see [`MemcachedHash`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHash {
    hash: MemcachedHash,
    prefix: String,
}

impl Default for KeyHash {
    fn default() -> Self {
        Self {
            hash: MemcachedHash::Crc32a,
            prefix: String::new(),
        }
    }
}

impl KeyHash {
    /// `memcache.hash_function`: `crc32` or `fnv`.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for another name.
    pub fn named(name: &str) -> Result<Self, RouteError> {
        let hash = match name {
            "crc32" => MemcachedHash::Crc32a,
            "fnv" => MemcachedHash::Fnv1a32,
            _ => {
                return Err(RouteError::Parameter {
                    name: "hash_function",
                    given: name.into(),
                    accepted: "crc32 or fnv",
                });
            }
        };
        Ok(Self {
            hash,
            prefix: String::new(),
        })
    }

    /// `memcache.key_prefix`: what stands before each key.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> Self {
        self.prefix = prefix.to_string();
        self
    }
}

impl KeyHasher for KeyHash {
    type Out = u32;

    fn hash(&self, key: &[u8]) -> u32 {
        let mut buffer = [0; MAX_KEY];
        let mut length = 0;
        for (place, &byte) in buffer
            .iter_mut()
            .zip(self.prefix.as_bytes().iter().chain(key))
        {
            *place = if byte <= b' ' { b'_' } else { byte };
            length += 1;
        }
        self.hash.hash(&buffer[..length])
    }

    fn name(&self) -> Option<String> {
        let hash = self.hash.name()?;
        let prefix = Quoted(&self.prefix);
        Some(format!("{hash} of pecl-memcache's keys after {prefix}"))
    }
}

/// The rule of [`Consistent`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsistentRule {
    key_hash: KeyHash,
}

impl ConsistentRule {
    /// Keys hashed so.
    #[must_use]
    pub fn new(key_hash: KeyHash) -> Self {
        Self { key_hash }
    }
}

impl SlotRule for ConsistentRule {
    const NAME: &'static str = "pecl-memcache-consistent/1";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError> {
        check_entries(members.total_weight().saturating_mul(POINTS))?;
        let hash = self.key_hash.hash;
        let mut points: Vec<(u32, usize, Slot)> = Vec::new();
        for (listed, slot) in members.listed().into_iter().enumerate() {
            if let Some(node) = members.get(slot) {
                let count = u64::from(node.weight().get()) * POINTS;
                let labels = labelled(node.id().as_str(), '-', count, |label| [hash.hash(label)]);
                points.extend(labels.map(|point| (point, listed, slot)));
            }
        }
        points.sort_unstable();
        let owners = (0..BUCKETS).filter_map(|bucket| owner(&points, start_of(bucket)));
        Ok(owners.collect())
    }

    fn place(&self, key: &[u8], entries: u32) -> u32 {
        // There are 1024.
        self.key_hash.hash(key) % entries
    }

    fn hashed(&self, why: Explanation, key: &[u8]) -> Explanation {
        why.hashed(&self.key_hash, self.key_hash.hash(key))
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.key_hash);
    }
}

/// The rule of [`Standard`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandardRule {
    key_hash: KeyHash,
}

impl StandardRule {
    /// Keys hashed so.
    #[must_use]
    pub fn new(key_hash: KeyHash) -> Self {
        Self { key_hash }
    }
}

impl SlotRule for StandardRule {
    const NAME: &'static str = "pecl-memcache-standard/1";
    const ORDER: MemberOrder = MemberOrder::Listed;

    fn fill(&self, members: &Members) -> Result<Vec<Slot>, RouteError> {
        repeated(members, members.listed(), |node| node.weight().get())
    }

    fn place(&self, key: &[u8], entries: u32) -> u32 {
        fold(self.key_hash.hash(key)) % entries
    }

    fn hashed(&self, why: Explanation, key: &[u8]) -> Explanation {
        why.hashed(&self.key_hash, self.key_hash.hash(key))
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.key_hash);
    }
}

/// The owner of the first of these points at or after a position, round the end if need be.
fn owner(points: &[(u32, usize, Slot)], at: u32) -> Option<Slot> {
    let first = points.partition_point(|&(point, ..)| point < at);
    let point = points.get(first).or_else(|| points.first());
    point.map(|&(.., slot)| slot)
}

/// The position that place asks the ring about: steps are rounded down.
fn start_of(bucket: u32) -> u32 {
    bucket * (u32::MAX / BUCKETS)
}

/// Bits 16 to 30; 1 in place of 0.
fn fold(hash: u32) -> u32 {
    (hash >> 16 & 0x7fff).max(1)
}

#[cfg(test)]
mod tests {
    use keyroute_core::{Router, Weight};

    use super::*;

    #[test]
    fn keys_are_cleaned_and_cut_before_they_are_hashed() {
        let hash = KeyHash::default();
        assert_eq!(hash.hash(b"a b\0\x1f!"), crc32fast::hash(b"a_b__!"));
        assert_eq!(hash.hash(&[b'k'; 251]), crc32fast::hash(&[b'k'; 250]));
        let prefixed = KeyHash::default().with_prefix("p ");
        assert_eq!(prefixed.hash(b"k"), crc32fast::hash(b"p_k"));
        let cut = [&b"p_"[..], &[b'k'; 248]].concat();
        assert_eq!(prefixed.hash(&[b'k'; 249]), crc32fast::hash(&cut));
        // é is C3 A9, both negative.
        let fnv = KeyHash::named("fnv").unwrap();
        assert_eq!(fnv.hash("clé".as_bytes()), 1_733_572_406);
        assert!(KeyHash::named("crc32a").is_err());
    }

    /// The worked example: slots 0 to 6 are the second server's, slot 7 the first's.
    #[test]
    fn places_ask_the_ring_at_steps_of_4194303() {
        let servers = ["10.0.1.1:11211", "10.0.1.2:11212"].map(|id| Node::new(id).unwrap());
        let pool = Consistent::of_servers(KeyHash::default(), servers).unwrap();
        let first: Vec<u32> = pool.entries()[..8]
            .iter()
            .map(|slot| slot.index())
            .collect();
        assert_eq!(first, [1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!(pool.entries().len(), 1024);
        assert_eq!(start_of(1023), 4_290_771_969);
    }

    #[test]
    fn a_position_on_a_point_is_that_points_and_the_last_wraps() {
        let [a, b] = [0, 1].map(|index| Slot::new(index).unwrap());
        let points = [(10, 0, a), (20, 1, b)];
        let owners = [0, 10, 11, 20, 21].map(|at| owner(&points, at));
        assert_eq!(owners, [a, a, b, b, a].map(Some));
        assert_eq!(owner(&[], 0), None);
    }

    /// FNV-1a of `10.0.1.124:11211-128` and of `10.0.5.206:11211-62` is 3524729792, the first point from
    /// place 627 on.
    #[test]
    fn a_shared_point_is_the_first_servers() {
        for first in ["10.0.1.124:11211", "10.0.5.206:11211"] {
            let other = ["10.0.1.124:11211", "10.0.5.206:11211"].into_iter();
            let other = other.filter(|&id| id != first);
            let servers = [first]
                .into_iter()
                .chain(other)
                .map(|id| Node::new(id).unwrap());
            let pool = Consistent::of_servers(KeyHash::named("fnv").unwrap(), servers).unwrap();
            assert_eq!(owner_of(&pool, 627), first);
        }
    }

    fn owner_of(pool: &Consistent, place: usize) -> &str {
        let node = pool.members().get(pool.entries()[place]);
        node.unwrap().id().as_str()
    }

    #[test]
    fn a_folded_hash_of_0_is_1() {
        assert_eq!(fold(0x8000_ffff), 1);
        assert_eq!(fold(0xffff_0000), 0x7fff);
    }

    #[test]
    fn weights_of_too_many_points_are_refused() {
        let heavy = Node::new("a:1")
            .unwrap()
            .with_weight(Weight::new(u32::MAX).unwrap());
        for result in [
            Consistent::of_servers(KeyHash::default(), [heavy.clone()]).map(drop),
            Standard::of_servers(KeyHash::default(), [heavy]).map(drop),
        ] {
            assert!(matches!(result, Err(RouteError::TooManyPoints { .. })));
        }
        let none = Consistent::of_servers(KeyHash::default(), []).unwrap();
        assert_eq!(none.route(b"k"), None);
    }
}
