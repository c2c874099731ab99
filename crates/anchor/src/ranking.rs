//! [`Ranking`]: an order of all buckets for each key, less those that left.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use keyroute_core::buckets::mask;
use keyroute_core::hash::NativeHasher;
use keyroute_core::{KeyHasher, MAX_NODES, RouteError, Slot, SlotSet, Walk, WalkDigest, WalkExt};

use crate::bitmap::Bitmap;
use crate::engine::not_preset;
use crate::layers::Layers;
use crate::{Buckets, HistoryFree, Numbered};

/// A ranking of buckets and a bitmap of those in service, over nodes: `ranking/1`. History-free, without a
/// preset capacity, with replicas.
///
/// Each key ranks all bucket numbers there could be; the first with a node owns it, the next ones are its
/// replicas. Any node may leave or join, and only the keys that must move do; a node that leaves only
/// drops out of each key's order. This is the member of the family to take unless another system decides.
///
/// A node that joins takes the lowest free bucket, so one that left and comes back finds its keys if no
/// other came in between. Which node is on which bucket decides answers: clients must share the
/// [`state`](Numbered::state), or every change in one order. The order of leaving alone decides nothing.
///
/// | | cost, n nodes on buckets below m |
/// | --- | --- |
/// | lookup | one hash, 2 to 4 draws × m ÷ n on average |
/// | first k of the walk | k lookups without the hash while k is well below n; all n of them n (ln n + 0.58) |
/// | add, remove | O(log n) |
/// | memory | the members; for each bucket a bit, and about 60 bytes more if its node has left |
///
/// A fleet that has shrunk to a small part keeps its high bucket numbers, and the cost of m ÷ n. Building
/// it anew makes them dense again, and moves keys.
///
/// ```
/// use keyroute_anchor::Ranking;
///
/// let mut router = Ranking::from_ids(["a", "b", "c"])?;
/// let order = router.replicas(b"user:1", 3);
/// assert_eq!(router.route(b"user:1"), Some(order[0]));
///
/// let owner = router.route_id(b"user:1").unwrap().to_string();
/// router.remove(&owner)?;
/// assert_eq!(router.replicas(b"user:1", 3), order[1..]); // the first replica has it now
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
pub type Ranking<H = NativeHasher> = Numbered<RankedBuckets, H>;

/// The buckets of [`Ranking`].
///
/// Source: the contract of consistent-choose-k (GitHub, rust-gems): for each key an order of 0 to n − 1
/// that is, for every n, that of n + 1 without n. Its recursion costs O(k) to find the k-th; here the order
/// is that in which numbers first come up in layers of draws, one a power of two, as DxHash draws over one
/// capacity. Each number costs O(1), and orders are even exactly, as far as the words of SplitMix64 are.
/// The owner among n buckets of which none left is **not** JumpBack's.
///
/// At most [`MAX_NODES`] buckets.
///
/// ```
/// use keyroute_anchor::{Buckets, RankedBuckets};
///
/// let mut ranked = RankedBuckets::new();
/// for _ in 0..3 {
///     ranked.add();
/// }
/// let first = ranked.bucket(42).unwrap();
/// let second = ranked.order(42).find(|&bucket| bucket != first);
/// ranked.remove(first);
/// assert_eq!(ranked.bucket(42), second);
/// ```
#[derive(Clone, Debug, Default)]
pub struct RankedBuckets {
    live: Bitmap,
}

impl RankedBuckets {
    /// No bucket in service.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The first number and the rest of the layer that gives all buckets. A higher one would give them in
    /// the same order.
    fn layers(&self, hash: u64) -> (u32, Layers) {
        Layers::begin(hash, mask(self.live.bound()))
    }

    /// The buckets in service in the order of this hash, **with repeats** and without end: a bucket counts
    /// where it comes up first. Empty if none is in service.
    pub fn order(&self, hash: u64) -> impl Iterator<Item = u32> + '_ {
        let (first, mut layers) = self.layers(hash);
        core::iter::once(first)
            .chain(core::iter::repeat_with(move || layers.next()))
            .filter(|&bucket| self.live.contains(bucket))
            .take(if self.live.len() == 0 { 0 } else { usize::MAX })
    }
}

impl Buckets for RankedBuckets {
    const NAME: &'static str = "ranking";
    const REVISION: u32 = 1;

    fn empty(capacity: Option<u32>) -> Result<Self, RouteError> {
        not_preset(capacity)?;
        Ok(Self::new())
    }

    fn bucket(&self, hash: u64) -> Option<u32> {
        if self.live.len() == 0 {
            return None;
        }
        let (mut bucket, mut layers) = self.layers(hash);
        while !self.live.contains(bucket) {
            bucket = layers.next();
        }
        Some(bucket)
    }

    fn drawn_before(&self, hash: u64) -> Vec<u32> {
        let mut before = Vec::new();
        if self.live.len() > 0 {
            let (mut bucket, mut layers) = self.layers(hash);
            while !self.live.contains(bucket) {
                before.push(bucket);
                bucket = layers.next();
            }
        }
        before
    }

    fn preferred(&self, hash: u64, n: usize) -> Vec<u32> {
        let n = n.min(self.live.len() as usize); // u32 fits
        let mut preferred: Vec<u32> = Vec::with_capacity(n);
        let mut order = self.order(hash);
        while preferred.len() < n {
            match order.next() {
                Some(bucket) if preferred.contains(&bucket) => {}
                Some(bucket) => preferred.push(bucket),
                None => break,
            }
        }
        preferred
    }

    fn contains(&self, bucket: u32) -> bool {
        self.live.contains(bucket)
    }

    fn next_bucket(&self) -> Option<u32> {
        let free = self.live.lowest_free();
        ((free as usize) < MAX_NODES).then_some(free)
    }

    fn add(&mut self) -> Option<u32> {
        let bucket = self.next_bucket()?;
        self.live.insert(bucket);
        Some(bucket)
    }

    fn remove(&mut self, bucket: u32) -> bool {
        self.live.remove(bucket)
    }

    fn removed(&self) -> Vec<u32> {
        self.live.holes()
    }

    fn heap_bytes(&self) -> usize {
        self.live.heap_bytes()
    }
}

impl HistoryFree for RankedBuckets {}

impl<H: KeyHasher<Out = u64>> Walk for Ranking<H> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.walk_value_with(self.hasher().hash(key), seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>> WalkDigest for Ranking<H> {
    fn walk_value_with(
        &self,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        let order = self.buckets().order(value);
        let mut left = self.members().len();
        // Without members the order is empty; with them it holds each.
        for slot in order.filter_map(Slot::new) {
            if seen.insert(slot) {
                left -= 1;
                if visit(slot).is_break() || left == 0 {
                    return;
                }
            }
        }
    }
}

impl<H: KeyHasher<Out = u64>> Ranking<H> {
    /// The first `n` nodes of the key's order, the owner first.
    #[must_use]
    pub fn replicas(&self, key: &[u8], n: usize) -> Vec<Slot> {
        WalkExt::replicas(self, key, n)
    }

    /// The first node of the key's order that satisfies the predicate.
    pub fn first_where(&self, key: &[u8], accept: impl FnMut(Slot) -> bool) -> Option<Slot> {
        WalkExt::first_where(self, key, accept)
    }
}
