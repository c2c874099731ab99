//! [`Members`]: the nodes of a router and their slots.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::ToString;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;
use core::mem::size_of;

use crate::error::check_room;
use crate::zones::Zones;
use crate::{Node, NodeId, RouteError, Slot, Weight};

/// The nodes that a router holds, each under a [`Slot`].
///
/// A node keeps its slot until it leaves; the lowest free slot goes to the next that joins. `Members`
/// also remembers the order in which nodes were listed, which a reused slot does not tell.
///
/// | operation | cost |
/// | --- | --- |
/// | [`get`](Self::get) | one load |
/// | [`slot_of`](Self::slot_of), [`add`](Self::add), [`remove`](Self::remove) | O(log n) comparisons of ids |
///
/// ```
/// use keyroute_core::{Members, Node};
///
/// let mut members = Members::new();
/// for id in ["b", "a", "c"] {
///     members.add(Node::new(id)?)?;
/// }
/// members.remove("a")?;
/// members.add(Node::new("d")?)?;
/// let ids = |slots: Vec<_>| slots.into_iter().map(|s| members.get(s).unwrap().id().to_string()).collect::<String>();
/// assert_eq!(ids(members.slots().collect()), "bdc"); // "d" took the free slot
/// assert_eq!(ids(members.listed()), "bcd");
/// assert_eq!(ids(members.by_id().collect()), "bcd");
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Default)]
pub struct Members {
    slots: Vec<Option<Member>>,
    by_id: BTreeMap<NodeId, Slot>,
    free: BTreeSet<Slot>,
    zones: Zones,
    listings: u64,
}

#[derive(Clone)]
struct Member {
    node: Node,
    zone: u32,
    listing: u64,
}

impl Members {
    /// No members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Members listed in this order.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        let mut members = Self::new();
        for node in nodes {
            members.add(node)?;
        }
        Ok(members)
    }

    /// How many nodes there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// One more than the highest slot's index: the length of a table with a place for every slot.
    #[must_use]
    pub fn slot_bound(&self) -> usize {
        self.slots.len()
    }

    /// The node in this slot.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: Slot) -> Option<&Node> {
        Some(&self.member(slot)?.node)
    }

    /// The slot of the node with this id.
    #[must_use]
    pub fn slot_of(&self, id: &str) -> Option<Slot> {
        self.by_id.get(id).copied()
    }

    /// The slots in use, ascending.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        self.iter().map(|(slot, _)| slot)
    }

    /// The nodes with their slots, in the order of the slots.
    pub fn iter(&self) -> impl Iterator<Item = (Slot, &Node)> {
        (0..)
            .zip(&self.slots)
            .filter_map(|(index, member)| Some((Slot::new(index)?, &member.as_ref()?.node)))
    }

    /// The slots in the order of their nodes' ids: the canonical order.
    pub fn by_id(&self) -> impl Iterator<Item = Slot> + '_ {
        self.by_id.values().copied()
    }

    /// The slots in the order in which their nodes were listed.
    #[must_use]
    pub fn listed(&self) -> Vec<Slot> {
        let mut slots: Vec<Slot> = self.slots().collect();
        slots.sort_by(|&a, &b| self.cmp_listing(a, b));
        slots
    }

    /// The nodes in the order in which they were listed.
    ///
    /// ```
    /// use keyroute_core::{Members, Node};
    ///
    /// let members = Members::from_nodes([Node::new("b")?, Node::new("a")?])?;
    /// let ids: Vec<&str> = members.listed_nodes().map(|node| node.id().as_str()).collect();
    /// assert_eq!(ids, ["b", "a"]);
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    pub fn listed_nodes(&self) -> impl Iterator<Item = &Node> {
        self.listed().into_iter().filter_map(|slot| self.get(slot))
    }

    /// Compares two members by id. Slots that are not in use come last.
    #[must_use]
    pub fn cmp_id(&self, a: Slot, b: Slot) -> Ordering {
        self.cmp_by(a, b, |a, b| a.node.id().cmp(b.node.id()))
    }

    /// Compares two members by their place in the list. Slots that are not in use come last.
    #[must_use]
    pub fn cmp_listing(&self, a: Slot, b: Slot) -> Ordering {
        self.cmp_by(a, b, |a, b| a.listing.cmp(&b.listing))
    }

    /// In how many zones the nodes stand. Nodes without a zone stand together in one, which has no name.
    #[must_use]
    pub fn zones(&self) -> usize {
        self.zones.len()
    }

    /// The number of the zone of the node in this slot: equal for nodes that stand in one zone, different for
    /// others.
    ///
    /// Below [`MAX_NODES`](crate::MAX_NODES), and given again when the last node has left a zone. As a slot
    /// it is no identity: that is the zone's name.
    #[must_use]
    pub fn zone_number(&self, slot: Slot) -> Option<u32> {
        Some(self.member(slot)?.zone)
    }

    /// The sum of the weights.
    #[must_use]
    pub fn total_weight(&self) -> u64 {
        self.iter()
            .map(|(_, node)| u64::from(node.weight().get()))
            .sum()
    }

    /// Adds a node at the end of the list.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], or [`RouteError::TooManyNodes`] over
    /// [`MAX_NODES`](crate::MAX_NODES).
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let slot = match self.free.first() {
            Some(&slot) => slot,
            None => u32::try_from(self.slots.len())
                .ok()
                .and_then(Slot::new)
                .ok_or(TOO_MANY)?,
        };
        self.add_at(slot, node)?;
        Ok(slot)
    }

    /// Adds a node at the end of the list, under this slot: for strategies that number their nodes
    /// themselves.
    ///
    /// ```
    /// use keyroute_core::{Members, Node, Slot};
    ///
    /// let mut members = Members::new();
    /// let third = Slot::new(2).unwrap();
    /// members.add_at(third, Node::new("c")?)?;
    /// assert_eq!(members.slot_of("c"), Some(third));
    /// assert_eq!(members.add(Node::new("a")?)?.index(), 0);
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), [`RouteError::TooManyNodes`] for a slot past [`MAX_NODES`](crate::MAX_NODES),
    /// and [`RouteError::Parameter`] for a slot in use.
    pub fn add_at(&mut self, slot: Slot, node: Node) -> Result<(), RouteError> {
        self.check_new(&node)?;
        if slot.at() >= crate::MAX_NODES {
            return Err(TOO_MANY);
        }
        if self.member(slot).is_some() {
            return Err(RouteError::Parameter {
                name: "slot",
                given: slot.to_string(),
                accepted: "one that is not in use",
            });
        }
        for index in self.slots.len()..slot.at() {
            self.free
                .extend(u32::try_from(index).ok().and_then(Slot::new));
            self.slots.push(None);
        }
        self.by_id.insert(node.id().clone(), slot);
        let zone = self.zones.join(node.zone());
        let member = Some(Member {
            node,
            zone,
            listing: self.listings,
        });
        self.listings += 1;
        match self.slots.get_mut(slot.at()) {
            Some(place) => {
                *place = member;
                self.free.remove(&slot);
            }
            None => self.slots.push(member),
        }
        Ok(())
    }

    /// Says whether [`add`](Self::add) would accept this node.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn check_new(&self, node: &Node) -> Result<(), RouteError> {
        check_room(self.len())?;
        if self.by_id.contains_key(node.id()) {
            return Err(RouteError::AlreadyMember {
                id: node.id().clone(),
            });
        }
        Ok(())
    }

    /// Removes a node and frees its slot.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`].
    pub fn remove(&mut self, id: &str) -> Result<(Slot, Node), RouteError> {
        let slot = self.find(id)?;
        self.by_id.remove(id);
        let member = self.slots[slot.at()].take();
        if let Some(member) = &member {
            self.zones.leave(member.node.zone());
        }
        self.free.insert(slot);
        while let Some(None) = self.slots.last() {
            self.slots.pop();
            self.free.pop_last();
        }
        // A slot under a known id always holds its node.
        member
            .map(|member| (slot, member.node))
            .ok_or_else(|| not_member(id))
    }

    /// Changes a node's weight and keeps its slot and place; gives the old weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`].
    pub fn set_weight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let slot = self.find(id)?;
        let member = self.slots[slot.at()]
            .as_mut()
            .ok_or_else(|| not_member(id))?;
        let old = member.node.weight();
        member.node = member.node.clone().with_weight(weight);
        Ok(old)
    }

    /// The slot of the node with this id, or the error that says there is none.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`].
    pub fn find(&self, id: &str) -> Result<Slot, RouteError> {
        self.slot_of(id).ok_or_else(|| not_member(id))
    }

    /// The node with this id, or the error that says there is none.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`].
    pub fn node(&self, id: &str) -> Result<&Node, RouteError> {
        self.get(self.find(id)?).ok_or_else(|| not_member(id))
    }

    /// The bytes this holds on the heap, ids and zones included: exact for the table of slots, an
    /// estimate for the maps.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        // A name is an `Arc<str>`: two counts, and text up to the next whole word.
        let word = size_of::<usize>();
        let name = |text: &str| 2 * word + text.len().next_multiple_of(word);
        let names: usize = self
            .iter()
            .map(|(_, node)| {
                name(node.id().as_str()) + node.zone().map_or(0, |zone| name(zone.as_str()))
            })
            .sum();
        // B-tree nodes are on average about two thirds full.
        let map = self.by_id.len() * size_of::<(NodeId, Slot)>() * 3 / 2;
        let free = self.free.len() * size_of::<Slot>() * 3 / 2;
        let zones = self.zones.heap_bytes();
        self.slots.capacity() * size_of::<Option<Member>>() + map + free + zones + names
    }

    fn member(&self, slot: Slot) -> Option<&Member> {
        self.slots.get(slot.at())?.as_ref()
    }

    fn cmp_by(&self, a: Slot, b: Slot, by: impl Fn(&Member, &Member) -> Ordering) -> Ordering {
        match (self.member(a), self.member(b)) {
            (Some(x), Some(y)) => by(x, y).then(a.cmp(&b)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => a.cmp(&b),
        }
    }
}

const TOO_MANY: RouteError = RouteError::TooManyNodes {
    limit: crate::MAX_NODES as u64,
};

fn not_member(id: &str) -> RouteError {
    RouteError::NotMember { id: id.into() }
}

/// Shows the nodes in the order of the slots.
impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
