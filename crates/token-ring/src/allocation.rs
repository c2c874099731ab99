//! Where a node takes its tokens when it joins or grows: from the arcs of those that own most for their weight.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use keyroute_core::{Members, Node, NodeId, Slot, Weight};

/// All positions there are.
pub(crate) const RING: u128 = 1 << 64;

/// The nodes of a ring and their arcs, the node that owns most for its weight first.
#[derive(Debug, Default)]
pub(crate) struct Allocation {
    owners: BinaryHeap<Owner>,
    weight: u64,
}

#[derive(Debug)]
struct Owner {
    id: NodeId,
    weight: u32,
    /// The lengths of its arcs together, up to 2^64.
    load: u128,
    /// Length and end, the longest first; of equal ones the one that ends first.
    arcs: BinaryHeap<(u128, Reverse<u64>)>,
}

impl Owner {
    fn new(node: &Node) -> Self {
        Self {
            id: node.id().clone(),
            weight: node.weight().get(),
            load: 0,
            arcs: BinaryHeap::new(),
        }
    }

    fn push(&mut self, length: u128, end: u64) {
        self.load += length;
        self.arcs.push((length, Reverse(end)));
    }

    /// All arcs there are, which end on these distinct positions, ascending.
    fn push_all(&mut self, ends: &[u64]) {
        let mut before = ends.last().copied().unwrap_or_default();
        for &end in ends {
            self.push(between(before, end), end);
            before = end;
        }
    }
}

impl Ord for Owner {
    /// By load ÷ weight, compared exactly: 65 and 32 bits. Of equal ones the lower id is the greater.
    fn cmp(&self, other: &Self) -> Ordering {
        let (mine, theirs) = (
            self.load * u128::from(other.weight),
            other.load * u128::from(self.weight),
        );
        mine.cmp(&theirs).then_with(|| other.id.cmp(&self.id))
    }
}

impl PartialOrd for Owner {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Owner {}

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

/// How many positions there are after this one, through that: a lone position ends an arc that is the whole ring.
fn between(before: u64, end: u64) -> u128 {
    match end.wrapping_sub(before) {
        0 => RING,
        length => length.into(),
    }
}

impl Allocation {
    /// The arcs of these points, which are in the order of their positions and then of ties. A point behind
    /// another at one position has none.
    pub(crate) fn of(members: &Members, points: impl IntoIterator<Item = (u64, Slot)>) -> Self {
        let mut owners: Vec<Option<Owner>> = Vec::new();
        owners.resize_with(members.slot_bound(), || None);
        for (slot, node) in members.iter() {
            owners[slot.index() as usize] = Some(Owner::new(node));
        }
        let mut distinct: Vec<(u64, Slot)> = points.into_iter().collect();
        distinct.dedup_by_key(|&mut (position, _)| position);
        let mut before = distinct.last().map_or(0, |&(position, _)| position);
        for &(end, slot) in &distinct {
            if let Some(Some(owner)) = owners.get_mut(slot.index() as usize) {
                owner.push(between(before, end), end);
            }
            before = end;
        }
        Self {
            owners: owners.into_iter().flatten().collect(),
            weight: members.total_weight(),
        }
    }

    /// The tokens of a node that joins, this many; `None` if the arcs are too short to be split, which
    /// only tokens from elsewhere can be.
    ///
    /// The first node's tokens are spread evenly. Each further one takes, `count` times, the beginning of the
    /// longest arc of the node that owns most for its weight: its part of what it still lacks, but
    /// no more than that node owns over its share, and in any case 10 to 90 % of the arc.
    pub(crate) fn join(&mut self, node: &Node, count: u32) -> Option<Vec<u64>> {
        self.weight += u64::from(node.weight().get());
        let mut newcomer = Owner::new(node);
        let tokens = if self.owners.is_empty() {
            let tokens: Vec<u64> = evenly(count).collect();
            newcomer.push_all(&tokens);
            tokens
        } else {
            self.take(&mut newcomer, count)?
        };
        self.owners.push(newcomer);
        Some(tokens)
    }

    /// The tokens that a member takes to those it has when its weight is raised, this many: as a newcomer does
    /// that owns this much already. `None` as for [`join`](Self::join), and if there is nobody to take from.
    pub(crate) fn raise(mut self, id: &NodeId, weight: Weight, count: u32) -> Option<Vec<u64>> {
        let mut others = Vec::with_capacity(self.owners.len());
        let mut raised = None;
        for owner in self.owners {
            if owner.id == *id {
                raised = Some(owner);
            } else {
                others.push(owner);
            }
        }
        let mut raised = raised?;
        self.weight = self.weight - u64::from(raised.weight) + u64::from(weight.get());
        raised.weight = weight.get();
        self.owners = others.into();
        self.take(&mut raised, count)
    }

    /// Moves the beginnings of so many arcs to this owner, which is none of the others; gives their ends.
    fn take(&mut self, taker: &mut Owner, count: u32) -> Option<Vec<u64>> {
        let mut tokens = Vec::with_capacity(count as usize);
        let share = |weight: u32| RING * u128::from(weight) / u128::from(self.weight);
        for left in (1..=count).rev() {
            let mut owner = self.owners.pop()?;
            let (length, Reverse(end)) = owner.arcs.pop().filter(|&(length, _)| length >= 2)?;
            let needs = share(taker.weight).saturating_sub(taker.load) / u128::from(left);
            let surplus = owner.load.saturating_sub(share(owner.weight));
            let least = (length / 10).max(1);
            let taken = needs
                .min(surplus)
                .clamp(least, (length * 9 / 10).max(least));
            // The arc begins after its end less its length; 2^64 wraps to 0, the whole ring.
            #[expect(
                clippy::cast_possible_truncation,
                reason = "positions go round the end"
            )]
            let token = end.wrapping_sub((length - taken) as u64);
            owner.load -= length;
            owner.push(length - taken, end);
            self.owners.push(owner);
            taker.push(taken, token);
            tokens.push(token);
        }
        tokens.sort_unstable();
        Some(tokens)
    }
}

/// The tokens of a node alone, this many, ascending.
pub(crate) fn evenly(count: u32) -> impl Iterator<Item = u64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "number < count: below 2^64"
    )]
    let place = move |number: u32| (RING * u128::from(number) / u128::from(count)) as u64;
    (0..count).map(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: &str) -> Node {
        Node::new(id).unwrap()
    }

    #[test]
    fn tokens_are_where_the_rule_puts_them() {
        let mut allocation = Allocation::default();
        let quarter = 1 << 62;
        let first = allocation.join(&node("a"), 4).unwrap();
        assert_eq!(first, [0, quarter, 2 * quarter, 3 * quarter]);
        // It lacks a half; two tokens take a quarter each but at most 90 % of an arc. The arc that ends
        // first is split first.
        let part = u64::try_from((1u128 << 62) * 9 / 10).unwrap();
        let second = allocation.join(&node("b"), 2).unwrap();
        assert_eq!(second, [part, 3 * quarter + part]);
    }

    #[test]
    fn a_lone_position_is_the_whole_ring() {
        let members = Members::from_nodes([node("a"), node("b")]).unwrap();
        let [a, b] = ["a", "b"].map(|id| members.slot_of(id).unwrap());
        let mut allocation = Allocation::of(&members, [(7, a), (7, b)]);
        // A third of the ring, in one token.
        assert_eq!(
            allocation.join(&node("c"), 1),
            Some(vec_of(7 + u64::MAX / 3))
        );
    }

    fn vec_of(token: u64) -> Vec<u64> {
        alloc::vec![token]
    }

    #[test]
    fn arcs_that_cannot_be_split_are_refused() {
        let members = Members::from_nodes([node("a")]).unwrap();
        let slot = members.slot_of("a").unwrap();
        let mut allocation = Allocation::of(&members, [(7, slot)]);
        // Not by one node: but a ring of no arcs has nobody to take from.
        assert!(allocation.join(&node("b"), 100).is_some());
        let mut empty = Allocation::of(&members, []);
        assert_eq!(empty.join(&node("b"), 1), None);
    }
}
