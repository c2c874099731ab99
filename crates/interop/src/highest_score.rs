//! [`HighestScore`]: the router of systems that score every node for a key.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::mem::size_of;
use core::ops::ControlFlow;

use keyroute_core::{
    AddNode, Description, Explanation, Fact, MemberOrder, Members, Node, NodeList, Place, Rebuild,
    RemoveNode, RouteError, Router, Slot, SlotSet, Walk,
};

/// How a system scores a node for a key.
pub trait Score {
    /// The preset's name and revision.
    const NAME: &'static str;
    /// What is computed of a key once.
    type OfKey<'k>;
    /// What is computed of a node once.
    type OfNode: Clone;
    /// A node's score for a key: the greatest wins.
    type Value: Ord + fmt::Display;
    /// Whether a later listed node wins over an earlier one of the same score.
    const LATER_WINS: bool;

    /// Computes what is needed of a key.
    fn of_key<'k>(&self, key: &'k [u8]) -> Self::OfKey<'k>;

    /// Computes what is needed of a node.
    fn of_node(&self, node: &Node) -> Self::OfNode;

    /// The score.
    fn value(&self, key: &Self::OfKey<'_>, node: &Self::OfNode) -> Self::Value;

    /// Whether, of two nodes of one score, the other wins over the best so far, which is listed earlier:
    /// by the listing, unless a system says otherwise.
    fn wins_tie(&self, _members: &Members, _best: Slot, _other: Slot) -> bool {
        Self::LATER_WINS
    }

    /// Says what else decides an answer.
    fn describe(&self, to: &mut Description);
}

/// Rendezvous as other systems do it: a score for each node, the greatest owns the key. Their score
/// functions are not ours, so neither are their answers; see
/// [`Rendezvous`](https://docs.rs/keyroute-rendezvous) for the native ones.
///
/// Nodes have no weights. Cost: a lookup asks every node, once; adding and removing are O(n) moves.
#[derive(Clone)]
pub struct HighestScore<S: Score> {
    score: S,
    nodes: NodeList,
    /// Of the node in each bucket of the list.
    scored: Vec<S::OfNode>,
}

impl<S: Score> HighestScore<S> {
    /// These nodes, under this score.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::WeightUnsupported`], [`RouteError::TooManyNodes`].
    pub fn new(score: S, nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        let nodes = NodeList::from_nodes(S::NAME, nodes)?;
        let scored = (0..nodes.len())
            .filter_map(|bucket| nodes.members().get(nodes.slot(bucket)?))
            .map(|node| score.of_node(node))
            .collect();
        Ok(Self {
            score,
            nodes,
            scored,
        })
    }

    /// The best node for which `eligible` holds.
    fn best(&self, key: &S::OfKey<'_>, eligible: impl Fn(Slot) -> bool) -> Option<Slot> {
        let mut best: Option<(S::Value, Slot)> = None;
        for (bucket, scored) in (0..).zip(&self.scored) {
            let Some(slot) = self.nodes.slot(bucket).filter(|&slot| eligible(slot)) else {
                continue;
            };
            let value = self.score.value(key, scored);
            let better = match best.as_ref().map(|(best, at)| (value.cmp(best), *at)) {
                None | Some((Ordering::Greater, _)) => true,
                Some((Ordering::Equal, at)) => self.score.wins_tie(self.nodes.members(), at, slot),
                Some((Ordering::Less, _)) => false,
            };
            if better {
                best = Some((value, slot));
            }
        }
        best.map(|(_, slot)| slot)
    }
}

impl<S: Score> Router for HighestScore<S> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.best(&self.score.of_key(key), |_| true)
    }

    fn members(&self) -> &Members {
        self.nodes.members()
    }

    fn describe(&self) -> Description {
        let mut description = Description::new(S::NAME, MemberOrder::Listed);
        self.score.describe(&mut description);
        description.members(self.members());
        description
    }

    fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes() + self.scored.capacity() * size_of::<S::OfNode>()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let of_key = self.score.of_key(key);
        let score = |slot| {
            let bucket = (0..)
                .zip(&self.scored)
                .find(|&(bucket, _)| self.nodes.slot(bucket) == Some(slot));
            let (_, scored) = bucket?;
            Some(Fact::Score(self.score.value(&of_key, scored).to_string()))
        };
        Explanation::of(self, key)
            .placed(Place::Best {
                nodes: self.scored.len(),
                rule: "the greatest score".into(),
            })
            .walked(self, key, next)
            .with_facts(score)
    }
}

impl<S: Score> Walk for HighestScore<S> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        let key = self.score.of_key(key);
        while let Some(slot) = self.best(&key, |slot| !seen.contains(slot)) {
            seen.insert(slot);
            if visit(slot).is_break() {
                return;
            }
        }
    }
}

impl<S: Score> AddNode for HighestScore<S> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let scored = self.score.of_node(&node);
        let slot = self.nodes.push(node)?;
        self.scored.push(scored);
        Ok(slot)
    }
}

impl<S: Score> RemoveNode for HighestScore<S> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let slot = self.nodes.members().find(id)?;
        let place = (0..).find(|&bucket| self.nodes.slot(bucket) == Some(slot));
        let node = self.nodes.remove(id)?;
        if let Some(place) = place {
            self.scored.remove(place as usize); // u32 fits
        }
        Ok(node)
    }
}

impl<S: Score + Clone> Rebuild for HighestScore<S> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        *self = Self::new(self.score.clone(), nodes.iter().cloned())?;
        Ok(())
    }
}

impl<S: Score> fmt::Debug for HighestScore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HighestScore")
            .field("score", &S::NAME)
            .field("nodes", &self.nodes)
            .finish()
    }
}
