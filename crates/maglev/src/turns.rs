//! [`Turns`]: whose turn it is.

use alloc::collections::BinaryHeap;
use core::cmp::{Ordering, Reverse};

/// The turns of nodes of these weights, without end: places in the slice. Of no weights there are none.
///
/// Of t turns a node of weight w is due t × w ÷ W, W being the sum of the weights. At every t it has had that
/// many, give or take less than one: the turn goes to a node that has had less than it is due, among these
/// to the one whose next turn must come first (its k-th is wanted by t = k × W ÷ w), and where that is equal,
/// to the first in the slice. Equal nodes so take turns in order, as in the paper.
///
/// The simpler rule of some load balancers, by which a node takes a turn in every round in which its
/// weights add up to the greatest, lets all small nodes have theirs in one round: beside a node of weight
/// 100, fifty of weight 1 leave it 23 entries off. Source of this one: Tijdeman, *The chairman assignment
/// problem*, 1980.
///
/// Weights are above 0; 0 counts as 1. Cost a turn: O(log n), with equal weights O(1).
///
/// ```
/// use keyroute_maglev::turns;
///
/// assert!(turns(&[3, 3]).take(5).eq([0, 1, 0, 1, 0]));
/// assert!(turns(&[1, 4]).take(10).eq([1, 1, 1, 0, 1, 1, 1, 1, 0, 1]));
/// ```
#[must_use]
pub fn turns(weights: &[u32]) -> Turns {
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        return Turns(Order::Even {
            next: 0,
            nodes: weights.len(),
        });
    }
    let claims = weights.iter().enumerate().map(|(node, &weight)| Claim {
        node,
        turn: 1,
        weight: weight.max(1),
    });
    Turns(Order::Weighted {
        passed: 0,
        total: weights.iter().map(|&weight| u64::from(weight.max(1))).sum(),
        due: claims.collect(),
        waiting: BinaryHeap::new(),
    })
}

/// What [`turns`] gives.
#[derive(Clone, Debug)]
pub struct Turns(Order);

#[derive(Clone, Debug)]
enum Order {
    Even {
        next: usize,
        nodes: usize,
    },
    Weighted {
        /// The turns that have passed.
        passed: u64,
        /// The sum of the weights.
        total: u64,
        /// Claims of nodes that have had less than they are due, the most urgent on top.
        due: BinaryHeap<Claim>,
        /// The other nodes' claims, under the turn from which they are due, the earliest on top.
        waiting: BinaryHeap<Reverse<(u64, Claim)>>,
    },
}

/// A node's claim to its next turn. The greatest is the most urgent.
#[derive(Clone, Copy, Debug)]
struct Claim {
    node: usize,
    /// Which turn of this node it is, from 1.
    turn: u64,
    weight: u32,
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
        match &mut self.0 {
            Order::Even { nodes: 0, .. } => None,
            Order::Even { next, nodes } => {
                let node = *next;
                *next = if node + 1 == *nodes { 0 } else { node + 1 };
                Some(node)
            }
            Order::Weighted {
                passed,
                total,
                due,
                waiting,
            } => {
                *passed += 1;
                while let Some(&Reverse((from, claim))) = waiting.peek()
                    && from <= *passed
                {
                    waiting.pop();
                    due.push(claim);
                }
                // What nodes are due adds up to one turn more than they have had, so somebody is.
                let mut claim = due.pop()?;
                let had = u128::from(claim.turn) * u128::from(*total) / u128::from(claim.weight);
                claim.turn += 1;
                // Due as soon as passed × weight ÷ total is above what it has had.
                let from = u64::try_from(had + 1).unwrap_or(u64::MAX);
                waiting.push(Reverse((from, claim)));
                Some(claim.node)
            }
        }
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

    #[test]
    fn equal_weights_weigh_as_one_does() {
        assert!(turns(&[7, 7, 7]).take(100).eq((0..3).cycle().take(100)));
        let scaled = turns(&[6, 10, 14]).take(10_000);
        assert!(scaled.eq(turns(&[3, 5, 7]).take(10_000)));
        // The weighted way gives what the short way for equal ones gives.
        let claims = (0..5).map(|node| Claim {
            node,
            turn: 1,
            weight: 3,
        });
        let weighted = Turns(Order::Weighted {
            passed: 0,
            total: 15,
            due: claims.collect(),
            waiting: BinaryHeap::new(),
        });
        assert!(weighted.take(100).eq((0..5).cycle().take(100)));
    }
}
