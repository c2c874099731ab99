//! [`Removals`]: what an anchor remembers of the buckets that left.

use alloc::vec::Vec;
use core::mem::size_of;

use crate::Draws;
use crate::draws::checked;

/// Buckets from 0 on, some of which have left. The last that left is the first to come back, and coming
/// back undoes all that leaving did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Removals {
    /// How many buckets there are, those that left included.
    buckets: u32,
    /// Those that left, the first first.
    order: Vec<u32>,
    /// A place a bucket, up to the highest that left.
    places: Vec<Place>,
}

/// A bucket's place. The paper's A and K, side by side: one cache line a step.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// How many buckets were in service when this one had left; 0 while it is in service itself.
    count: u32,
    /// The bucket that took its place then.
    heir: u32,
}

impl Removals {
    pub(crate) fn buckets(&self) -> u32 {
        self.buckets
    }

    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// How many buckets are in service.
    pub(crate) fn len(&self) -> u32 {
        // No more left than there are.
        self.buckets - u32::try_from(self.order.len()).unwrap_or(self.buckets)
    }

    pub(crate) fn contains(&self, bucket: u32) -> bool {
        bucket < self.buckets && self.place(bucket).count == 0
    }

    /// The bucket that comes into service next; `None` if that would be the first over `most`.
    pub(crate) fn next_bucket(&self, most: u32) -> Option<u32> {
        match self.order.last() {
            Some(&bucket) => Some(bucket),
            None => (self.buckets < most).then_some(self.buckets),
        }
    }

    /// Puts the next bucket into service.
    pub(crate) fn add(&mut self, most: u32) -> Option<u32> {
        let bucket = self.next_bucket(most)?;
        if self.order.pop().is_some() {
            self.places[bucket as usize] = Place::default();
        } else {
            self.buckets += 1;
        }
        Some(bucket)
    }

    /// Takes a bucket out of service; says whether it was in service.
    pub(crate) fn remove(&mut self, bucket: u32) -> bool {
        if !self.contains(bucket) {
            return false;
        }
        let count = self.len() - 1;
        if count == 0 {
            // Nobody is left to whom the past matters.
            self.buckets = 0;
            self.order.clear();
            self.places.clear();
        } else if self.order.is_empty() && bucket == count {
            // The last of a full row: as if it had never come.
            self.buckets = bucket;
        } else {
            // `count` itself would lead to the heir at lookup, by more steps: that is Memento.
            let place = Place {
                count,
                heir: self.holder(count, count + 1),
            };
            let at = bucket as usize; // u32 fits
            if at >= self.places.len() {
                self.places.resize(at + 1, Place::default());
            }
            self.places[at] = place;
            self.order.push(bucket);
        }
        true
    }

    /// Follows a key from this bucket to one in service. Each draw has a smaller bound than the one
    /// before it.
    pub(crate) fn settle(&self, mut bucket: u32, draws: &mut impl Draws) -> Option<u32> {
        loop {
            let count = self.place(bucket).count;
            if count == 0 {
                return Some(bucket);
            }
            let drawn = checked(draws.next(bucket, count), count)?;
            bucket = self.holder(drawn, count);
        }
    }

    /// Which bucket held the place of `bucket` while `count` were in service.
    fn holder(&self, mut bucket: u32, count: u32) -> u32 {
        loop {
            let place = self.place(bucket);
            if place.count < count {
                return bucket;
            }
            bucket = place.heir;
        }
    }

    fn place(&self, bucket: u32) -> Place {
        self.places
            .get(bucket as usize)
            .copied()
            .unwrap_or_default()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.places.capacity() * size_of::<Place>() + self.order.capacity() * size_of::<u32>()
    }
}
