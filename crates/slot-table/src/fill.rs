//! [`Fill`]: which node owns which partition.

use alloc::vec::Vec;

use keyroute_core::hash::mix64;
use keyroute_core::{Description, Fact, MemberOrder, Members, Node, RouteError, Slot};

/// How nodes come to own partitions.
///
/// Implementors: owners must depend on what [`describe`](Self::describe) says, on the members (and, if
/// [`ORDER`](Self::ORDER) says so, on the order of their listing), and on nothing else: in particular
/// not on the owners of before, save where an operator's word is what decides.
pub trait Fill {
    /// The table's scheme with its revision, as `slot-table/rendezvous/1`.
    const SCHEME: &'static str;
    /// Whether the order of listing decides owners.
    const ORDER: MemberOrder;

    /// What is kept of the members beside the owners, made anew at each change; `()` for nothing.
    type Ranking: Clone;

    /// What is kept of these members.
    fn rank(&self, members: &Members) -> Self::Ranking;

    /// The owner of each of so many partitions, in their order; an empty list without members.
    ///
    /// # Errors
    ///
    /// What the fill refuses.
    fn fill(
        &self,
        members: &Members,
        ranking: &Self::Ranking,
        partitions: u32,
    ) -> Result<Vec<Slot>, RouteError>;

    /// The owners after a change: what [`fill`](Self::fill) gives, but a fill may know a shorter way
    /// from the
    /// `owners` of before, of which there are as many as partitions.
    ///
    /// # Errors
    ///
    /// What the fill refuses.
    fn refill(
        &self,
        members: &Members,
        ranking: &Self::Ranking,
        change: Change<'_>,
        owners: &[Slot],
    ) -> Result<Vec<Slot>, RouteError> {
        let _ = change;
        // Partitions are far below u32::MAX.
        let partitions = u32::try_from(owners.len()).unwrap_or(u32::MAX);
        self.fill(members, ranking, partitions)
    }

    /// The first `n` nodes that a partition prefers, its owner first, and what each has: for explanations. None
    /// where there is no order of nodes.
    fn preferred(
        &self,
        _ranking: &Self::Ranking,
        _partition: u32,
        _n: usize,
    ) -> Vec<(Slot, Option<Fact>)> {
        Vec::new()
    }

    /// Says its parameters and hashers.
    fn describe(&self, description: &mut Description);

    /// The bytes that this holds on the heap, with this ranking.
    fn heap_bytes(&self, ranking: &Self::Ranking) -> usize {
        let _ = ranking;
        0
    }
}

/// A change of one node. The members are those after it.
#[derive(Clone, Copy, Debug)]
pub enum Change<'a> {
    /// The node in this slot has joined.
    Joined(Slot),
    /// This node has left this slot.
    Left(Slot, &'a Node),
    /// The node in this slot has more weight than before, or as much.
    Raised(Slot),
    /// The node in this slot has less weight than before.
    Lowered(Slot),
}

/// The digest for which nodes draw a partition: the mixed number, since no key's digest says anything
/// of it.
pub(crate) fn partition_digest(partition: u32) -> u64 {
    // One more, because 0 stays 0 when it is mixed.
    mix64(u64::from(partition) + 1)
}
