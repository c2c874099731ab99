//! Which tokens a node gives back when its weight is lowered.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use keyroute_core::{Members, Slot, Weight};

use crate::allocation::RING;

/// The tokens that the node in this slot keeps under this lower weight when it gives back `count` of them,
/// ascending. There must be points of others, and more than `count` of its own.
///
/// The points are in the order of their positions and then of ties. Giving a token back gives its arc to the next
/// point: to another node, or to the node itself where its own token comes next. So it sheds arcs while it owns
/// over its share, and joins its own after that. `count` times:
///
/// - Over its share, of the tokens before others' points the one with the shortest arc that is not shorter than
///   what there is too much, divided by the tokens it has yet to give; the longest, if none is so long.
/// - Else of the tokens before its own the one with the shortest arc; before others', if there is no such.
///
/// Of equal ones it is the one that ends first.
pub(crate) fn release(
    members: &Members,
    points: &[(u64, Slot)],
    slot: Slot,
    weight: Weight,
    count: u32,
) -> Vec<u64> {
    let old = members.get(slot).map_or(0, |node| node.weight().get());
    let total = members.total_weight() - u64::from(old) + u64::from(weight.get());
    let share = RING * u128::from(weight.get()) / u128::from(total);
    let mut tokens = Holding::new(points, slot);
    for left in (1..=count).rev() {
        let part = tokens.owned.saturating_sub(share) / u128::from(left);
        let Some(at) = tokens.to_give(part) else {
            break;
        };
        tokens.give(at);
    }
    tokens.kept()
}

/// The tokens of one node among all points, and the arcs that end on them.
struct Holding<'a> {
    points: &'a [(u64, Slot)],
    slot: Slot,
    /// The points on both sides, those given back left out.
    before: Vec<usize>,
    after: Vec<usize>,
    /// The positions that end on each point; 0 where another point stands and comes first.
    lengths: Vec<u128>,
    /// The lengths of its arcs together.
    owned: u128,
    /// Its tokens by length and place: those before points of others, and those before its own.
    outer: BTreeSet<(u128, usize)>,
    inner: BTreeSet<(u128, usize)>,
}

impl<'a> Holding<'a> {
    fn new(points: &'a [(u64, Slot)], slot: Slot) -> Self {
        let count = points.len();
        let before: Vec<usize> = (0..count).map(|at| (at + count - 1) % count).collect();
        let length = |at: usize| match points[at].0.wrapping_sub(points[before[at]].0) {
            // All points are at one position, and the first has the ring.
            0 if at == 0 => RING,
            length => length.into(),
        };
        let mut holding = Self {
            points,
            slot,
            lengths: (0..count).map(length).collect(),
            before,
            after: (0..count).map(|at| (at + 1) % count).collect(),
            owned: 0,
            outer: BTreeSet::new(),
            inner: BTreeSet::new(),
        };
        for at in (0..count).filter(|&at| points[at].1 == slot) {
            holding.owned += holding.lengths[at];
            holding.insert(at);
        }
        holding
    }

    fn is_own(&self, at: usize) -> bool {
        self.points[at].1 == self.slot
    }

    fn insert(&mut self, at: usize) {
        let entry = (self.lengths[at], at);
        if self.is_own(self.after[at]) {
            self.inner.insert(entry);
        } else {
            self.outer.insert(entry);
        }
    }

    fn take_out(&mut self, at: usize) {
        let entry = (self.lengths[at], at);
        self.inner.remove(&entry);
        self.outer.remove(&entry);
    }

    /// The token to give back next, where it owns so much too much for each of those to go.
    fn to_give(&self, part: u128) -> Option<usize> {
        let shortest_from = |length| self.outer.range((length, 0)..).next();
        let entry = if part == 0 {
            self.inner.first().or_else(|| self.outer.first())
        } else {
            let longest = self.outer.last().map_or(0, |&(length, _)| length);
            shortest_from(part.min(longest))
        };
        entry.map(|&(_, at)| at)
    }

    /// Gives this token back: the next point has its arc.
    fn give(&mut self, at: usize) {
        let (before, after) = (self.before[at], self.after[at]);
        self.take_out(at);
        for at in [before, after] {
            if self.is_own(at) {
                self.take_out(at);
            }
        }
        (self.after[before], self.before[after]) = (after, before);
        self.lengths[after] += self.lengths[at];
        if !self.is_own(after) {
            self.owned -= self.lengths[at];
        }
        for at in [before, after] {
            if self.is_own(at) {
                self.insert(at);
            }
        }
    }

    fn kept(&self) -> Vec<u64> {
        let kept = self.inner.iter().chain(&self.outer);
        let mut tokens: Vec<u64> = kept.map(|&(_, at)| self.points[at].0).collect();
        tokens.sort_unstable();
        tokens
    }
}
