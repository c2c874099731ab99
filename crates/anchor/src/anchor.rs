//! [`Anchor`]: a preset number of buckets, all of which but some have left.

use alloc::vec::Vec;

use keyroute_core::RouteError;
use keyroute_core::hash::NativeHasher;

use crate::draws::checked;
use crate::engine::preset;
use crate::removals::Removals;
use crate::{Buckets, Draws, Numbered, Preset, Recorded, Words};

/// AnchorHash over nodes: `anchor/1`. **History-dependent**, of a preset capacity.
///
/// The greatest number of nodes is set at the start and cannot change; with spare buckets a lookup takes
/// about ln(capacity ÷ nodes) draws more. Any node may leave, and only its keys move. The node that joins
/// next takes the bucket of the one that left last. The order of leaving decides answers: clients must
/// share the [`state`](Numbered::state), or every change in one order.
///
/// Without a reason to set a capacity take [`GrowableAnchor`](crate::GrowableAnchor).
///
/// | | cost, n nodes, r left |
/// | --- | --- |
/// | lookup | one hash, 1 + ln(capacity ÷ n) draws on average if nodes left at random, 1 + capacity − n at most; each up to r steps |
/// | add, remove | O(log n), and a removal up to r steps |
/// | memory | the members, 8 bytes a bucket up to the highest that left, 4 for each that left |
///
/// ```
/// use keyroute_anchor::{Anchor, Node};
///
/// let nodes = ["a", "b", "c"].map(|id| Node::new(id).unwrap());
/// let mut router = Anchor::with_capacity(100)?.with_nodes(nodes)?;
/// let before = router.route_id(b"user:1").unwrap().clone();
/// let gone = router.remove("b")?;
/// assert!(before == "b" || *router.route_id(b"user:1").unwrap() == before);
///
/// router.add(gone)?; // back on its bucket: all is as it was
/// assert_eq!(*router.route_id(b"user:1").unwrap(), before);
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
pub type Anchor<H = NativeHasher> = Numbered<AnchorBuckets, H>;

/// The buckets of [`Anchor`].
///
/// Source: Mendelson, Vargaftik, Barabash, Lorenz, Keslassy and Orda, *AnchorHash: A Scalable Consistent
/// Hash*, 2020, in the form that resolves positions at lookup. Buckets that were never in service count as
/// having left first, the highest before all; they need no memory.
///
/// ```
/// use keyroute_anchor::{AnchorBuckets, Buckets};
///
/// let mut anchor = AnchorBuckets::new(8)?;
/// assert_eq!(anchor.bucket(42), None);
/// for bucket in 0..3 {
///     assert_eq!(anchor.add(), Some(bucket));
/// }
/// let bucket = anchor.bucket(42).unwrap();
/// anchor.remove(bucket);
/// assert_ne!(anchor.bucket(42), Some(bucket));
/// assert_eq!(anchor.add(), Some(bucket)); // the last that left
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct AnchorBuckets {
    capacity: u32,
    removals: Removals,
}

impl AnchorBuckets {
    /// None of `capacity` buckets is in service.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for 0 and over 2^24.
    pub fn new(capacity: u32) -> Result<Self, RouteError> {
        Self::empty(Some(capacity))
    }

    /// The bucket of the key with these draws; `None` if none is in service.
    pub fn bucket_by(&self, draws: &mut impl Draws) -> Option<u32> {
        if self.removals.len() == 0 {
            return None;
        }
        let mut bucket = checked(draws.first(self.capacity), self.capacity)?;
        // When a bucket that was never in service left, those below it were all that remained.
        while bucket >= self.removals.buckets() {
            bucket = checked(draws.next(bucket, bucket), bucket)?;
        }
        self.removals.settle(bucket, draws)
    }
}

impl Buckets for AnchorBuckets {
    const NAME: &'static str = "anchor";
    const REVISION: u32 = 1;

    fn empty(capacity: Option<u32>) -> Result<Self, RouteError> {
        Ok(Self {
            capacity: preset(capacity)?,
            removals: Removals::default(),
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
        self.removals.contains(bucket)
    }

    fn next_bucket(&self) -> Option<u32> {
        self.removals.next_bucket(self.capacity)
    }

    fn add(&mut self) -> Option<u32> {
        self.removals.add(self.capacity)
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

impl Preset for AnchorBuckets {}
