//! [`Movement`]: which keys a change moves, and which of them it had to.

use std::collections::BTreeMap;

use keyroute::{Members, Node, NodeId, Router};

use super::KeyArena;

/// Numbers for nodes that hold across routers: slots do not, since a newcomer may take the slot of a
/// node that left.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    numbers: BTreeMap<NodeId, u32>,
}

/// The number of a key that no node owns.
const NOBODY: u32 = u32::MAX;

impl Numbering {
    /// Numbers nodes in the order in which they first come, from 0.
    pub(crate) fn of<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> Self {
        let mut numbers = BTreeMap::new();
        for node in nodes {
            // A fleet has at most MAX_NODES nodes, and changes come from a command line.
            let next = u32::try_from(numbers.len()).unwrap_or(NOBODY);
            numbers.entry(node.id().clone()).or_insert(next);
        }
        Self { numbers }
    }

    /// How many nodes have a number.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) fn get(&self, id: &NodeId) -> u32 {
        self.numbers.get(id).copied().unwrap_or(NOBODY)
    }

    /// The numbers of a router's nodes, by slot.
    pub(crate) fn by_slot(&self, members: &Members) -> Vec<u32> {
        let mut numbers = vec![NOBODY; members.slot_bound()];
        for (slot, node) in members.iter() {
            numbers[slot.index() as usize] = self.get(node.id()); // u32 fits
        }
        numbers
    }

    /// The number of each key's owner.
    pub(crate) fn owners(&self, router: &dyn Router, keys: &KeyArena) -> Vec<u32> {
        let numbers = self.by_slot(router.members());
        let owner = |key| router.route(key);
        keys.iter()
            .map(|key| owner(key).map_or(NOBODY, |slot| numbers[slot.index() as usize]))
            .collect()
    }
}

/// Which nodes a change gives weight, and from which it takes, by number.
#[derive(Debug)]
pub(crate) struct Directions {
    gains: Vec<bool>,
    loses: Vec<bool>,
}

impl Directions {
    /// What happened between these two lists of nodes.
    pub(crate) fn between(numbering: &Numbering, before: &[Node], after: &[Node]) -> Self {
        let weights = |nodes: &[Node]| {
            let mut weights = vec![0; numbering.len()];
            for node in nodes {
                weights[numbering.get(node.id()) as usize] = node.weight().get(); // u32 fits
            }
            weights
        };
        let (before, after) = (weights(before), weights(after));
        Self {
            gains: before.iter().zip(&after).map(|(b, a)| a > b).collect(),
            loses: before.iter().zip(&after).map(|(b, a)| a < b).collect(),
        }
    }

    pub(crate) fn gains(&self, node: u32) -> bool {
        self.gains.get(node as usize).copied().unwrap_or(false) // u32 fits
    }

    pub(crate) fn loses(&self, node: u32) -> bool {
        self.loses.get(node as usize).copied().unwrap_or(false) // u32 fits
    }
}

/// How many keys a change moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Movement {
    /// Keys whose owner left or lost weight, or whose new owner joined or gained weight.
    pub(crate) needed: u64,
    /// The other keys that moved.
    pub(crate) needless: u64,
}

impl Movement {
    /// Compares owners, key by key.
    pub(crate) fn between(before: &[u32], after: &[u32], directions: &Directions) -> Self {
        let mut movement = Self::default();
        let pairs = before.iter().zip(after);
        for (&from, &to) in pairs.filter(|(from, to)| from != to) {
            if directions.loses(from) || directions.gains(to) {
                movement.needed += 1;
            } else {
                movement.needless += 1;
            }
        }
        movement
    }

    /// All keys that moved.
    pub(crate) fn moved(self) -> u64 {
        self.needed + self.needless
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(weights: &[(&str, u32)]) -> Vec<Node> {
        weights
            .iter()
            .map(|&(id, weight)| {
                let node = Node::new(id).unwrap();
                node.with_weight(weight.try_into().unwrap())
            })
            .collect()
    }

    #[test]
    fn a_move_is_needful_by_where_it_leaves_or_where_it_comes_to() {
        let before = nodes(&[
            ("leaver", 1),
            ("lowered", 2),
            ("raised", 1),
            ("x", 1),
            ("y", 1),
        ]);
        let after = nodes(&[
            ("lowered", 1),
            ("raised", 2),
            ("x", 1),
            ("y", 1),
            ("newcomer", 1),
        ]);
        let numbering = Numbering::of(before.iter().chain(&after));
        let directions = Directions::between(&numbering, &before, &after);
        let [leaver, lowered, raised, x, y, newcomer] = [0, 1, 2, 3, 4, 5];
        let between = |from, to| Movement::between(&[from], &[to], &directions);
        for (from, to) in [
            (leaver, x),
            (lowered, x),
            (x, raised),
            (x, newcomer),
            (lowered, leaver),
        ] {
            assert_eq!(between(from, to).needed, 1, "{from} to {to}");
        }
        for (from, to) in [(x, y), (raised, x), (x, lowered), (raised, lowered)] {
            assert_eq!(between(from, to).needless, 1, "{from} to {to}");
        }
        assert_eq!(between(x, x).moved(), 0);
        assert_eq!(numbering.len(), 6);
        assert_eq!(numbering.get(after[4].id()), newcomer);
    }
}
