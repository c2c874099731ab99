//! go-redis' `Ring`.

use alloc::vec::Vec;

use keyroute_core::hash::Xxh64;
use keyroute_core::{Description, KeyHasher, Node, RouteError};
use keyroute_slot_table::redis_hashed_part;

use crate::{HighestScore, Score, Stirred};

/// The `Ring` client of `redis/go-redis`: [`GoRendezvous`](crate::GoRendezvous) under xxHash64, over the *names*
/// of the shards, of keys or their hash tags.
///
/// A hash tag is what stands between the first `{` and the first `}` after it, unless that is nothing. Only shards
/// that are up take part: remove one that is down (upstream: after three failed heartbeats), add it
/// when it is back. Of equal scores the shard listed first wins; **upstream lists them in a random order**,
/// so clients may differ where 64-bit scores are equal.
///
/// All laws of rendezvous are kept but that the order decides nothing. Cost: as [`HighestScore`].
///
/// Source: `ring.go` and `internal/hashtag`, 9.22.0.
///
/// ```
/// use keyroute_interop::{GoRedisRing, Router};
///
/// let shards = GoRedisRing::from_names(["shard1", "shard2", "shard3"])?;
/// assert_eq!(shards.route_id(b"user:1").unwrap(), "shard2");
/// assert_eq!(shards.route_id(b"{user:1}:profile").unwrap(), "shard2");
/// assert_eq!(shards.route_id(b"user:1:profile").unwrap(), "shard1");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type GoRedisRing = HighestScore<TaggedScore>;

impl GoRedisRing {
    /// Shards with these names, all up.
    ///
    /// # Errors
    ///
    /// As [`HighestScore::new`] and [`Node::new`].
    pub fn from_names(
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = names.into_iter().map(Node::new).collect();
        Self::new(TaggedScore(Stirred(Xxh64::default())), nodes?)
    }
}

/// go-rendezvous' score, of a key's hash tag.
#[derive(Clone, Copy, Debug)]
pub struct TaggedScore(Stirred<Xxh64>);

impl Score for TaggedScore {
    const NAME: &'static str = "go-redis-ring/1";
    type OfKey<'k> = u64;
    type OfNode = u64;
    type Value = u64;
    const LATER_WINS: bool = false;

    fn of_key(&self, key: &[u8]) -> u64 {
        self.0.0.hash(redis_hashed_part(key))
    }

    fn of_node(&self, node: &Node) -> u64 {
        self.0.of_node(node)
    }

    fn value(&self, key: &u64, node: &u64) -> u64 {
        self.0.value(key, node)
    }

    fn describe(&self, to: &mut Description) {
        self.0.describe(to);
    }
}

#[cfg(test)]
mod tests {
    use keyroute_core::Router;

    use super::GoRedisRing;

    #[test]
    fn only_the_first_brace_opens_a_tag() {
        let names: alloc::vec::Vec<_> = (0..50).map(|i| alloc::format!("shard{i}")).collect();
        let shards = GoRedisRing::from_names(&names).unwrap();
        let same = |a: &[u8], b: &[u8]| shards.route(a) == shards.route(b);
        assert!(same(b"x{tag}y", b"tag") && same(b"{tag}", b"tag") && same(b"{t}a}", b"t"));
        assert!(same(b"}{tag}", b"tag") && same(b"{{tag}", b"{tag"));
        // Hashed whole: each differs from what another reading would hash.
        for (key, other) in [
            (b"{}x".as_slice(), b"".as_slice()),
            (b"{}{a}", b"a"),
            (b"a}{b", b"b"),
            (b"x{", b""),
            (b"x}y{z", b"y"),
        ] {
            assert!(!same(key, other), "{key:?}");
        }
    }
}
