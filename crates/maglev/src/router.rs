//! [`Maglev`]: a table that nodes fill in turn.

use alloc::vec::Vec;
use core::fmt;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    AddNode, Description, EntryPlace, EqualParts, Explanation, HasherTag, KeyDigest, KeyHasher,
    MemberOrder, Members, Node, NodeLabel, OrderFree, OwnedRange, Partitioned, Partitioning, Place,
    Ranges, Rebuild, RemoveNode, Reweight, RouteDigest, RouteError, Router, Slot, Weight,
};

use crate::owners::Owners;
use crate::{Permutation, TableSize, fill, turns};

/// Maglev hashing: `maglev/1`.
///
/// A table whose entries the nodes take in turn, each by a permutation of its own. A key's entry is
/// found by one multiplication, so a lookup costs the hash and a load, whatever the number of nodes.
/// Shares are as even as a table can be: with equal weights the nodes' entries differ by at most one,
/// with weights each node has M × w ÷ W of the M entries, give or take less than one.
///
/// The price is paid by changes. Each makes the table anew, and beside the entries that must move some
/// move needlessly ([`movement`](Self::movement) counts them). **There is no preference order**, hence
/// no replicas: the next node in the table would be distinct, but would change when some other node
/// leaves.
///
/// | | cost, n nodes, M entries |
/// | --- | --- |
/// | lookup | one hash, one multiplication, one load |
/// | any change | M turns of 10 to 13 probes; with c different weights O(log c) more a turn |
/// | memory | 2 bytes an entry, 4 beyond 65,536 nodes, and the members |
///
/// Nodes are taken in the order of their ids, so tables agree wherever they are made. Keys and ids go
/// through one hasher of 64 bits; a 32-bit one through [`hash::Mixed`](keyroute_core::hash::Mixed).
///
/// A node whose share would be less than one entry is refused by [`RouteError::NoEntry`], which says
/// what size would do; without members there is nothing to refuse.
///
/// ```
/// use keyroute_maglev::{Maglev, Node, Weight};
///
/// let mut router = Maglev::from_ids(["backend-1", "backend-2", "backend-3"])?;
/// println!("user:1 goes to {}", router.route_id(b"user:1").unwrap());
///
/// router.add(Node::new("backend-4")?.with_weight(Weight::new(3)?))?;
/// let slot = router.members().slot_of("backend-4").unwrap();
/// assert_eq!(router.entries().filter(|&owner| owner == slot).count(), 65_537 / 2);
/// # Ok::<(), keyroute_maglev::RouteError>(())
/// ```
///
/// Replicas do not compile:
///
/// ```compile_fail,E0599
/// use keyroute_maglev::{Maglev, WalkExt};
///
/// let router = Maglev::from_ids(["backend-1", "backend-2"]).unwrap();
/// router.replicas(b"user:1", 2);
/// ```
#[derive(Clone)]
pub struct Maglev<H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    size: TableSize,
    members: Members,
    /// An owner an entry; empty without members.
    entries: Owners,
}

#[cfg(feature = "xxh3")]
impl Maglev {
    /// No nodes, a table of 65,537 entries; keys and ids are hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(NativeHasher::default(), TableSize::default())
    }

    /// These nodes in a table of 65,537 entries.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(NativeHasher::default(), TableSize::default(), nodes)
    }

    /// Nodes with these ids, of weight 1, in a table of 65,537 entries.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(NativeHasher::default(), TableSize::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl Default for Maglev {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: KeyHasher<Out = u64>> Maglev<H> {
    /// No nodes; keys and ids are hashed with this function, the table has this size.
    #[must_use]
    pub fn with_hasher(hasher: H, size: TableSize) -> Self {
        let tag = HasherTag::of(&hasher);
        Self {
            hasher,
            tag,
            size,
            members: Members::new(),
            entries: Owners::default(),
        }
    }

    /// These nodes; keys and ids are hashed with this function, the table has this size.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::NoEntry`].
    ///
    /// ```
    /// use keyroute_maglev::{Maglev, Node, RouteError, TableSize, hash::Xxh3};
    ///
    /// let size = TableSize::new(1021)?;
    /// let router = Maglev::from_nodes_with(Xxh3, size, [Node::new("a")?, Node::new("b")?])?;
    /// assert_eq!(router.entries().count(), 1021);
    ///
    /// let many = (0..2000).map(|i| Node::new(format!("n{i}")));
    /// let refusal = Maglev::from_nodes_with(Xxh3, size, many.collect::<Result<Vec<_>, _>>()?).unwrap_err();
    /// assert!(matches!(refusal, RouteError::NoEntry { size: 1021, needed: Some(2003), .. }));
    /// # Ok::<(), RouteError>(())
    /// ```
    pub fn from_nodes_with(
        hasher: H,
        size: TableSize,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut router = Self::with_hasher(hasher, size);
        router.build(Members::from_nodes(nodes)?)?;
        Ok(router)
    }

    /// Nodes with these ids, of weight 1; keys and ids are hashed with this function, the table has this
    /// size.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
    pub fn from_ids_with(
        hasher: H,
        size: TableSize,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = ids.into_iter().map(Node::new).collect();
        Self::from_nodes_with(hasher, size, nodes?)
    }

    keyroute_core::inherent_lookups!();

    /// The hasher of keys and ids.
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// How many entries the table has.
    #[must_use]
    pub fn table_size(&self) -> TableSize {
        self.size
    }

    /// The owner of each entry, in their order: [`table_size`](Self::table_size) of them, without
    /// members none.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = Slot> + '_ {
        self.entries.iter()
    }

    /// The owner of this entry; `None` without members, and for numbers over the table's size.
    #[inline]
    #[must_use]
    pub fn owner_of(&self, entry: u32) -> Option<Slot> {
        self.entries.get(entry)
    }

    /// Adds a node. Keys move to it, and some between others.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::NoEntry`]. The router
    /// is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        AddNode::add(self, node)
    }

    /// Removes a node. Its keys move, and some between others.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        RemoveNode::remove(self, id)
    }

    /// Changes a node's weight. Keys move to it or from it, and some between others. Gives the old
    /// weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], [`RouteError::NoEntry`]. The router is as it was.
    pub fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        Reweight::reweight(self, id, weight)
    }

    /// Replaces the members: many changes for the price of one.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The router is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        Rebuild::rebuild(self, nodes)
    }

    pub(crate) fn tag(&self) -> HasherTag {
        self.tag
    }

    fn parts(&self) -> EqualParts {
        EqualParts::new(self.size.non_zero())
    }

    /// Puts these members and their table in place of the present ones.
    fn build(&mut self, members: Members) -> Result<(), RouteError> {
        let nodes: Vec<(Slot, &Node)> = members
            .by_id()
            .filter_map(|slot| Some((slot, members.get(slot)?)))
            .collect();
        self.check_shares(&nodes)?;
        let weights: Vec<u32> = nodes.iter().map(|(_, node)| node.weight().get()).collect();
        let permutations: Vec<Permutation> = nodes
            .iter()
            .map(|(_, node)| {
                let mut label = NodeLabel::new(node.id());
                let [offset, skip] = [0, 1].map(|index| label.hash(&self.hasher, index));
                Permutation::new(self.size, offset, skip)
            })
            .collect();
        // Without members nobody takes a turn, and there is no table.
        let takers = fill(self.size, &permutations, turns(&weights)).unwrap_or_default();
        let slots = takers
            .into_iter()
            .filter_map(|taker| Some(nodes.get(taker as usize)?.0));
        self.entries = Owners::new(slots.collect());
        self.members = members;
        Ok(())
    }

    /// Fails if a node's share of the table is less than an entry: from one entry on it gets one.
    fn check_shares(&self, nodes: &[(Slot, &Node)]) -> Result<(), RouteError> {
        let weight = |node: &Node| u64::from(node.weight().get());
        let total: u64 = nodes.iter().map(|(_, node)| weight(node)).sum();
        let Some((_, least)) = nodes.iter().min_by_key(|(_, node)| node.weight()) else {
            return Ok(());
        };
        let needed = total.div_ceil(weight(least));
        if u64::from(self.size.get()) < needed {
            return Err(RouteError::NoEntry {
                id: least.id().clone(),
                size: self.size.get(),
                needed: TableSize::at_least(needed).map(TableSize::get),
            });
        }
        Ok(())
    }
}

impl<H: KeyHasher<Out = u64>> Router for Maglev<H> {
    #[inline]
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("maglev/1", MemberOrder::ById);
        description.hasher("hasher", &self.hasher);
        description.field("table_size", self.size);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.entries.heap_bytes()
    }

    /// There is no next node: there is no order of nodes.
    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let digest = self.hasher.hash(key);
        let entry = self.parts().of(digest);
        let why = Explanation::of(self, key).hashed(&self.hasher, digest);
        match self.owner_of(entry) {
            None => why,
            Some(owner) => why.placed(Place::Entry(
                EntryPlace::in_parts("entry", self.parts(), digest).owned_by(owner, self.entries()),
            )),
        }
    }
}

impl<H: KeyHasher<Out = u64>> RouteDigest for Maglev<H> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    #[inline]
    fn route_value(&self, value: u64) -> Option<Slot> {
        self.owner_of(self.parts().of(value))
    }
}

impl<H: KeyHasher<Out = u64>> Ranges for Maglev<H> {
    type Width = u64;

    fn ranges(&self) -> Vec<OwnedRange<u64>> {
        self.parts().ranges(self.entries())
    }
}

impl<H: KeyHasher<Out = u64>> Partitioned for Maglev<H> {
    fn partitioning(&self) -> Partitioning {
        Partitioning::new(self.size.get(), "ranges", self.tag)
    }

    fn partition_of(&self, key: &[u8]) -> u32 {
        self.parts().of(self.hasher.hash(key))
    }

    fn partition_owner(&self, partition: u32) -> Option<Slot> {
        self.owner_of(partition)
    }
}

impl<H: KeyHasher<Out = u64>> AddNode for Maglev<H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let mut members = self.members.clone();
        let slot = members.add(node)?;
        self.build(members)?;
        Ok(slot)
    }
}

impl<H: KeyHasher<Out = u64>> RemoveNode for Maglev<H> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let mut members = self.members.clone();
        let (_, node) = members.remove(id)?;
        self.build(members)?;
        Ok(node)
    }
}

impl<H: KeyHasher<Out = u64>> Reweight for Maglev<H> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let mut members = self.members.clone();
        let old = members.set_weight(id, weight)?;
        self.build(members)?;
        Ok(old)
    }
}

impl<H: KeyHasher<Out = u64>> Rebuild for Maglev<H> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.build(Members::from_nodes(nodes.iter().cloned())?)
    }
}

impl<H: KeyHasher<Out = u64>> OrderFree for Maglev<H> {}

impl<H> fmt::Debug for Maglev<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Maglev")
            .field("hasher", &self.tag)
            .field("table_size", &self.size)
            .field("members", &self.members)
            .finish()
    }
}
