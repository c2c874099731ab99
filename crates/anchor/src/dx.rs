//! [`Dx`]: draw until a bucket in service comes up.

use alloc::vec::Vec;

use keyroute_core::RouteError;
use keyroute_core::hash::NativeHasher;

use crate::bitmap::Bitmap;
use crate::draws::checked;
use crate::engine::preset;
use crate::{Buckets, Draws, HistoryFree, Numbered, Preset, Recorded, Words};

/// Draws that are made for each bucket of the capacity before the search falls back on counting.
const DRAWS_PER_BUCKET: u64 = 4;

/// DxHash over nodes: `dx/1`. History-free, of a preset capacity.
///
/// Each key draws buckets until one with a node comes up. Any node may leave, and only its keys move. A
/// node that joins takes the lowest free bucket; which node is on which bucket decides answers, so clients
/// must share the [`state`](Numbered::state), or every change in one order. The order of leaving alone
/// decides nothing.
///
/// The capacity cannot change: over a greater one every draw gives another number. [`Ranking`](crate::Ranking)
/// is the same idea without that limit, and has replicas.
///
/// | | cost, n nodes |
/// | --- | --- |
/// | lookup | one hash, capacity ÷ n draws on average, 4 × capacity at most; a bit each |
/// | add, remove | O(log n) |
/// | memory | the members; for each bucket a bit, and about 60 bytes more if its node has left |
///
/// ```
/// use keyroute_anchor::{Dx, Node};
///
/// let nodes = ["a", "b", "c"].map(|id| Node::new(id).unwrap());
/// let mut router = Dx::with_capacity(8)?.with_nodes(nodes)?;
/// let before = router.route_id(b"user:1").unwrap().clone();
/// router.remove("b")?;
/// assert!(before == "b" || *router.route_id(b"user:1").unwrap() == before);
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
pub type Dx<H = NativeHasher> = Numbered<DxBuckets, H>;

/// The buckets of [`Dx`].
///
/// Source: Dong and Wang, *DxHash: A Scalable Consistent Hash Based on the Pseudo-Random Sequence*, 2021.
/// The paper gives up after as many draws as here. Here the next bucket in service at or after the last
/// number drawn serves then, round the end: which that is depends on nobody else, so the promises hold for
/// those keys too. With one bucket in service that happens to 2 % of the keys, with two to 0.03 %, with n
/// to e^(−4n) of them.
///
/// ```
/// use keyroute_anchor::{Buckets, DxBuckets};
///
/// let mut dx = DxBuckets::new(8)?;
/// assert_eq!(dx.bucket(42), None);
/// dx.add();
/// assert_eq!(dx.bucket(42), Some(0));
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DxBuckets {
    capacity: u32,
    live: Bitmap,
}

impl DxBuckets {
    /// None of `capacity` buckets is in service.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24.
    pub fn new(capacity: u32) -> Result<Self, RouteError> {
        Self::empty(Some(capacity))
    }

    /// Puts this bucket into service, for systems that choose it otherwise; says whether it was one out of
    /// service.
    pub fn insert(&mut self, bucket: u32) -> bool {
        bucket < self.capacity && self.live.insert(bucket)
    }

    /// The bucket of the key with these draws; `None` if none is in service.
    pub fn bucket_by(&self, draws: &mut impl Draws) -> Option<u32> {
        if self.live.len() == 0 {
            return None;
        }
        let mut bucket = checked(draws.first(self.capacity), self.capacity)?;
        for _ in 1..DRAWS_PER_BUCKET * u64::from(self.capacity) {
            if self.live.contains(bucket) {
                return Some(bucket);
            }
            bucket = checked(draws.next(bucket, self.capacity), self.capacity)?;
        }
        self.live.at_or_after(bucket)
    }
}

impl Buckets for DxBuckets {
    const NAME: &'static str = "dx";
    const REVISION: u32 = 1;

    fn empty(capacity: Option<u32>) -> Result<Self, RouteError> {
        Ok(Self {
            capacity: preset(capacity)?,
            live: Bitmap::default(),
        })
    }

    fn capacity(&self) -> Option<u32> {
        Some(self.capacity)
    }

    fn bucket(&self, hash: u64) -> Option<u32> {
        self.bucket_by(&mut Words::new(hash))
    }

    fn drawn_before(&self, hash: u64) -> Vec<u32> {
        let mut draws = Recorded::new(Words::new(hash));
        let _ = self.bucket_by(&mut draws);
        draws.left()
    }

    fn contains(&self, bucket: u32) -> bool {
        self.live.contains(bucket)
    }

    fn next_bucket(&self) -> Option<u32> {
        let free = self.live.lowest_free();
        (free < self.capacity).then_some(free)
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

impl HistoryFree for DxBuckets {}
impl Preset for DxBuckets {}
