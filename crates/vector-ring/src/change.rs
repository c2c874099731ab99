//! Changing [`SortedPoints`] in place: points come and go, the others move up or close ranks.

use alloc::vec::Vec;
use core::cmp::Ordering;

use keyroute_core::{Edge, Position, Slot};

use crate::SortedPoints;
use crate::search::partition;

/// The order of points: by position, then by the tie order of their slots.
pub(crate) fn order<P: Position>(
    a: &(P, Slot),
    b: &(P, Slot),
    ties: &dyn Fn(Slot, Slot) -> Ordering,
) -> Ordering {
    a.0.cmp(&b.0).then_with(|| ties(a.1, b.1))
}

impl<P: Position> SortedPoints<P> {
    /// Adds points to those held: a search for each, then one pass over the arrays from the back.
    pub(crate) fn merge(&mut self, mut new: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        new.sort_unstable_by(|a, b| order(a, b, ties));
        let places: Vec<usize> = (0..)
            .zip(&new)
            .map(|(before, point)| self.place(point, ties) + before)
            .collect();
        let heads: Vec<u32> = new.iter().map(|point| point.0.split().0).collect();
        let rests: Vec<P::Rest> = new.iter().map(|point| point.0.split().1).collect();
        let slots: Vec<Slot> = new.iter().map(|point| point.1).collect();
        self.unseal();
        put_in(&mut self.heads, &heads, &places);
        put_in(&mut self.rests, &rests, &places);
        self.owners.put_in(&slots, &places);
        self.index.added(heads.into_iter(), &self.heads);
        self.seal();
    }

    /// Where among the points held this one belongs: behind all that do not come after it.
    fn place(&self, &(position, slot): &(P, Slot), ties: &dyn Fn(Slot, Slot) -> Ordering) -> usize {
        let equal = self.first(position, Edge::Inclusive)..self.first(position, Edge::Exclusive);
        partition(equal.start, equal.end, |index| {
            let held = self.owners.get(index);
            held.is_some_and(|held| ties(held, slot) != Ordering::Greater)
        })
    }

    /// Removes the points of this slot: a scan of the owners, then one pass over the arrays.
    pub(crate) fn take_out(&mut self, slot: Slot) {
        self.unseal();
        let places = self.owners.places(slot);
        let heads: Vec<u32> = places.iter().map(|&place| self.heads[place]).collect();
        take_out(&mut self.heads, &places);
        take_out(&mut self.rests, &places);
        self.owners.take_out(&places);
        self.index.removed(heads.into_iter(), &self.heads);
        self.seal();
    }
}

/// Where this value stands, ascending: a scan.
pub(crate) fn places<T: Copy + PartialEq>(column: &[T], value: T) -> Vec<usize> {
    const STRIDE: usize = 64;
    let mut places = Vec::new();
    for (number, stride) in column.chunks(STRIDE).enumerate() {
        // Without a branch for each, so that a stride is a few instructions.
        if stride
            .iter()
            .fold(false, |any, &held| any | (held == value))
        {
            let indices = (number * STRIDE..).zip(stride);
            places.extend(indices.filter_map(|(index, &held)| (held == value).then_some(index)));
        }
    }
    places
}

/// Puts `new[k]` where it then has the index `places[k]`; these ascend. What stands between moves in whole
/// runs, the last first.
pub(crate) fn put_in<T: Copy>(column: &mut Vec<T>, new: &[T], places: &[usize]) {
    let mut end = column.len();
    reserve(column, new.len());
    column.extend_from_slice(new);
    for (before, (&new, &place)) in new.iter().zip(places).enumerate().rev() {
        column.copy_within(place - before..end, place + 1);
        column[place] = new;
        end = place - before;
    }
}

/// Takes out what stands at these indices, which ascend.
pub(crate) fn take_out<T: Copy>(column: &mut Vec<T>, places: &[usize]) {
    let Some(&first) = places.first() else {
        return;
    };
    let ends = places.iter().skip(1).copied().chain([column.len()]);
    let mut to = first;
    for (&place, end) in places.iter().zip(ends) {
        column.copy_within(place + 1..end, to);
        to += end - place - 1;
    }
    column.truncate(to);
}

/// Room for so many more: an eighth at a time, so that a ring that grew holds little more than it needs.
fn reserve<T>(column: &mut Vec<T>, more: usize) {
    let needed = more + crate::search::WINDOW;
    if column.capacity() - column.len() < needed {
        column.reserve_exact(needed.max(column.len() / 8));
    }
}
