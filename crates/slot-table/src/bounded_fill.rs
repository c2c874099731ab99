//! [`BoundedFill`]: no node owns more partitions than its limit.

use alloc::vec::Vec;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    Candidates, Description, KeyHasher, MemberOrder, Members, OrderFree, RouteError, Slot, SlotSet,
    Weight,
};

use crate::fill::partition_digest;
use crate::{Fill, Partitioner, SlotTable};

/// Every partition goes to the node that rendezvous prefers for it among those that have room:
/// `slot-table/bounded/1`.
///
/// A node of weight w has room for ⌈c × M × w ÷ W⌉ of M partitions, W being the sum of the weights and
/// c the *load*: 1.25 unless said. That many it never exceeds, and since these limits add up to M at
/// least, every partition finds a node. With c = 1 counts are as even as numbers can be.
///
/// What is bounded is the partitions of a node, not its keys: how many of those fall into a partition
/// is chance, and how many are asked for, the clients' business (for that, see bounded loads).
///
/// Partitions are placed in one fixed order, that of their mixed numbers, so the table depends on the
/// members alone. A change moves more than it must: those that a limit sends elsewhere. **There is no
/// preference order**, hence no replicas. Any change costs n × M draws.
///
/// ```
/// use keyroute_slot_table::{BoundedFill, ByRange, Node, SlotTable, hash::Xxh3};
///
/// let nodes = [Node::new("a")?, Node::new("b")?, Node::new("c")?];
/// let fill = BoundedFill::new(Xxh3).with_load(1_100)?;
/// let table = SlotTable::from_nodes_with(fill, ByRange::new(Xxh3, 1000)?, nodes)?;
/// assert!(table.partitions_by_slot().all(|(slot, count)| Some(count) <= table.limit_of(slot)));
/// assert_eq!(table.limit_of(table.members().slot_of("a").unwrap()), Some(367)); // ⌈1.1 × 1000 ÷ 3⌉
/// # Ok::<(), keyroute_slot_table::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BoundedFill<H = NativeHasher> {
    hasher: H,
    load: Load,
}

impl<H: KeyHasher<Out = u64>> BoundedFill<H> {
    /// Ids are hashed with this function; the load is 1.25.
    #[must_use]
    pub fn new(hasher: H) -> Self {
        Self {
            hasher,
            load: Load::default(),
        }
    }

    /// The same fill with this load, in thousandths of an even share.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is 1,000 to 1,000,000.
    pub fn with_load(mut self, thousandths: u32) -> Result<Self, RouteError> {
        self.load = Load::new(thousandths)?;
        Ok(self)
    }

    /// The most partitions of a node of this weight, where all weights add up to `total`.
    fn limit(&self, weight: Weight, total: u64, partitions: u32) -> u32 {
        let share = u128::from(self.load.0) * u128::from(partitions) * u128::from(weight.get());
        let limit = share.div_ceil(1000 * u128::from(total.max(1)));
        // Over u32 only with a load over the number of nodes, when nothing is limited.
        u32::try_from(limit).unwrap_or(u32::MAX)
    }
}

impl<H: KeyHasher<Out = u64>> Fill for BoundedFill<H> {
    const SCHEME: &'static str = "slot-table/bounded/1";
    const ORDER: MemberOrder = MemberOrder::ById;
    // Every change draws anew, so nothing is kept.
    type Ranking = ();

    fn rank(&self, _members: &Members) {}

    fn fill(&self, members: &Members, (): &(), partitions: u32) -> Result<Vec<Slot>, RouteError> {
        let candidates = Candidates::new(&self.hasher, members);
        let total = members.total_weight();
        let mut room = alloc::vec![0; members.slot_bound()];
        for (slot, node) in members.iter() {
            room[slot.index() as usize] = self.limit(node.weight(), total, partitions);
        }
        let mut order: Vec<(u64, u32)> = (0..partitions)
            .map(|partition| (partition_digest(partition), partition))
            .collect();
        order.sort_unstable();

        let mut full = SlotSet::new();
        let mut placed = Vec::with_capacity(order.len());
        for (digest, partition) in order {
            // Limits add up to the number of partitions at least, so somebody has room.
            let Some(slot) = candidates.best_outside(digest, &full) else {
                break;
            };
            placed.push((partition, slot));
            let room = &mut room[slot.index() as usize];
            *room -= 1;
            if *room == 0 {
                full.insert(slot);
            }
        }
        placed.sort_unstable();
        Ok(placed.into_iter().map(|(_, slot)| slot).collect())
    }

    fn describe(&self, description: &mut Description) {
        description.hasher("node_hasher", &self.hasher);
        description.field("load_thousandths", self.load.0);
    }
}

impl<H: KeyHasher<Out = u64>, P: Partitioner> SlotTable<BoundedFill<H>, P> {
    /// The most partitions that the node in this slot may own.
    #[must_use]
    pub fn limit_of(&self, slot: Slot) -> Option<u32> {
        let (members, partitions) = (self.members(), self.partitions());
        let weight = members.get(slot)?.weight();
        Some(
            self.fill()
                .limit(weight, members.total_weight(), partitions),
        )
    }
}

impl<H: KeyHasher<Out = u64>, P: Partitioner> OrderFree for SlotTable<BoundedFill<H>, P> {}

/// A load in thousandths: 1,000 to 1,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "u32", into = "u32"))]
pub(crate) struct Load(pub(crate) u32);

impl Load {
    pub(crate) fn new(thousandths: u32) -> Result<Self, RouteError> {
        if !(1000..=1_000_000).contains(&thousandths) {
            return Err(RouteError::Parameter {
                name: "load",
                given: alloc::format!("{thousandths} thousandths"),
                accepted: "1000 (an even share) to 1000000",
            });
        }
        Ok(Self(thousandths))
    }
}

impl Default for Load {
    fn default() -> Self {
        Self(1250)
    }
}

impl TryFrom<u32> for Load {
    type Error = RouteError;

    fn try_from(given: u32) -> Result<Self, RouteError> {
        Self::new(given)
    }
}

impl From<Load> for u32 {
    fn from(load: Load) -> Self {
        load.0
    }
}
