//! [`Memento`]: jump over a row of buckets, and a map of those that left.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::mem::size_of;

use keyroute_core::RouteError;
use keyroute_core::buckets::MAX_BUCKETS;
use keyroute_core::hash::NativeHasher;

use crate::draws::checked;
use crate::engine::not_preset;
use crate::{Buckets, Draws, JumpBackWords, Numbered, Recorded};

/// MementoHash over nodes: `memento/1`. **History-dependent**, without a preset capacity.
///
/// It answers as [`GrowableAnchor`](crate::GrowableAnchor) does, key by key: the two were found apart and
/// are one function. This one remembers only the buckets that left, in a map, and so takes less memory
/// where few of many buckets left, and more time where many did. The order of leaving decides answers:
/// clients must share the [`state`](Numbered::state), or every change in one order.
///
/// | | cost, n nodes, r left |
/// | --- | --- |
/// | lookup | one hash, JumpBack, ln((n + r) ÷ n) draws on average if nodes left at random, r at most; each up to r steps of O(log r) |
/// | add, remove | O(log n) |
/// | memory | the members, about 16 bytes for each that left |
///
/// ```
/// use keyroute_anchor::{Memento, Node};
///
/// let mut router = Memento::from_ids(["a", "b", "c"])?;
/// let before = router.route_id(b"user:1").unwrap().clone();
/// router.remove("b")?;
/// assert!(before == "b" || *router.route_id(b"user:1").unwrap() == before);
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
pub type Memento<H = NativeHasher> = Numbered<MementoBuckets, H>;

/// The buckets of [`Memento`].
///
/// Source: Coluzzi, Brocco, Antonucci and Leidi, *MementoHash: A Stateful, Minimal Memory, Best Performing
/// Consistent Hash Algorithm*, 2023. The paper begins with jump; natively this begins with JumpBack, which
/// makes the same promise in constant time.
///
/// ```
/// use keyroute_anchor::{Buckets, MementoBuckets};
///
/// let mut memento = MementoBuckets::new();
/// for bucket in 0..3 {
///     assert_eq!(memento.add(), Some(bucket));
/// }
/// memento.remove(1);
/// assert_ne!(memento.bucket(42), Some(1));
/// assert_eq!(memento.add(), Some(1)); // the last that left
/// ```
#[derive(Clone, Debug, Default)]
pub struct MementoBuckets {
    /// How many buckets there are, those that left included.
    buckets: u32,
    /// Those that left, the first first.
    order: Vec<u32>,
    /// For each that left how many were in service then: also the number of the bucket that stood last in
    /// the row, and takes its place.
    counts: BTreeMap<u32, u32>,
}

impl MementoBuckets {
    /// No bucket in service.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The bucket of the key with these draws; `None` if none is in service.
    pub fn bucket_by(&self, draws: &mut impl Draws) -> Option<u32> {
        if self.buckets == 0 {
            return None;
        }
        let mut bucket = checked(draws.first(self.buckets), self.buckets)?;
        while let Some(count) = self.count(bucket) {
            bucket = checked(draws.next(bucket, count), count)?;
            // Which bucket held this place while `count` were in service?
            while let Some(place) = self.count(bucket).filter(|&place| place >= count) {
                bucket = place;
            }
        }
        Some(bucket)
    }

    fn count(&self, bucket: u32) -> Option<u32> {
        self.counts.get(&bucket).copied()
    }

    fn len(&self) -> u32 {
        // No more left than there are.
        self.buckets - u32::try_from(self.order.len()).unwrap_or(self.buckets)
    }
}

impl Buckets for MementoBuckets {
    const NAME: &'static str = "memento";
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
        bucket < self.buckets && !self.counts.contains_key(&bucket)
    }

    fn next_bucket(&self) -> Option<u32> {
        match self.order.last() {
            Some(&bucket) => Some(bucket),
            None => (self.buckets < MAX_BUCKETS).then_some(self.buckets),
        }
    }

    fn add(&mut self) -> Option<u32> {
        let bucket = self.next_bucket()?;
        if self.order.pop().is_some() {
            self.counts.remove(&bucket);
        } else {
            self.buckets += 1;
        }
        Some(bucket)
    }

    fn remove(&mut self, bucket: u32) -> bool {
        if !self.contains(bucket) {
            return false;
        }
        let count = self.len() - 1;
        if count == 0 {
            // Nobody is left to whom the past matters.
            *self = Self::new();
        } else if self.order.is_empty() && bucket == count {
            self.buckets = bucket;
        } else {
            self.counts.insert(bucket, count);
            self.order.push(bucket);
        }
        true
    }

    fn removed(&self) -> Vec<u32> {
        self.order.clone()
    }

    fn heap_bytes(&self) -> usize {
        // B-tree nodes are on average about two thirds full.
        self.counts.len() * size_of::<(u32, u32)>() * 3 / 2
            + self.order.capacity() * size_of::<u32>()
    }
}
