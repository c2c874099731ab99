//! [`OwnedRange`]: which hashes a node owns.

use alloc::vec::Vec;

use crate::{Position, Router, Slot};

/// The positions after `after`, through `through`, and who owns them.
///
/// Half-open and clockwise: `(after, through]`. Where `after` is the greater it goes round the end;
/// where both are equal it is the whole ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnedRange<P> {
    /// The last position before the range.
    pub after: P,
    /// The last position of the range.
    pub through: P,
    /// The slot of its owner.
    pub owner: Slot,
}

impl<P: Position> OwnedRange<P> {
    /// Whether the position lies in the range.
    #[must_use]
    pub fn contains(&self, position: P) -> bool {
        // Distances from the first position of the range: 0 is inside, and so is everything up to
        // the last one.
        self.after.ahead(position).before() <= self.after.ahead(self.through).before()
    }

    /// How many positions it holds; `None` for the whole ring of 2^128.
    #[must_use]
    pub fn size(&self) -> Option<u128> {
        self.after
            .ahead(self.through)
            .before()
            .widen()
            .checked_add(1)
    }

    /// Its part of the ring, above 0 and up to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn share(&self) -> f64 {
        let last = self.after.ahead(self.through).before().widen();
        (last as f64 + 1.0) / (P::MAX.widen() as f64 + 1.0)
    }
}

impl<P: Position> OwnedRange<P> {
    /// The ranges of arcs, the one that holds position 0 first. An arc is its last position and its owner;
    /// each begins after the one before it, the first after the last.
    ///
    /// The arcs come in ascending order of their ends, each end once.
    pub fn each(arcs: impl IntoIterator<Item = (P, Slot)>) -> Vec<Self> {
        let mut ranges: Vec<Self> = Vec::new();
        let mut after = P::MAX;
        for (through, owner) in arcs {
            ranges.push(Self {
                after,
                through,
                owner,
            });
            after = through;
        }
        if let Some(first) = ranges.first_mut() {
            first.after = after;
        }
        Self::zero_first(&mut ranges);
        ranges
    }

    /// The fewest ranges that arcs make, the one that holds position 0 first. Arcs are those of
    /// [`each`](Self::each).
    pub fn merge(arcs: impl IntoIterator<Item = (P, Slot)>) -> Vec<Self> {
        let mut ranges = Self::each(arcs);
        // Where all are one owner's, they are the whole ring: after its last position, through it.
        ranges.dedup_by(|next, range| {
            let same = range.owner == next.owner;
            if same {
                range.through = next.through;
            }
            same
        });
        // The first and the last are neighbours too.
        if let [first, .., last] = ranges.as_mut_slice()
            && first.owner == last.owner
        {
            first.after = last.after;
            ranges.pop();
        }
        Self::zero_first(&mut ranges);
        ranges
    }

    fn zero_first(ranges: &mut [Self]) {
        let holds_zero = |range: &Self| range.contains(P::default());
        if let Some(first) = ranges.iter().position(holds_zero) {
            ranges.rotate_left(first);
        }
    }
}

/// Routers whose nodes own ranges of hashes.
///
/// ```
/// use keyroute_core::Ranges;
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b"])?;
/// let total: f64 = ring.ranges().iter().map(|range| range.share()).sum();
/// assert!((total - 1.0).abs() < 1e-9);
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
pub trait Ranges: Router {
    /// The width of its positions.
    type Width: Position;

    /// The ranges clockwise, the one that holds position 0 first: disjoint, without gaps, as few as can
    /// be (neighbours have different owners). Empty without members.
    ///
    /// O(points), and allocates the answer.
    fn ranges(&self) -> Vec<OwnedRange<Self::Width>>;
}
