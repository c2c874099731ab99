//! [`Case`]: one drawn input of a law.

use std::collections::BTreeSet;
use std::fmt;

use keyroute_core::{Node, NodeId, Weight};

/// One drawn input: a fleet, nodes outside it, keys, and changes.
///
/// Laws take from it what they need. A law that needs one node uses [`chosen`](Self::chosen), so that
/// the input alone decides what happened.
#[derive(Clone)]
pub struct Case {
    /// The fleet: at least one node, ids distinct.
    pub nodes: Vec<Node>,
    /// At least three nodes outside the fleet, ids distinct.
    pub spares: Vec<Node>,
    /// The keys: always the empty one and the id of a node, some drawn, some plain.
    pub keys: Vec<Vec<u8>>,
    /// Changes, for laws about histories.
    pub steps: Vec<Step>,
    /// A number that decides what else is free: the chosen node, the other order.
    pub salt: u64,
}

/// A change. Numbers are read modulo what there is to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A node from outside joins.
    Add(u8),
    /// A member leaves.
    Remove(u8),
    /// A member takes this weight.
    Reweight(u8, Weight),
}

impl Case {
    /// A node of the fleet.
    ///
    /// # Panics
    ///
    /// If [`nodes`](Self::nodes) has been emptied.
    #[must_use]
    pub fn chosen(&self) -> &Node {
        &self.nodes[below(self.salt, self.nodes.len())]
    }

    /// A node outside the fleet.
    ///
    /// # Panics
    ///
    /// If [`spares`](Self::spares) has been emptied.
    #[must_use]
    pub fn newcomer(&self) -> &Node {
        &self.spares[0]
    }

    /// The fleet without this node.
    #[must_use]
    pub fn nodes_without(&self, leaver: &Node) -> Vec<Node> {
        let stay = self.nodes.iter().filter(|node| node.id() != leaver.id());
        stay.cloned().collect()
    }

    /// The fleet and this node behind it.
    #[must_use]
    pub fn nodes_with(&self, newcomer: &Node) -> Vec<Node> {
        self.nodes.iter().chain([newcomer]).cloned().collect()
    }

    /// The fleet with this node in place of the one of its id.
    #[must_use]
    pub fn nodes_changed(&self, changed: &Node) -> Vec<Node> {
        let change = |node: &Node| {
            if node.id() == changed.id() {
                changed.clone()
            } else {
                node.clone()
            }
        };
        self.nodes.iter().map(change).collect()
    }

    /// The fleet in another order; every order can come.
    #[must_use]
    pub fn shuffled(&self) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        let mut state = self.salt;
        for last in (1..nodes.len()).rev() {
            state = mix(state);
            nodes.swap(last, below(state, last + 1));
        }
        nodes
    }

    /// The same case with plain ids in place of those that are not accepted.
    pub(crate) fn tamed(mut self, accepts: impl Fn(&Node) -> bool) -> Self {
        let held = self.nodes.iter().chain(&self.spares);
        let held: BTreeSet<NodeId> = held.map(|node| node.id().clone()).collect();
        let mut plain = (0..)
            .filter_map(|number| NodeId::new(format!("plain-{number}")).ok())
            .filter(|id| !held.contains(id));
        for node in self.nodes.iter_mut().chain(&mut self.spares) {
            if !accepts(node)
                && let Some(id) = plain.next()
            {
                let tame = Node::from(id).with_weight(node.weight());
                *node = match node.zone() {
                    Some(zone) => tame.with_zone(zone.clone()),
                    None => tame,
                };
            }
        }
        self
    }

    /// The keys as slices, as batches want them.
    #[must_use]
    pub fn key_slices(&self) -> Vec<&[u8]> {
        self.keys.iter().map(Vec::as_slice).collect()
    }
}

/// A number below `bound` (above 0) from the upper bits of `state`.
pub(crate) fn below(state: u64, bound: usize) -> usize {
    let scaled = (u128::from(state) * bound as u128) >> 64;
    usize::try_from(scaled).unwrap_or(0)
}

/// The next state of a sequence of well-mixed numbers: SplitMix64 (Steele, Lea, Flood 2014).
pub(crate) fn mix(state: u64) -> u64 {
    keyroute_core::hash::mix64(state.wrapping_add(0x9e37_79b9_7f4a_7c15))
}

/// The nodes, spares and steps; keys are too many, and a violation names the one that matters.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = |f: &mut fmt::Formatter<'_>, name, nodes: &[Node]| {
            writeln!(f, "{name}:")?;
            for node in nodes {
                write!(f, "  {:?}", node.id())?;
                if node.weight() != Weight::ONE {
                    write!(f, ", weight {}", node.weight())?;
                }
                if let Some(zone) = node.zone() {
                    write!(f, ", zone {zone:?}")?;
                }
                writeln!(f)?;
            }
            Ok(())
        };
        nodes(f, "nodes", &self.nodes)?;
        nodes(f, "spares", &self.spares)?;
        writeln!(f, "steps: {:?}", self.steps)?;
        write!(f, "keys: {}, salt: {:#x}", self.keys.len(), self.salt)
    }
}
