//! [`Candidates`]: nodes that draw a number for a digest; the engine of rendezvous.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::mem::size_of;
use core::ops::ControlFlow;

use crate::cost::cost;
use crate::hash::mix64;
use crate::{KeyHasher, Members, Node, NodeLabel, Slot, SlotSet, Weight};

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
    /// By id.
    list: Vec<Candidate>,
    /// Whether weights differ: draws alone decide if not.
    weighted: bool,
}

impl Candidates {
    /// These members, their ids hashed by this function.
    #[must_use]
    pub fn new<H: KeyHasher<Out = u64>>(hasher: &H, members: &Members) -> Self {
        let list = members
            .by_id()
            .filter_map(|slot| Some(Candidate::new(hasher, members.get(slot)?, slot)))
            .collect();
        let mut candidates = Self {
            list,
            weighted: false,
        };
        candidates.note_weights();
        candidates
    }

    /// Takes in the member of this slot, which is one of `members` already.
    pub fn insert<H: KeyHasher<Out = u64>>(&mut self, hasher: &H, members: &Members, slot: Slot) {
        let Some(node) = members.get(slot) else {
            return;
        };
        let id_of = |held: &Candidate| members.get(held.slot).map(Node::id);
        let place = self
            .list
            .partition_point(|held| id_of(held) < Some(node.id()));
        self.list.insert(place, Candidate::new(hasher, node, slot));
        self.note_weights();
    }

    /// Drops the member of this slot.
    pub fn remove(&mut self, slot: Slot) {
        self.list.retain(|candidate| candidate.slot != slot);
        self.note_weights();
    }

    /// Changes the weight of the member of this slot.
    pub fn set_weight(&mut self, slot: Slot, weight: Weight) {
        for candidate in &mut self.list {
            if candidate.slot == slot {
                candidate.weight = weight.get();
            }
        }
        self.note_weights();
    }

    /// The node preferred for this digest; `None` without nodes.
    #[must_use]
    pub fn best(&self, digest: u64) -> Option<Slot> {
        self.best_of(digest, self.list.iter())
    }

    /// The node preferred for this digest among those not in the set.
    #[must_use]
    pub fn best_outside(&self, digest: u64, set: &SlotSet) -> Option<Slot> {
        let outside = |candidate: &&Candidate| !set.contains(candidate.slot);
        self.best_of(digest, self.list.iter().filter(outside))
    }

    /// Visits the nodes in the order preferred for this digest, until `visit` breaks.
    ///
    /// Each step asks all nodes anew: no memory is needed, and few steps are what callers make.
    pub fn walk(
        &self,
        digest: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        while let Some(slot) = self.best_outside(digest, seen) {
            seen.insert(slot);
            if visit(slot).is_break() {
                return;
            }
        }
    }

    /// Says, for a digest and another node's slot, whether the node in `slot` is preferred to it.
    ///
    /// What a newcomer takes from the present owners is asked so, two draws a question.
    pub fn challenge(&self, slot: Slot) -> impl Fn(u64, Slot) -> bool + '_ {
        let most = self.list.iter().map(|candidate| candidate.slot).max();
        let bound = most.map_or(0, |slot| slot.at() + 1);
        let mut places = alloc::vec![None; bound];
        for (place, candidate) in self.list.iter().enumerate() {
            places[candidate.slot.at()] = Some(place);
        }
        let candidate = move |slot: Slot| {
            let place = places.get(slot.at()).copied().flatten()?;
            Some((place, &self.list[place]))
        };
        let challenger = candidate(slot);
        move |digest, other| match (challenger, candidate(other)) {
            (Some((mine, ours)), Some((theirs, other))) => self
                .compare(digest, ours, other)
                .then(theirs.cmp(&mine))
                .is_gt(),
            (challenger, _) => challenger.is_some(),
        }
    }

    /// The bytes this holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.list.capacity() * size_of::<Candidate>()
    }

    fn note_weights(&mut self) {
        let differ = |pair: &[Candidate]| pair[0].weight != pair[1].weight;
        self.weighted = self.list.windows(2).any(differ);
    }

    /// The best of these. Of equal scores the first wins: the lower id.
    fn best_of<'a>(
        &self,
        digest: u64,
        candidates: impl Iterator<Item = &'a Candidate>,
    ) -> Option<Slot> {
        let best = if self.weighted {
            greatest(
                candidates,
                |candidate| candidate.score(digest),
                |a, b| a.cmp(b).is_gt(),
            )
        } else {
            greatest(candidates, |candidate| candidate.draw(digest), |a, b| a > b)
        };
        best.map(|candidate| candidate.slot)
    }

    /// Compares two nodes for a digest; the greater is preferred.
    fn compare(&self, digest: u64, a: &Candidate, b: &Candidate) -> Ordering {
        if self.weighted {
            a.score(digest).cmp(&b.score(digest))
        } else {
            a.draw(digest).cmp(&b.draw(digest))
        }
    }
}

/// The first of the candidates whose value no other's beats.
fn greatest<'a, V>(
    candidates: impl Iterator<Item = &'a Candidate>,
    value: impl Fn(&Candidate) -> V,
    beats: impl Fn(&V, &V) -> bool,
) -> Option<&'a Candidate> {
    let mut candidates = candidates.map(|candidate| (value(candidate), candidate));
    let mut best = candidates.next()?;
    for next in candidates {
        if beats(&next.0, &best.0) {
            best = next;
        }
    }
    Some(best.1)
}

/// What a score needs of a node.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// The hash of the label with index 0.
    hash: u64,
    weight: u32,
    slot: Slot,
}

impl Candidate {
    fn new<H: KeyHasher<Out = u64>>(hasher: &H, node: &Node, slot: Slot) -> Self {
        Self {
            hash: NodeLabel::new(node.id()).hash(hasher, 0),
            weight: node.weight().get(),
            slot,
        }
    }

    /// The draw of this node for a digest: uniform over 64 bits, a bijection of either hash. A linear
    /// combination would make two nodes' draws differ by a constant, and balance would go.
    fn draw(&self, digest: u64) -> u64 {
        mix64(digest ^ self.hash)
    }

    fn score(&self, digest: u64) -> Score {
        let draw = self.draw(digest);
        Score {
            cost: cost(draw),
            weight: self.weight,
            draw,
        }
    }
}

/// A node's score for a digest. The greatest wins: the least cost for its weight, then the greater draw.
#[derive(Clone, Copy, Debug)]
struct Score {
    cost: u128,
    weight: u32,
    draw: u64,
}

impl Score {
    fn cmp(&self, other: &Self) -> Ordering {
        // cost ÷ weight, compared exactly: a cost has 70 bits, a weight 32.
        let theirs = other.cost * u128::from(self.weight);
        let mine = self.cost * u128::from(other.weight);
        theirs.cmp(&mine).then(self.draw.cmp(&other.draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a, 64 bits.
    fn fine(bytes: &[u8]) -> u64 {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    /// Few answers, so that draws tie.
    fn coarse(bytes: &[u8]) -> u64 {
        fine(bytes) & 3
    }

    fn members(weights: &[u32]) -> Members {
        let node = |(i, &weight): (usize, &u32)| {
            let node = Node::new(alloc::format!("n{i}")).unwrap();
            node.with_weight(Weight::new(weight).unwrap())
        };
        Members::from_nodes(weights.iter().enumerate().map(node)).unwrap()
    }

    fn order(candidates: &Candidates, digest: u64) -> Vec<Slot> {
        let mut order = Vec::new();
        candidates.walk(digest, &mut SlotSet::new(), &mut |slot| {
            order.push(slot);
            ControlFlow::Continue(())
        });
        order
    }

    #[test]
    fn a_challenge_says_what_the_walk_says() {
        for weights in [&[1, 1, 1, 1, 1, 1][..], &[1, 5, 2, 1, 9, 2]] {
            let members = members(weights);
            for candidates in [
                Candidates::new(&fine, &members),
                Candidates::new(&coarse, &members),
            ] {
                for digest in (0..500).map(mix64) {
                    let order = order(&candidates, digest);
                    assert_eq!(order.len(), weights.len());
                    assert_eq!(candidates.best(digest), Some(order[0]));
                    for (i, &a) in order.iter().enumerate() {
                        let beats = candidates.challenge(a);
                        for (j, &b) in order.iter().enumerate() {
                            assert_eq!(beats(digest, b), i < j);
                        }
                    }
                }
            }
        }
    }
}
