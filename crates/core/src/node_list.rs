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
    /// The slots by place; `None` while each node's slot is its place, as it is unless one leaves that is
    /// not the last.
    order: Option<Vec<Slot>>,
}

impl NodeList {
    /// An empty list for this strategy, which errors name.
    #[must_use]
    pub fn new(strategy: &'static str) -> Self {
        Self {
            strategy,
            members: Members::new(),
            order: None,
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
    #[inline]
    #[must_use]
    pub fn len(&self) -> u32 {
        // Members hold at most MAX_NODES.
        u32::try_from(self.members.len()).unwrap_or(u32::MAX)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The slot of the node in this bucket.
    #[inline]
    #[must_use]
    pub fn slot(&self, bucket: u32) -> Option<Slot> {
        match &self.order {
            None if bucket < self.len() => Slot::new(bucket),
            None => None,
            Some(order) => order.get(bucket as usize).copied(), // u32 fits
        }
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
        // Without an order no slot is free but those at the end, of which the lowest is taken.
        if let Some(order) = &mut self.order {
            order.push(slot);
        }
        Ok(slot)
    }

    /// Removes the last node.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`].
    pub fn pop(&mut self) -> Result<Node, RouteError> {
        let last = self.len().checked_sub(1).and_then(|last| self.slot(last));
        let last = last.and_then(|slot| self.members.get(slot));
        let id = last.ok_or(RouteError::NoMembers)?.id().clone();
        let (_, node) = self.members.remove(id.as_str())?;
        if let Some(order) = &mut self.order {
            order.pop();
        }
        Ok(node)
    }

    /// Removes a node; those behind it move up.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`].
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let (slot, node) = self.members.remove(id)?;
        let left = self.len();
        match &mut self.order {
            Some(order) => order.retain(|&kept| kept != slot),
            None if slot.index() == left => {}
            // Its place was its slot, and those behind it move up.
            None => {
                let places = (0..=left).filter_map(Slot::new);
                self.order = Some(places.filter(|&kept| kept != slot).collect());
            }
        }
        Ok(node)
    }

    /// The bytes this holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let order = self.order.as_ref().map_or(0, Vec::capacity);
        self.members.heap_bytes() + order * size_of::<Slot>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buckets::{below, word};

    /// The list as its documentation has it: ids in their order.
    fn ids(list: &NodeList) -> Vec<&str> {
        let id = |slot| list.members().get(slot).unwrap().id().as_str();
        (0..list.len())
            .map(|bucket| id(list.slot(bucket).unwrap()))
            .collect()
    }

    #[test]
    fn a_list_is_in_order_whoever_leaves() {
        for seed in 0..50u64 {
            let mut list = NodeList::new("test");
            let mut expected: Vec<alloc::string::String> = Vec::new();
            for step in 0..60 {
                match word(seed, step) % 5 {
                    0 => assert_eq!(list.pop().is_ok(), expected.pop().is_some()),
                    // In some lists nobody leaves but the last.
                    1 if seed % 2 == 0 && !expected.is_empty() => {
                        let place = below(word(seed, step + 1000), list.len());
                        let gone = expected.remove(place as usize);
                        list.remove(&gone).unwrap();
                    }
                    _ => {
                        let id = alloc::format!("n{step}");
                        list.push(Node::new(&id).unwrap()).unwrap();
                        expected.push(id);
                    }
                }
                assert_eq!(ids(&list), expected);
                assert_eq!(list.is_empty(), expected.is_empty());
                assert_eq!(list.slot(list.len()), None);
                assert!(list.order.is_none() || seed % 2 == 0);
            }
        }
    }

    #[test]
    fn the_last_may_leave_by_name_without_an_order_being_kept() {
        let mut list = NodeList::new("test");
        for id in ["a", "b"] {
            list.push(Node::new(id).unwrap()).unwrap();
        }
        list.remove("b").unwrap();
        assert!(list.order.is_none());
        list.push(Node::new("c").unwrap()).unwrap();
        assert_eq!(ids(&list), ["a", "c"]);
    }
}
