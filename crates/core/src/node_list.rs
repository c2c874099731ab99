//! [`NodeList`]: nodes numbered by their place in a list.

use alloc::vec::Vec;
use core::mem::size_of;

use crate::{Members, Node, RouteError, Slot, Weight};

/// The nodes of a strategy that maps keys to numbers: bucket i is the i-th node of the list.
///
/// The list **is** the input: the same nodes in another order route otherwise. There are no weights.
///
/// ```
/// use keyroute_core::{Node, NodeList};
///
/// let mut list = NodeList::new("jump");
/// list.push(Node::new("shard-0")?)?;
/// let second = list.push(Node::new("shard-1")?)?;
/// assert_eq!(list.slot(1), Some(second));
/// assert_eq!(list.pop()?.id().as_str(), "shard-1");
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NodeList {
    strategy: &'static str,
    members: Members,
    order: Vec<Slot>,
}

impl NodeList {
    /// An empty list for this strategy, which errors name.
    #[must_use]
    pub fn new(strategy: &'static str) -> Self {
        Self {
            strategy,
            members: Members::new(),
            order: Vec::new(),
        }
    }

    /// A list of these nodes, in this order.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    pub fn from_nodes(
        strategy: &'static str,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut list = Self::new(strategy);
        for node in nodes {
            list.push(node)?;
        }
        Ok(list)
    }

    /// How many nodes there are: the number of buckets.
    #[must_use]
    pub fn len(&self) -> u32 {
        // Members hold at most MAX_NODES.
        u32::try_from(self.order.len()).unwrap_or(u32::MAX)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The slot of the node in this bucket.
    #[must_use]
    pub fn slot(&self, bucket: u32) -> Option<Slot> {
        self.order.get(bucket as usize).copied() // u32 fits
    }

    /// The nodes.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// Appends a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::WeightUnsupported`] for a weight other than 1, or as [`Members::add`].
    pub fn push(&mut self, node: Node) -> Result<Slot, RouteError> {
        if node.weight() != Weight::ONE {
            return Err(RouteError::WeightUnsupported {
                id: node.id().clone(),
                weight: node.weight().get(),
                strategy: self.strategy,
            });
        }
        let slot = self.members.add(node)?;
        self.order.push(slot);
        Ok(slot)
    }

    /// Removes the last node.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`].
    pub fn pop(&mut self) -> Result<Node, RouteError> {
        let last = self.order.last().and_then(|&slot| self.members.get(slot));
        let id = last.ok_or(RouteError::NoMembers)?.id().clone();
        let (_, node) = self.members.remove(id.as_str())?;
        self.order.pop();
        Ok(node)
    }

    /// Removes a node; those behind it move up.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`].
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let (slot, node) = self.members.remove(id)?;
        self.order.retain(|&kept| kept != slot);
        Ok(node)
    }

    /// The bytes this holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.order.capacity() * size_of::<Slot>()
    }
}
