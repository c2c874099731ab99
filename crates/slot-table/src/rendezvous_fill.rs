//! [`RendezvousFill`]: each partition is drawn for, as keys are in rendezvous hashing.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    Candidates, Description, Fact, KeyHasher, MemberOrder, Members, OrderFree, OwnedRange,
    RouteError, Slot, SlotSet, Walk, WalkDigest, WalkExt, WalkRanges,
};

use crate::fill::partition_digest;
use crate::{ByRange, Change, Fill, Partitioner, SlotTable};

/// Every partition goes to the node that rendezvous prefers for it: `slot-table/rendezvous/1`.
///
/// A node of weight w gets each partition with a chance of w ÷ W, so counts differ as chance has it: by
/// √(n ÷ M) relative, for n equal nodes and M partitions. A change moves exactly the partitions that
/// must move, whichever node joins, leaves or changes its weight. The preference order of a partition
/// is that of its keys, so such a table can [`Walk`], and its replicas are as stable as its owners.
///
/// A node whose share is around one partition may get none. It is a replica all the same;
/// [`partitions_by_slot`](SlotTable::partitions_by_slot) shows it.
///
/// | change | cost, n nodes, M partitions |
/// | --- | --- |
/// | rebuild | n × M draws |
/// | add, or raise a weight | n hashes, 2 × M draws |
/// | remove, or lower a weight | n hashes, n draws for each partition that the node owned |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct RendezvousFill<H = NativeHasher> {
    hasher: H,
}

impl<H: KeyHasher<Out = u64>> RendezvousFill<H> {
    /// Ids are hashed with this function.
    #[must_use]
    pub fn new(hasher: H) -> Self {
        Self { hasher }
    }
}

impl<H: KeyHasher<Out = u64>> Fill for RendezvousFill<H> {
    const SCHEME: &'static str = "slot-table/rendezvous/1";
    const ORDER: MemberOrder = MemberOrder::ById;
    type Ranking = Candidates;

    fn rank(&self, members: &Members) -> Candidates {
        Candidates::new(&self.hasher, members)
    }

    fn fill(
        &self,
        _members: &Members,
        candidates: &Candidates,
        partitions: u32,
    ) -> Result<Vec<Slot>, RouteError> {
        let best = |partition| candidates.best(partition_digest(partition));
        Ok((0..partitions).filter_map(best).collect())
    }

    fn refill(
        &self,
        _members: &Members,
        candidates: &Candidates,
        change: Change<'_>,
        owners: &[Slot],
    ) -> Result<Vec<Slot>, RouteError> {
        let digests = (0..).map(partition_digest);
        let held = digests.zip(owners.iter().copied());
        Ok(match change {
            Change::Joined(slot) | Change::Raised(slot) => {
                let beats = candidates.challenge(slot);
                held.map(|(digest, owner)| if beats(digest, owner) { slot } else { owner })
                    .collect()
            }
            Change::Left(slot, _) | Change::Lowered(slot) => held
                .filter_map(|(digest, owner)| {
                    if owner == slot {
                        candidates.best(digest)
                    } else {
                        Some(owner)
                    }
                })
                .collect(),
        })
    }

    fn preferred(
        &self,
        candidates: &Candidates,
        partition: u32,
        n: usize,
    ) -> Vec<(Slot, Option<Fact>)> {
        let digest = partition_digest(partition);
        let mut order = Vec::new();
        candidates.walk(digest, &mut SlotSet::new(), &mut |slot| {
            order.push((slot, candidates.fact(digest, slot)));
            if order.len() < n {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        order
    }

    fn describe(&self, description: &mut Description) {
        description.hasher("node_hasher", &self.hasher);
    }

    fn heap_bytes(&self, candidates: &Candidates) -> usize {
        candidates.heap_bytes()
    }
}

impl<H: KeyHasher<Out = u64>, P: Partitioner> SlotTable<RendezvousFill<H>, P> {
    /// The first `n` nodes of the key's order, the owner first.
    #[must_use]
    pub fn replicas(&self, key: &[u8], n: usize) -> Vec<Slot> {
        WalkExt::replicas(self, key, n)
    }

    /// The first node of the key's order that satisfies the predicate.
    pub fn first_where(&self, key: &[u8], accept: impl FnMut(Slot) -> bool) -> Option<Slot> {
        WalkExt::first_where(self, key, accept)
    }
}

impl<H: KeyHasher<Out = u64>, P: Partitioner> Walk for SlotTable<RendezvousFill<H>, P> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.walk_value_with(self.partitioner().hasher().hash(key), seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>, P: Partitioner> WalkDigest for SlotTable<RendezvousFill<H>, P> {
    fn walk_value_with(
        &self,
        value: <P::Hasher as KeyHasher>::Out,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        let digest = partition_digest(self.partitioner().partition(value));
        self.ranking().walk(digest, seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>, K: KeyHasher<Out = u64>> WalkRanges
    for SlotTable<RendezvousFill<H>, ByRange<K>>
{
    fn walk_ranges(&self) -> Vec<OwnedRange<u64>> {
        self.partitioner().parts().each(self.owners())
    }
}

impl<H: KeyHasher<Out = u64>, P: Partitioner> OrderFree for SlotTable<RendezvousFill<H>, P> {}
