//! [`Candidates`]: nodes that draw a number for a digest; the engine of rendezvous.

mod draw;
mod order;
mod race;
mod rule;

use alloc::vec::Vec;
use core::mem::size_of;
use core::ops::ControlFlow;

use crate::{Fact, HashValue, KeyHasher, Members, Node, NodeLabel, Slot, SlotSet, Weight};
use draw::fold;
use order::Order;
use rule::{ByDraw, ByScore, Rule};

/// The nodes of a router as rendezvous sees them: for a digest each draws a number, and the greatest is
/// preferred.
///
/// With weights the draws are turned into scores, of which each node's is the greatest with a chance of
/// exactly its part of the weights. Where all weights are equal they decide nothing. Equal scores (that
/// is, ids of equal hashes): the lower id is preferred. The order has the restriction property: without
/// a node it is what it was, that node left out.
///
/// A strategy that ranks all nodes for a digest holds one of these beside its members and keeps both
/// alike.
///
/// ```
/// use keyroute_core::hash::Xxh3;
/// use keyroute_core::{Candidates, Members, Node};
///
/// let members = Members::from_nodes([Node::new("a")?, Node::new("b")?])?;
/// let candidates = Candidates::new(&Xxh3, &members);
/// let [first, second] = [members.slot_of("a"), members.slot_of("b")].map(Option::unwrap);
/// assert_ne!(candidates.challenge(first)(7, second), candidates.challenge(second)(7, first));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The hash of each node's label with index 0, folded, by id: as are the other three.
    hashes: Vec<u64>,
    slots: Vec<Slot>,
    weights: Vec<u32>,
    /// 1 ÷ weight; none where all weights are equal, for then draws alone decide.
    inverses: Vec<f64>,
}

impl Candidates {
    /// These members, their ids hashed by this function.
    #[must_use]
    pub fn new<H: KeyHasher<Out = u64>>(hasher: &H, members: &Members) -> Self {
        let mut candidates = Self::default();
        candidates.hashes.reserve_exact(members.len());
        candidates.slots.reserve_exact(members.len());
        candidates.weights.reserve_exact(members.len());
        for slot in members.by_id() {
            if let Some(node) = members.get(slot) {
                let place = candidates.slots.len();
                candidates.put(place, hasher, node, slot);
            }
        }
        candidates.note_weights();
        candidates
    }

    /// Takes in the member of this slot, which is one of `members` already.
    pub fn insert<H: KeyHasher<Out = u64>>(&mut self, hasher: &H, members: &Members, slot: Slot) {
        let Some(node) = members.get(slot) else {
            return;
        };
        let id_of = |held: Slot| members.get(held).map(Node::id);
        let place = self
            .slots
            .partition_point(|&held| id_of(held) < Some(node.id()));
        self.put(place, hasher, node, slot);
        self.note_weights();
    }

    /// Drops the member of this slot.
    pub fn remove(&mut self, slot: Slot) {
        if let Some(place) = self.place(slot) {
            self.hashes.remove(place);
            self.slots.remove(place);
            self.weights.remove(place);
            self.note_weights();
        }
    }

    /// Changes the weight of the member of this slot.
    pub fn set_weight(&mut self, slot: Slot, weight: Weight) {
        if let Some(place) = self.place(slot) {
            self.weights[place] = weight.get();
            self.note_weights();
        }
    }

    /// The node preferred for this digest; `None` without nodes.
    #[must_use]
    pub fn best(&self, digest: u64) -> Option<Slot> {
        let place = if self.weighted() {
            self.by_score(digest).best()
        } else {
            self.by_draw(digest).best()
        };
        Some(self.slots[place?])
    }

    /// The node preferred for this digest among those not in the set.
    #[must_use]
    pub fn best_outside(&self, digest: u64, set: &SlotSet) -> Option<Slot> {
        let best = self.best(digest)?;
        if !set.contains(best) {
            return Some(best);
        }
        if self.weighted() {
            self.first_outside(self.by_score(digest), set)
        } else {
            self.first_outside(self.by_draw(digest), set)
        }
    }

    /// Visits the nodes in the order preferred for this digest, until `visit` breaks.
    ///
    /// All nodes are asked once, and for each step from the second on about a sixteenth of them again. No memory is
    /// needed but the set's.
    pub fn walk(
        &self,
        digest: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        if self.weighted() {
            self.walk_by(self.by_score(digest), seen, visit);
        } else {
            self.walk_by(self.by_draw(digest), seen, visit);
        }
    }

    /// Says, for a digest and another node's slot, whether the node in `slot` is preferred to it.
    ///
    /// What a newcomer takes from the present owners is asked so, two draws a question.
    pub fn challenge(&self, slot: Slot) -> impl Fn(u64, Slot) -> bool + '_ {
        let most = self.slots.iter().max();
        let bound = most.map_or(0, |slot| slot.at() + 1);
        let mut places = alloc::vec![None; bound];
        for (place, slot) in self.slots.iter().enumerate() {
            places[slot.at()] = Some(place);
        }
        let place = move |slot: Slot| places.get(slot.at()).copied().flatten();
        let challenger = place(slot);
        move |digest, other| match (challenger, place(other)) {
            (Some(ours), Some(other)) if self.weighted() => {
                wins(&self.by_score(digest), ours, other)
            }
            (Some(ours), Some(other)) => wins(&self.by_draw(digest), ours, other),
            (challenger, _) => challenger.is_some(),
        }
    }

    /// What the node in this slot has for this digest, for explanations: its draw, and with weights what that
    /// costs.
    ///
    /// ```
    /// use keyroute_core::hash::Xxh3;
    /// use keyroute_core::{Candidates, Fact, Members, Node};
    ///
    /// let members = Members::from_nodes([Node::new("a")?])?;
    /// let candidates = Candidates::new(&Xxh3, &members);
    /// assert!(matches!(candidates.fact(7, members.slot_of("a").unwrap()), Some(Fact::Draw(_))));
    /// assert_eq!(candidates.rule(), "the greatest draw");
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn fact(&self, digest: u64, slot: Slot) -> Option<Fact> {
        let place = self.place(slot)?;
        let draw = HashValue::of(self.by_draw(digest).draw(place));
        if self.weighted() {
            let cost = self.by_score(digest).score(place).over_weight();
            Some(Fact::Cost { draw, cost })
        } else {
            Some(Fact::Draw(draw))
        }
    }

    /// What the preferred node has, in words.
    #[must_use]
    pub fn rule(&self) -> &'static str {
        if self.weighted() {
            "the least cost of a draw for its weight"
        } else {
            "the greatest draw"
        }
    }

    /// The bytes this holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.hashes.capacity() * size_of::<u64>()
            + self.slots.capacity() * size_of::<Slot>()
            + self.weights.capacity() * size_of::<u32>()
            + self.inverses.capacity() * size_of::<f64>()
    }

    fn put<H: KeyHasher<Out = u64>>(&mut self, place: usize, hasher: &H, node: &Node, slot: Slot) {
        let hash = NodeLabel::new(node.id()).hash(hasher, 0);
        self.hashes.insert(place, fold(hash));
        self.slots.insert(place, slot);
        self.weights.insert(place, node.weight().get());
    }

    fn place(&self, slot: Slot) -> Option<usize> {
        self.slots.iter().position(|&held| held == slot)
    }

    fn note_weights(&mut self) {
        self.inverses.clear();
        let differ = |pair: &[u32]| pair[0] != pair[1];
        if self.weights.windows(2).any(differ) {
            let inverses = self.weights.iter().map(|&weight| race::inverse(weight));
            self.inverses.extend(inverses);
        }
    }

    fn weighted(&self) -> bool {
        !self.inverses.is_empty()
    }

    fn by_draw(&self, digest: u64) -> ByDraw<'_> {
        ByDraw {
            hashes: &self.hashes,
            digest: fold(digest),
        }
    }

    fn by_score(&self, digest: u64) -> ByScore<'_> {
        ByScore {
            hashes: &self.hashes,
            weights: &self.weights,
            inverses: &self.inverses,
            digest: fold(digest),
        }
    }

    fn first_outside(&self, rule: impl Rule, set: &SlotSet) -> Option<Slot> {
        let gone = |place: usize| set.contains(self.slots[place]);
        let mut order = Order::new(rule, self.slots.len());
        order.leave_all(gone);
        Some(self.slots[order.first(gone)?])
    }

    fn walk_by<R: Rule>(
        &self,
        rule: R,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        if self.slots.len() <= R::FEW {
            while let Some(place) = rule.first_of_few(|place| seen.contains(self.slots[place])) {
                let slot = self.slots[place];
                seen.insert(slot);
                if visit(slot).is_break() {
                    return;
                }
            }
            return;
        }
        let mut order = Order::new(rule, self.slots.len());
        while let Some(place) = order.first(|place| seen.contains(self.slots[place])) {
            let slot = self.slots[place];
            seen.insert(slot);
            if visit(slot).is_break() {
                return;
            }
            order.leave(place, |place| seen.contains(self.slots[place]));
        }
    }
}

/// Whether the first of two nodes is preferred: mostly bounds tell.
fn wins(rule: &impl Rule, a: usize, b: usize) -> bool {
    if rule.bound(a) > rule.reach(b) {
        false
    } else if rule.bound(b) > rule.reach(a) {
        true
    } else {
        rule.compare(a, b).is_gt()
    }
}

#[cfg(test)]
mod tests;
