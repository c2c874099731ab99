//! [`Transfer`]: from which nodes to which something moves, and how much of that had to.

use std::sync::Arc;
use std::vec::Vec;

use keyroute_core::NodeId;

use crate::need::Strengths;

/// The nodes that hold something before and after, each in their order, the owner first; and what follows: the
/// copies to be made, and those that may be dropped.
///
/// A copy was **needed** if the node it goes to joined or gained weight, if it takes the place of one on a node that
/// left or lost weight, or if there are to be more. Any other is needless: a bystander's, the price of the strategy. Where the strategy
/// itself changes, no node gains and none loses, and all that moves is the price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    from: Arc<[NodeId]>,
    to: Arc<[NodeId]>,
    /// The place in `from` of the node that copies are read from.
    source: usize,
    /// How many of the copies are needed; they come first.
    needed: usize,
    /// The places in `to` of the nodes that get a copy, those that need it first.
    copies: Vec<usize>,
}

/// A copy to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewCopy<'a> {
    /// The node it is read from: of those that hold one before, the first that is still a member, or else the
    /// first. `None` if nobody did.
    pub from: Option<&'a NodeId>,
    /// The node that gets it.
    pub to: &'a NodeId,
    /// Whether the change needed it.
    pub needed: bool,
}

impl Transfer {
    pub(crate) fn new(from: Arc<[NodeId]>, to: Arc<[NodeId]>, strengths: &Strengths) -> Self {
        let lost = from
            .iter()
            .filter(|id| !to.contains(id) && strengths.lost(id));
        let more = to.len().saturating_sub(from.len());
        let mut replaced = lost.count() + more;
        let mut needed = Vec::new();
        let mut needless = Vec::new();
        for (place, id) in to.iter().enumerate() {
            if from.contains(id) {
                continue;
            }
            if strengths.gained(id) {
                needed.push(place);
            } else if replaced > 0 {
                replaced -= 1;
                needed.push(place);
            } else {
                needless.push(place);
            }
        }
        let source = from.iter().position(|id| strengths.stays(id));
        Self {
            source: source.unwrap_or(0),
            needed: needed.len(),
            copies: [needed, needless].concat(),
            from,
            to,
        }
    }

    pub(crate) fn ends(&self) -> (Arc<[NodeId]>, Arc<[NodeId]>) {
        (Arc::clone(&self.from), Arc::clone(&self.to))
    }

    /// The nodes that hold it before, the owner first; none if there are no members.
    #[must_use]
    pub fn from(&self) -> &[NodeId] {
        &self.from
    }

    /// The nodes that hold it after, the owner first; none if there are no members.
    #[must_use]
    pub fn to(&self) -> &[NodeId] {
        &self.to
    }

    /// The copies to be made, the needed ones first. None where nodes only change places: another of the holders
    /// becomes the owner.
    #[must_use]
    pub fn copies(&self) -> impl ExactSizeIterator<Item = NewCopy<'_>> {
        self.copies.iter().enumerate().map(|(at, &place)| NewCopy {
            from: self.from.get(self.source),
            to: &self.to[place],
            needed: at < self.needed,
        })
    }

    /// How often its sender reads it: once for each copy; 1 where there is none to read or to make.
    pub(crate) fn senders_copies(&self) -> u64 {
        match self.from.get(self.source) {
            Some(_) => self.copies.len().max(1) as u64,
            None => 1,
        }
    }

    /// The nodes whose copies may be dropped, once all copies are made.
    pub fn drops(&self) -> impl Iterator<Item = &NodeId> {
        self.from.iter().filter(|id| !self.to.contains(id))
    }
}
