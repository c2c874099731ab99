//! [`GrowableAnchor`]: JumpBack, and an anchor beneath it.

use alloc::vec::Vec;

use keyroute_core::RouteError;
use keyroute_core::buckets::MAX_BUCKETS;
use keyroute_core::hash::NativeHasher;

use crate::draws::checked;
use crate::engine::not_preset;
use crate::removals::Removals;
use crate::{Buckets, Draws, JumpBackWords, Numbered, Recorded};

/// An anchor that grows, over nodes: `growable-anchor/1`. **History-dependent**, without a preset capacity.
///
/// While nobody has left it is JumpBack: a fleet that leaves it for this moves no key, and pays nothing.
/// When a node leaves, only its keys move. The node that joins next takes the bucket of the one that left
/// last; only when all are back does the row of buckets grow. The order of leaving decides answers:
/// clients must share the [`state`](Numbered::state), or every change in one order.
///
/// | | cost, n nodes, r left |
/// | --- | --- |
/// | lookup | one hash, JumpBack, ln((n + r) ÷ n) draws on average if nodes left at random, r at most; each up to r steps |
/// | add, remove | O(log n), and a removal up to r steps |
/// | memory | the members, 8 bytes a bucket up to the highest that left, 4 for each that left |
///
/// ```
/// use keyroute_anchor::{GrowableAnchor, Node};
///
/// let mut router = GrowableAnchor::from_ids(["a", "b", "c"])?;
/// let before = router.route_id(b"user:1").unwrap().clone();
/// router.remove("b")?;
/// assert!(before == "b" || *router.route_id(b"user:1").unwrap() == before);
///
/// // What clients must share, as a value that serde can store.
/// let copy = GrowableAnchor::from_state(router.state())?;
/// assert_eq!(copy.fingerprint(), router.fingerprint());
/// # use keyroute_anchor::Router;
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
pub type GrowableAnchor<H = NativeHasher> = Numbered<GrowableBuckets, H>;

/// The buckets of [`GrowableAnchor`].
///
/// Source: the anchor of [`AnchorBuckets`](crate::AnchorBuckets), with the first draw over a preset
/// capacity replaced by JumpBack over the buckets there are. Growing one of them while another is out of
/// service would break the rule that only the newcomer gains keys; adding refills first.
///
/// ```
/// use keyroute_anchor::{Buckets, GrowableBuckets, buckets::jump_back_hash};
///
/// let mut growable = GrowableBuckets::new();
/// for _ in 0..100 {
///     growable.add();
/// }
/// assert_eq!(growable.bucket(1), jump_back_hash(1, 100));
/// ```
#[derive(Clone, Debug, Default)]
pub struct GrowableBuckets {
    removals: Removals,
}

impl GrowableBuckets {
    /// No bucket in service.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The bucket of the key with these draws; `None` if none is in service.
    pub fn bucket_by(&self, draws: &mut impl Draws) -> Option<u32> {
        let buckets = self.removals.buckets();
        if buckets == 0 {
            return None;
        }
        let first = checked(draws.first(buckets), buckets)?;
        self.removals.settle(first, draws)
    }
}

impl Buckets for GrowableBuckets {
    const NAME: &'static str = "growable-anchor";
    const REVISION: u32 = 1;

    fn empty(capacity: Option<u32>) -> Result<Self, RouteError> {
        not_preset(capacity)?;
        Ok(Self::new())
    }

    fn bucket(&self, hash: u64) -> Option<u32> {
        self.bucket_by(&mut JumpBackWords::new(hash))
    }

    fn drawn_before(&self, hash: u64) -> Vec<u32> {
        let mut draws = Recorded::new(JumpBackWords::new(hash));
        let _ = self.bucket_by(&mut draws);
        draws.left()
    }

    fn contains(&self, bucket: u32) -> bool {
        self.removals.contains(bucket)
    }

    fn next_bucket(&self) -> Option<u32> {
        self.removals.next_bucket(MAX_BUCKETS)
    }

    fn add(&mut self) -> Option<u32> {
        self.removals.add(MAX_BUCKETS)
    }

    fn remove(&mut self, bucket: u32) -> bool {
        self.removals.remove(bucket)
    }

    fn removed(&self) -> Vec<u32> {
        self.removals.order().into()
    }

    fn heap_bytes(&self) -> usize {
        self.removals.heap_bytes()
    }
}
