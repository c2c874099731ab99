//! [`Jump`]: a router over [`jump_hash`].

use keyroute_core::hash::NativeHasher;
use keyroute_core::{BucketFunction, Bucketed};

use crate::jump_hash;

/// Jump consistent hash over an ordered list of nodes: bucket i is the i-th node.
///
/// **The order of the list is part of the input**, so all clients must list the same nodes in the same
/// order; the fingerprint covers it. Nodes join at the end and leave from the end: then only the keys
/// that must move do. What it cannot do it refuses: weights other than 1 are an error, removal from
/// the middle does not exist (it would renumber every later shard), and there is no preference order,
/// hence no replicas.
///
/// | | cost, n nodes |
/// | --- | --- |
/// | lookup | one hash and about ln n + 0.58 divisions |
/// | add, remove last | O(log n) |
/// | memory | the list of nodes; nothing per key or point |
///
/// ```
/// use keyroute_jump::{Jump, Node};
///
/// let mut shards = Jump::from_ids(["shard-0", "shard-1", "shard-2"])?;
/// let before = shards.route_id(b"user:1").cloned();
/// shards.add(Node::new("shard-3")?)?;
/// let after = shards.route_id(b"user:1").cloned();
/// assert!(after == before || after.unwrap() == "shard-3");
/// # Ok::<(), keyroute_jump::RouteError>(())
/// ```
///
/// A shard in the middle cannot leave:
///
/// ```compile_fail,E0277
/// use keyroute_jump::Jump;
///
/// let mut shards = Jump::from_ids(["shard-0", "shard-1"]).unwrap();
/// shards.remove("shard-0");
/// ```
pub type Jump<H = NativeHasher> = Bucketed<JumpHash, H>;

/// [`jump_hash`] as the bucket function of [`Jump`]: `jump/1`.
#[derive(Clone, Copy, Debug)]
pub struct JumpHash;

impl BucketFunction<u64> for JumpHash {
    const NAME: &'static str = "jump";
    const REVISION: u32 = 1;

    fn bucket(hash: u64, buckets: u32) -> Option<u32> {
        jump_hash(hash, buckets)
    }
}
