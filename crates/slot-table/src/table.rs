//! [`SlotTable`]: keys fall into partitions, nodes own partitions.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;

#[cfg(feature = "xxh3")]
use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    AddNode, Contender, Description, EntryPlace, Explanation, Fingerprint, HasherTag, KeyDigest,
    KeyHasher, Members, Node, NodeId, OwnedRange, Partitioned, Partitioning, Place, Ranges,
    Rebuild, RemoveNode, Reweight, Role, RouteDigest, RouteError, Router, Slot, Weight,
};

use crate::{Assignment, ByRange, Change, Fill, Partitioner, RendezvousFill};

/// A table of partitions and their owners.
///
/// A *partition* is a fixed part of all keys, which is owned, moved and listed as a whole. Keys find
/// their partition by a [`Partitioner`], partitions their node by a [`Fill`]:
///
/// | fill | owners | movement | replicas |
/// | --- | --- | --- | --- |
/// | [`RendezvousFill`], the default | by chance, following the weights | exactly what must move | yes |
/// | [`BoundedFill`](crate::BoundedFill) | never more than a limit | a little more | no |
/// | [`AssignedFill`](crate::AssignedFill) | as an operator says | as an operator says | no |
/// | [`BuraksezerFill`](crate::BuraksezerFill) | as `buraksezer/consistent` has them | more | its own |
///
/// | | cost |
/// | --- | --- |
/// | lookup | one hash, one multiplication or division, one load |
/// | a change | the fill's |
/// | memory | 4 bytes a partition, the members, and what the fill keeps |
///
/// ```
/// use keyroute_slot_table::{Node, SlotTable};
///
/// let mut table = SlotTable::from_ids(["db-1", "db-2", "db-3"])?;
/// let before = table.clone();
/// table.add(Node::new("db-4")?)?;
///
/// // Which partitions move, from whom to whom: a plan for moving data.
/// for step in before.diff(&table)? {
///     assert_eq!(step.to.unwrap(), "db-4");
/// }
/// # Ok::<(), keyroute_slot_table::RouteError>(())
/// ```
#[derive(Clone)]
pub struct SlotTable<F: Fill = RendezvousFill, P = ByRange> {
    fill: F,
    partitioner: P,
    tag: HasherTag,
    members: Members,
    ranking: F::Ranking,
    /// An owner a partition; empty without members.
    owners: Box<[Slot]>,
}

#[cfg(feature = "xxh3")]
impl SlotTable {
    /// No nodes, 16,384 partitions; keys and ids are hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with(
            RendezvousFill::<NativeHasher>::default(),
            ByRange::default(),
        )
    }

    /// These nodes, 16,384 partitions.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(RendezvousFill::default(), ByRange::default(), nodes)
    }

    /// Nodes with these ids, of weight 1, 16,384 partitions.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(RendezvousFill::default(), ByRange::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl Default for SlotTable {
    fn default() -> Self {
        Self::new()
    }
}

impl<F: Fill, P: Partitioner> SlotTable<F, P> {
    /// No nodes; partitions are owned as this fill says, keys fall into them as this partitioner says.
    #[must_use]
    pub fn with(fill: F, partitioner: P) -> Self {
        let tag = HasherTag::of(partitioner.hasher());
        let members = Members::new();
        let ranking = fill.rank(&members);
        Self {
            fill,
            partitioner,
            tag,
            members,
            ranking,
            owners: Box::default(),
        }
    }

    /// These nodes, under this fill and this partitioner.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], or what the fill refuses.
    pub fn from_nodes_with(
        fill: F,
        partitioner: P,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut table = Self::with(fill, partitioner);
        table.settle(Members::from_nodes(nodes)?, None)?;
        Ok(table)
    }

    /// Nodes with these ids, of weight 1, under this fill and this partitioner.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
    pub fn from_ids_with(
        fill: F,
        partitioner: P,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = ids.into_iter().map(Node::new).collect();
        Self::from_nodes_with(fill, partitioner, nodes?)
    }

    /// The slot of the node that owns this key; `None` without members.
    #[must_use]
    pub fn route(&self, key: &[u8]) -> Option<Slot> {
        self.owner_of(self.partition_of(key))
    }

    /// The id of the node that owns this key; `None` without members.
    #[must_use]
    pub fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        Router::route_id(self, key)
    }

    /// The nodes and their slots.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.members
    }

    /// What two processes compare to know that they answer alike.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Router::fingerprint(self)
    }

    /// The fill.
    #[must_use]
    pub fn fill(&self) -> &F {
        &self.fill
    }

    /// The partitioner.
    #[must_use]
    pub fn partitioner(&self) -> &P {
        &self.partitioner
    }

    /// How many partitions there are.
    #[must_use]
    pub fn partitions(&self) -> u32 {
        self.partitioner.partitions()
    }

    /// The partition that this key falls into, whoever owns it.
    #[must_use]
    pub fn partition_of(&self, key: &[u8]) -> u32 {
        self.partitioner
            .partition(self.partitioner.hasher().hash(key))
    }

    /// The owner of this partition; `None` without members, and for numbers over the last.
    #[must_use]
    pub fn owner_of(&self, partition: u32) -> Option<Slot> {
        self.owners.get(partition as usize).copied()
    }

    /// Why this key goes where it goes: its partition, that one's owner, and the next nodes where the fill has an
    /// order of them.
    #[must_use]
    pub fn explain(&self, key: &[u8]) -> Explanation {
        Router::explain(self, key)
    }

    /// The owner of each partition, in their order; without members none.
    pub fn owners(&self) -> impl ExactSizeIterator<Item = Slot> + '_ {
        self.owners.iter().copied()
    }

    /// Who owns what, as ranges of partitions in their order, neighbours of one owner as one. An
    /// [`AssignedFill`](crate::AssignedFill) of them gives the same owners.
    #[must_use]
    pub fn assignments(&self) -> Vec<Assignment> {
        let mut assignments: Vec<Assignment> = Vec::new();
        let mut before = None;
        for (partition, owner) in (0..).zip(self.owners()) {
            match assignments.last_mut() {
                Some(assignment) if before == Some(owner) => assignment.last = partition,
                _ => assignments.extend(self.members.get(owner).map(|node| Assignment {
                    first: partition,
                    last: partition,
                    node: node.id().clone(),
                })),
            }
            before = Some(owner);
        }
        assignments
    }

    /// How many partitions each member owns, by slot.
    pub fn partitions_by_slot(&self) -> impl Iterator<Item = (Slot, u32)> + '_ {
        let mut counts = alloc::vec![0; self.members.slot_bound()];
        for owner in self.owners() {
            counts[owner.index() as usize] += 1;
        }
        let slots = self.members.slots();
        slots.map(move |slot| (slot, counts[slot.index() as usize]))
    }

    /// Adds a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], or what the fill refuses. The table
    /// is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let mut members = self.members.clone();
        let slot = members.add(node)?;
        self.settle(members, Some(Change::Joined(slot)))?;
        Ok(slot)
    }

    /// Removes a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], or what the fill refuses. The table is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let mut members = self.members.clone();
        let (slot, node) = members.remove(id)?;
        self.settle(members, Some(Change::Left(slot, &node)))?;
        Ok(node)
    }

    /// Changes a node's weight; gives the old one.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], or what the fill refuses. The table is as it was.
    pub fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let mut members = self.members.clone();
        let slot = members.find(id)?;
        let old = members.set_weight(id, weight)?;
        let change = if weight < old {
            Change::Lowered(slot)
        } else {
            Change::Raised(slot)
        };
        self.settle(members, Some(change))?;
        Ok(old)
    }

    /// Replaces the members.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The table is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.settle(Members::from_nodes(nodes.iter().cloned())?, None)
    }

    pub(crate) fn ranking(&self) -> &F::Ranking {
        &self.ranking
    }

    pub(crate) fn tag(&self) -> HasherTag {
        self.tag
    }

    pub(crate) fn set_owners(&mut self, owners: Vec<Slot>) {
        self.owners = owners.into();
    }

    pub(crate) fn set_fill(&mut self, fill: F) {
        self.fill = fill;
    }

    /// Puts these members and their partitions in place of the present ones.
    fn settle(&mut self, members: Members, change: Option<Change<'_>>) -> Result<(), RouteError> {
        let ranking = self.fill.rank(&members);
        let owners = match change {
            // An empty table has no owners to go on from.
            Some(change) if !self.owners.is_empty() => {
                self.fill.refill(&members, &ranking, change, &self.owners)
            }
            _ => self.fill.fill(&members, &ranking, self.partitions()),
        }?;
        self.set_owners(owners);
        self.members = members;
        self.ranking = ranking;
        Ok(())
    }
}

impl<F: Fill, P: Partitioner> Router for SlotTable<F, P> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.owner_of(self.partition_of(key))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new(F::SCHEME, F::ORDER);
        self.fill.describe(&mut description);
        description.hasher("key_hasher", self.partitioner.hasher());
        description.field("partitions", self.partitions());
        description.field("partitioner", P::RULE);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes()
            + self.owners.len() * size_of::<Slot>()
            + self.fill.heap_bytes(&self.ranking)
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let hasher = self.partitioner.hasher();
        let digest = hasher.hash(key);
        let partition = self.partitioner.partition(digest);
        let why = Explanation::of(self, key).hashed(hasher, digest);
        let Some(owner) = self.owner_of(partition) else {
            return why;
        };
        let place = EntryPlace {
            name: "partition",
            number: partition.into(),
            of: self.partitions().into(),
            rule: P::RULE.into(),
            digests: self.partitioner.digests(partition),
            owned: None,
        };
        let order = self
            .fill
            .preferred(&self.ranking, partition, next.saturating_add(1));
        let contenders = order.into_iter().filter_map(|(slot, fact)| {
            let role = if slot == owner {
                Role::Owner
            } else {
                Role::Next
            };
            let contender = Contender::new(&self.members, slot, role)?;
            Some(match fact {
                Some(fact) => contender.with(fact),
                None => contender,
            })
        });
        let contenders: Vec<Contender> = contenders.collect();
        let why = why.placed(Place::Entry(place.owned_by(owner, self.owners())));
        if contenders.is_empty() {
            why
        } else {
            why.contended(contenders)
        }
    }
}

impl<F: Fill, P: Partitioner> RouteDigest for SlotTable<F, P> {
    type Width = <P::Hasher as KeyHasher>::Out;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<Self::Width> {
        KeyDigest::new(self.tag, self.partitioner.hasher().hash(key))
    }

    fn route_value(&self, value: Self::Width) -> Option<Slot> {
        self.owner_of(self.partitioner.partition(value))
    }
}

impl<F: Fill, H: KeyHasher<Out = u64>> Ranges for SlotTable<F, ByRange<H>> {
    type Width = u64;

    fn ranges(&self) -> Vec<OwnedRange<u64>> {
        self.partitioner.parts().ranges(self.owners())
    }
}

impl<F: Fill, P: Partitioner> Partitioned for SlotTable<F, P> {
    fn partitioning(&self) -> Partitioning {
        Partitioning::new(self.partitions(), P::RULE, self.tag)
    }

    fn partition_of(&self, key: &[u8]) -> u32 {
        self.partition_of(key)
    }

    fn partition_owner(&self, partition: u32) -> Option<Slot> {
        self.owner_of(partition)
    }
}

impl<F: Fill, P: Partitioner> AddNode for SlotTable<F, P> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.add(node)
    }
}

impl<F: Fill, P: Partitioner> RemoveNode for SlotTable<F, P> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.remove(id)
    }
}

impl<F: Fill, P: Partitioner> Reweight for SlotTable<F, P> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        self.reweight(id, weight)
    }
}

impl<F: Fill, P: Partitioner> Rebuild for SlotTable<F, P> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.rebuild(nodes)
    }
}

impl<F: Fill, P: Partitioner> fmt::Debug for SlotTable<F, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlotTable")
            .field("scheme", &F::SCHEME)
            .field("partitions", &self.partitions())
            .field("members", &self.members)
            .finish_non_exhaustive()
    }
}
