//! [`Turns`]: whose turn it is.

use alloc::collections::binary_heap::PeekMut;
use alloc::collections::{BTreeMap, BinaryHeap};
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

/// The turns of nodes of these weights, without end: places in the slice. Of no weights there are none.
///
/// Of t turns a node of weight w is due t × w ÷ W, W being the sum of the weights. At every t it has
/// had that many, give or take less than one: the turn goes to a node that has had less than it is due,
/// among these to the one whose next turn must come first (its k-th is wanted by t = k × W ÷ w), and
/// where that is equal, to the first in the slice. Equal nodes so take turns in order, as in the paper.
///
/// The simpler rule of some load balancers, by which a node takes a turn in every round in which its
/// weights add up to the greatest, lets all small nodes have theirs in one round: beside a node of
/// weight 100, fifty of weight 1 leave it 23 entries off. Source of this one: Tijdeman, *The chairman
/// assignment problem*, 1980.
///
/// Weights are above 0; 0 counts as 1. Cost a turn: O(log c) for c different weights.
///
/// ```
/// use keyroute_maglev::turns;
///
/// assert!(turns(&[3, 3]).take(5).eq([0, 1, 0, 1, 0]));
/// assert!(turns(&[1, 4]).take(10).eq([1, 1, 1, 0, 1, 1, 1, 1, 0, 1]));
/// ```
#[must_use]
pub fn turns(weights: &[u32]) -> Turns {
    let mut by_weight: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (node, &weight) in weights.iter().enumerate() {
        by_weight.entry(weight.max(1)).or_default().push(node);
    }
    let first = |(class, (&weight, nodes)): (usize, (&u32, &Vec<usize>))| Claim {
        node: nodes[0],
        turn: 1,
        weight,
        class,
    };
    Turns {
        passed: 0,
        total: weights.iter().map(|&weight| u64::from(weight.max(1))).sum(),
        due: by_weight.iter().enumerate().map(first).collect(),
        waiting: BinaryHeap::new(),
        classes: by_weight
            .into_values()
            .map(|nodes| Class { nodes, at: 0 })
            .collect(),
    }
}

/// What [`turns`] gives.
#[derive(Clone, Debug)]
pub struct Turns {
    /// The turns that have passed.
    passed: u64,
    /// The sum of the weights.
    total: u64,
    /// Claims of classes that have had less than they are due, the most urgent on top.
    due: BinaryHeap<Claim>,
    /// The other claims, under the turn from which they are due, the earliest on top.
    waiting: BinaryHeap<Reverse<(u64, Claim)>>,
    classes: Vec<Class>,
}

/// Nodes of one weight. They have their k-th turns one after another, then their next.
#[derive(Clone, Debug)]
struct Class {
    nodes: Vec<usize>,
    /// Whose turn is next.
    at: usize,
}

/// The claim of a class to a turn of its next node. The greatest is the most urgent.
#[derive(Clone, Copy, Debug)]
struct Claim {
    node: usize,
    /// Which turn of this node it is, from 1.
    turn: u64,
    weight: u32,
    class: usize,
}

impl Ord for Claim {
    fn cmp(&self, other: &Self) -> Ordering {
        // turn ÷ weight, compared exactly: the less, the sooner it must come.
        let mine = u128::from(self.turn) * u128::from(other.weight);
        let theirs = u128::from(other.turn) * u128::from(self.weight);
        theirs.cmp(&mine).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Claim {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Claim {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Claim {}

impl Iterator for Turns {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.passed += 1;
        while let Some(&Reverse((from, claim))) = self.waiting.peek()
            && from <= self.passed
        {
            self.waiting.pop();
            self.due.push(claim);
        }
        // What nodes are due adds up to one turn more than they have had, so somebody is.
        let mut top = self.due.peek_mut()?;
        let (taken, class) = (*top, self.classes.get_mut(top.class)?);
        class.at += 1;
        if let Some(&next) = class.nodes.get(class.at) {
            top.node = next;
        } else {
            class.at = 0;
            PeekMut::pop(top);
            // Due as soon as passed × weight ÷ total is above what a node has had.
            let had = quotient(taken.turn, self.total, taken.weight);
            let claim = Claim {
                node: class.nodes[0],
                turn: taken.turn + 1,
                ..taken
            };
            self.waiting.push(Reverse((had.saturating_add(1), claim)));
        }
        Some(taken.node)
    }
}

/// a × b ÷ c, rounded down.
fn quotient(a: u64, b: u64, c: u32) -> u64 {
    match a.checked_mul(b) {
        Some(product) => product / u64::from(c),
        // Seldom, and slow: no processor divides 128 bits.
        None => u64::try_from(u128::from(a) * u128::from(b) / u128::from(c)).unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;

    const WEIGHTS: [&[u32]; 12] = [
        &[1],
        &[7, 7, 7],
        &[1, 2],
        &[2, 1],
        &[3, 5, 7, 5, 3],
        &[1, 10],
        &[100, 34, 40, 99, 34],
        &[1, 100, 400, 500],
        &[1024, 1024, 5],
        &[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 100],
        &[1, 1, 1, 1, 1000],
        &[u32::MAX, 1 << 30, u32::MAX - 1, 1],
    ];

    #[test]
    fn at_every_turn_a_node_has_had_what_it_is_due_within_less_than_one() {
        for weights in WEIGHTS {
            let mut had = std::vec![0u64; weights.len()];
            let all: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
            for (passed, node) in (1u64..=20_000).zip(turns(weights)) {
                had[node] += 1;
                for (&weight, &had) in weights.iter().zip(&had) {
                    // |had − passed × w ÷ W| < 1, times W.
                    let off =
                        (u128::from(had) * all).abs_diff(u128::from(passed) * u128::from(weight));
                    assert!(off < all, "{weights:?}, {passed} turns: {had}");
                }
            }
        }
        assert_eq!(turns(&[]).next(), None);
    }

    /// The rule as it is described, node by node.
    fn by_rule(weights: &[u32], count: u64) -> Vec<usize> {
        let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
        let mut had = std::vec![0u128; weights.len()];
        let next = |passed: u64| {
            let weight = |node: usize| u128::from(weights[node]);
            let due = (0..weights.len())
                .filter(|&node| had[node] * total < u128::from(passed) * weight(node));
            let urgency = |&a: &usize, &b: &usize| {
                let (mine, theirs) = ((had[a] + 1) * weight(b), (had[b] + 1) * weight(a));
                mine.cmp(&theirs).then(a.cmp(&b))
            };
            let node = due.min_by(urgency).unwrap();
            had[node] += 1;
            node
        };
        (1..=count).map(next).collect()
    }

    #[test]
    fn turns_come_as_the_rule_says() {
        for weights in WEIGHTS {
            assert!(
                turns(weights).take(3000).eq(by_rule(weights, 3000)),
                "{weights:?}"
            );
        }
    }

    #[test]
    fn equal_weights_weigh_as_one_does() {
        assert!(turns(&[7, 7, 7]).take(100).eq((0..3).cycle().take(100)));
        let scaled = turns(&[6, 10, 14]).take(10_000);
        assert!(scaled.eq(turns(&[3, 5, 7]).take(10_000)));
    }
}
