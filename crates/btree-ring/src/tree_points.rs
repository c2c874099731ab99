//! [`TreePoints`]: the container of the tree ring.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::size_of;
use core::ops::Bound;

use keyroute_core::{Edge, PointTable, Position, Slot};

/// Points in an ordered map from position to owners.
///
/// A position holds all its claimants, so that none overwrites another and removing one uncovers the
/// next.
#[derive(Clone, Debug, Default)]
pub struct TreePoints<P> {
    claims: BTreeMap<P, Claimants>,
    points: usize,
}

/// The owners of one position in tie order. Nearly always there is one, and then nothing is
/// allocated.
#[derive(Clone, Debug)]
enum Claimants {
    One(Slot),
    Many(Box<[Slot]>),
}

impl Claimants {
    fn as_slice(&self) -> &[Slot] {
        match self {
            Self::One(slot) => core::slice::from_ref(slot),
            Self::Many(slots) => slots,
        }
    }

    fn insert(&mut self, slot: Slot, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        let mut slots = self.as_slice().to_vec();
        let at = slots.partition_point(|&held| ties(held, slot) != Ordering::Greater);
        slots.insert(at, slot);
        *self = Self::Many(slots.into());
    }

    /// What is left without this slot, and how many points went.
    fn without(&self, slot: Slot) -> (Option<Self>, usize) {
        let before = self.as_slice();
        let left: Vec<Slot> = before
            .iter()
            .copied()
            .filter(|&held| held != slot)
            .collect();
        let gone = before.len() - left.len();
        let left = match left[..] {
            [] => None,
            [one] => Some(Self::One(one)),
            _ => Some(Self::Many(left.into())),
        };
        (left, gone)
    }
}

impl<P: Position> TreePoints<P> {
    fn points<'a>(claims: (&'a P, &'a Claimants)) -> impl Iterator<Item = (P, Slot)> + use<'a, P> {
        let (&position, claimants) = claims;
        claimants
            .as_slice()
            .iter()
            .map(move |&slot| (position, slot))
    }
}

impl<P: Position> PointTable<P> for TreePoints<P> {
    fn insert(&mut self, points: Vec<(P, Slot)>, ties: &dyn Fn(Slot, Slot) -> Ordering) {
        self.points += points.len();
        for (position, slot) in points {
            self.claims
                .entry(position)
                .and_modify(|claimants| claimants.insert(slot, ties))
                .or_insert(Claimants::One(slot));
        }
    }

    fn remove(&mut self, slot: Slot, positions: &[P]) {
        for position in positions {
            let Some(claimants) = self.claims.get_mut(position) else {
                continue;
            };
            let (left, gone) = claimants.without(slot);
            self.points -= gone;
            match left {
                Some(left) => *claimants = left,
                None => {
                    self.claims.remove(position);
                }
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
        let ahead = self.claims.range((ahead, Bound::Unbounded));
        ahead
            .chain(self.claims.range((Bound::Unbounded, behind)))
            .flat_map(Self::points)
    }

    fn backward(&self, at: P, edge: Edge) -> impl Iterator<Item = (P, Slot)> {
        let (behind, ahead) = match edge {
            Edge::Inclusive => (Bound::Included(at), Bound::Excluded(at)),
            Edge::Exclusive => (Bound::Excluded(at), Bound::Included(at)),
        };
        let behind = self.claims.range((Bound::Unbounded, behind)).rev();
        behind
            .chain(self.claims.range((ahead, Bound::Unbounded)).rev())
            .flat_map(Self::points)
    }

    fn heap_bytes(&self) -> usize {
        let many: usize = self
            .claims
            .values()
            .map(|claimants| match claimants {
                Claimants::One(_) => 0,
                Claimants::Many(slots) => slots.len() * size_of::<Slot>(),
            })
            .sum();
        // The map does not tell its size; its nodes are on average about two thirds full.
        self.claims.len() * size_of::<(P, Claimants)>() * 3 / 2 + many
    }

    fn estimate(points: u64) -> u64 {
        points.saturating_mul(size_of::<(P, Claimants)>() as u64 * 3 / 2)
    }
}
