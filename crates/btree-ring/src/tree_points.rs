//! [`TreePoints`]: the container of the tree ring.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::{Entry, OccupiedEntry};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::size_of;
use core::ops::Bound;

use keyroute_core::{Edge, PointTable, Position, Slot};

/// Points in an ordered map from a position to the slot that serves it.
///
/// ```text
///   firsts   position ─► the first of its slots in tie order   every position; all that a lookup reads
///   others   position ─► the slots behind the first            where several points stand: hardly anywhere
/// ```
///
/// So a 64-bit position and its slot are 12 bytes, compared as one number; and no point overwrites another:
/// removing the first of a position uncovers the next.
#[derive(Clone, Debug, Default)]
pub struct TreePoints<P> {
    firsts: BTreeMap<P, Slot>,
    others: BTreeMap<P, Vec<Slot>>,
    points: usize,
}

/// From where to where along the ring.
type Span<P> = (Bound<P>, Bound<P>);

impl<P: Position> TreePoints<P> {
    /// The points of one position, in tie order.
    fn at<'a>(
        &'a self,
        (&at, &first): (&P, &'a Slot),
    ) -> impl Iterator<Item = (P, Slot)> + use<'a, P> {
        let others = self.others.get(&at).into_iter().flatten();
        core::iter::once((at, first)).chain(others.map(move |&slot| (at, slot)))
    }
}

/// Takes all points of this slot from the position of `first`. Gives how many they were.
fn take_out<P: Position>(
    slot: Slot,
    mut first: OccupiedEntry<'_, P, Slot>,
    others: &mut BTreeMap<P, Vec<Slot>>,
) -> usize {
    let Entry::Occupied(mut crowd) = others.entry(*first.key()) else {
        if *first.get() != slot {
            return 0;
        }
        first.remove();
        return 1;
    };
    let before = 1 + crowd.get().len();
    crowd.get_mut().retain(|&held| held != slot);
    let mut left = 1 + crowd.get().len();
    if *first.get() == slot {
        left -= 1;
        if left == 0 {
            first.remove();
        } else {
            first.insert(crowd.get_mut().remove(0));
        }
    }
    if crowd.get().is_empty() {
        crowd.remove();
    }
    before - left
}

impl<P: Position> PointTable<P> for TreePoints<P> {
    fn insert(&mut self, points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        self.points += points.len();
        for (position, slot) in points {
            match self.firsts.entry(position) {
                Entry::Vacant(free) => {
                    free.insert(slot);
                }
                Entry::Occupied(mut first) => {
                    let others = self.others.entry(position).or_default();
                    let behind = |held: Slot| ties(held, slot) != Ordering::Greater;
                    if behind(*first.get()) {
                        let at = others.partition_point(|&held| behind(held));
                        others.insert(at, slot);
                    } else {
                        others.insert(0, first.insert(slot));
                    }
                }
            }
        }
    }

    fn remove(&mut self, slot: Slot, positions: &[P]) {
        for &position in positions {
            if let Entry::Occupied(first) = self.firsts.entry(position) {
                self.points -= take_out(slot, first, &mut self.others);
            }
        }
    }

    fn len(&self) -> usize {
        self.points
    }

    fn forward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        let (ahead, behind) = match edge {
            Edge::Inclusive => (Bound::Included(at), Bound::Excluded(at)),
            Edge::Exclusive => (Bound::Excluded(at), Bound::Included(at)),
        };
        // The second is searched for when the first is at its end, which hardly any walk sees.
        let spans: [Span<P>; 2] = [(ahead, Bound::Unbounded), (Bound::Unbounded, behind)];
        spans
            .into_iter()
            .flat_map(|span| self.firsts.range(span))
            .flat_map(|first| self.at(first))
    }

    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        let (behind, ahead) = match edge {
            Edge::Inclusive => (Bound::Included(at), Bound::Excluded(at)),
            Edge::Exclusive => (Bound::Excluded(at), Bound::Included(at)),
        };
        let spans: [Span<P>; 2] = [(Bound::Unbounded, behind), (ahead, Bound::Unbounded)];
        spans
            .into_iter()
            .flat_map(|span| self.firsts.range(span).rev())
            .flat_map(|first| self.at(first))
    }

    fn at_or_after(&self, at: P) -> Option<Slot> {
        let ahead = self.firsts.range(at..).next();
        let (_, &slot) = ahead.or_else(|| self.firsts.first_key_value())?;
        Some(slot)
    }

    fn heap_bytes(&self) -> usize {
        let others: usize = self
            .others
            .values()
            .map(|slots| size_of::<(P, Vec<Slot>)>() * 3 / 2 + slots.capacity() * size_of::<Slot>())
            .sum();
        self.firsts.len() * Self::A_POINT + others
    }

    fn estimate(points: u64, _nodes: u64) -> u64 {
        points.saturating_mul(Self::A_POINT as u64)
    }
}

impl<P: Position> TreePoints<P> {
    /// About how many bytes a point takes: the map does not tell its size. Its nodes are on average about two
    /// thirds full, and what links them is 3 bytes a point.
    const A_POINT: usize = (size_of::<P>() + size_of::<Slot>()) * 3 / 2 + 3;
}
