//! The family as routers: [`Jump`] and its siblings.

use keyroute_core::hash::NativeHasher;
use keyroute_core::{BucketFunction, Bucketed};

use crate::jump_batch::jump_hash_batch;
use crate::{
    binomial_hash, binomial_hash_published, flip_hash, jump_back_hash, jump_hash, power_hash,
};

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
/// | lookup | one hash and some more than ln n divisions; in a batch a third to a half of that |
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

/// [`jump_back_hash`] over an ordered list of nodes: what [`Jump`] promises, in constant time.
///
/// ```
/// use keyroute_jump::JumpBack;
///
/// let shards = JumpBack::from_ids(["shard-0", "shard-1", "shard-2"])?;
/// assert!(shards.route_id(b"user:1").is_some());
/// # Ok::<(), keyroute_jump::RouteError>(())
/// ```
pub type JumpBack<H = NativeHasher> = Bucketed<JumpBackHash, H>;

/// [`flip_hash`] over an ordered list of nodes: what [`Jump`] promises, in constant time.
pub type Flip<H = NativeHasher> = Bucketed<FlipHash, H>;

/// [`power_hash`] over an ordered list of nodes: what [`Jump`] promises, in constant time.
pub type Power<H = NativeHasher> = Bucketed<PowerHash, H>;

/// [`binomial_hash`] over an ordered list of nodes: what [`Jump`] promises, in constant time.
pub type Binomial<H = NativeHasher> = Bucketed<BinomialHash, H>;

/// [`binomial_hash_published`] over an ordered list of nodes: what [`Jump`] promises but even shares, in
/// constant time. For systems that route this way already; else take [`Binomial`].
pub type BinomialPublished<H = NativeHasher> = Bucketed<BinomialPublishedHash, H>;

macro_rules! bucket_functions {
    ($($(#[$doc:meta])* $name:ident: $strategy:literal, $function:ident $(, $batch:ident)?;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl BucketFunction<u64> for $name {
            const NAME: &'static str = $strategy;
            const REVISION: u32 = 1;

            #[inline]
            fn bucket(hash: u64, buckets: u32) -> Option<u32> {
                $function(hash, buckets)
            }

            $(
                fn bucket_batch(hashes: &[u64], buckets: u32, out: &mut [Option<u32>]) {
                    $batch(hashes, buckets, out);
                }
            )?
        }
    )*};
}

bucket_functions! {
    /// [`jump_hash`] as the bucket function of [`Jump`]: `jump/1`.
    JumpHash: "jump", jump_hash, jump_hash_batch;
    /// [`jump_back_hash`] as the bucket function of [`JumpBack`]: `jump-back/1`.
    JumpBackHash: "jump-back", jump_back_hash;
    /// [`flip_hash`] as the bucket function of [`Flip`]: `flip/1`.
    FlipHash: "flip", flip_hash;
    /// [`power_hash`] as the bucket function of [`Power`]: `power/1`.
    PowerHash: "power", power_hash;
    /// [`binomial_hash`] as the bucket function of [`Binomial`]: `binomial/1`.
    BinomialHash: "binomial", binomial_hash;
    /// [`binomial_hash_published`] as the bucket function of [`BinomialPublished`]:
    /// `binomial-published/1`.
    BinomialPublishedHash: "binomial-published", binomial_hash_published;
}
