//! [`ReplicaChange`]: what a change does to sets of replicas.

use keyroute::{Slot, Walk, WalkExt};

use super::{Directions, KeyArena, Numbering, ratio};

/// How a change altered the keys' sets of replicas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ReplicaChange {
    /// The mean share of a key's set that is still in it after the change.
    pub(crate) overlap: f64,
    /// How many keys' sets changed.
    pub(crate) changed: u64,
    /// How many of them changed more than needed.
    pub(crate) needless: u64,
}

impl ReplicaChange {
    /// Compares the first `n` nodes of every key's order in two routers.
    pub(crate) fn between(
        before: &dyn Walk,
        after: &dyn Walk,
        n: usize,
        numbering: &Numbering,
        directions: &Directions,
        keys: &KeyArena,
    ) -> Self {
        let (mut before, mut after) = (
            Sets::new(before, n, numbering),
            Sets::new(after, n, numbering),
        );
        let (mut kept, mut held, mut changed, mut needless) = (0, 0, 0, 0);
        for key in keys.iter() {
            let (old, new) = (before.of(key), after.of(key));
            let step = Step::between(old, new, directions);
            held += old.len() as u64;
            kept += (old.len() - step.left) as u64;
            changed += u64::from(step.left > 0 || step.entered > 0);
            needless += u64::from(step.needless());
        }
        Self {
            overlap: ratio(kept, held),
            changed,
            needless,
        }
    }
}

/// How one set differs from another.
#[derive(Debug, Default)]
struct Step {
    left: usize,
    entered: usize,
    /// Nodes that left and lost weight, and nodes that entered and gained weight.
    named: usize,
}

impl Step {
    fn between(old: &[u32], new: &[u32], directions: &Directions) -> Self {
        let mut step = Self::default();
        for &node in old.iter().filter(|node| !new.contains(node)) {
            step.left += 1;
            step.named += usize::from(directions.loses(node));
        }
        for &node in new.iter().filter(|node| !old.contains(node)) {
            step.entered += 1;
            step.named += usize::from(directions.gains(node));
        }
        step
    }

    /// Whether some pair of a node that left and one that entered names neither: each named node can
    /// serve a pair of its own. Where the fleet is smaller than the set, one side of a pair is empty.
    fn needless(&self) -> bool {
        self.left.max(self.entered) > self.named
    }
}

/// The sets of a router's keys, one buffer for all.
struct Sets<'a> {
    walk: &'a dyn Walk,
    numbers: Vec<u32>,
    slots: Vec<Slot>,
    set: Vec<u32>,
}

impl<'a> Sets<'a> {
    fn new(walk: &'a dyn Walk, n: usize, numbering: &Numbering) -> Self {
        Self {
            walk,
            numbers: numbering.by_slot(walk.members()),
            slots: walk.members().slots().take(n).collect(),
            set: Vec::with_capacity(n),
        }
    }

    fn of(&mut self, key: &[u8]) -> &[u32] {
        let count = self.walk.replicas_into(key, &mut self.slots);
        let numbers = &self.numbers;
        self.set.clear();
        self.set.extend(
            self.slots[..count]
                .iter()
                .map(|slot| numbers[slot.index() as usize]), // u32 fits
        );
        &self.set
    }
}

#[cfg(test)]
mod tests {
    use keyroute::Node;

    use super::*;

    /// Nodes 0 to 4, of which 4 joins and 0 leaves.
    fn needless(old: &[u32], new: &[u32]) -> bool {
        let nodes: Vec<Node> = (0..5)
            .map(|i| Node::new(format!("n{i}")).unwrap())
            .collect();
        let numbering = Numbering::of(&nodes);
        let directions = Directions::between(&numbering, &nodes[..4], &nodes[1..]);
        Step::between(old, new, &directions).needless()
    }

    #[test]
    fn a_set_may_lose_one_for_each_that_joins_and_gain_one_for_each_that_leaves() {
        assert!(!needless(&[1, 2], &[2, 1]), "order does not count");
        assert!(!needless(&[1, 2], &[4, 1]), "the newcomer pushed one out");
        assert!(!needless(&[0, 1], &[1, 2]), "the leaver let one in");
        assert!(!needless(&[0, 1], &[4, 2]), "both at once");
        assert!(needless(&[1, 2], &[1, 3]), "nobody asked for this");
        assert!(needless(&[0, 1], &[2, 3]), "one of two");
        assert!(needless(&[1, 2], &[4, 3]), "one of two");
    }

    #[test]
    fn sets_of_another_size_count_the_longer_side() {
        assert!(
            !needless(&[0, 1, 2], &[1, 2]),
            "the fleet shrank below the set"
        );
        assert!(
            !needless(&[1, 2], &[1, 2, 4]),
            "the fleet grew into the set"
        );
        assert!(needless(&[1, 2, 3], &[1, 2]), "a bystander was dropped");
    }
}
