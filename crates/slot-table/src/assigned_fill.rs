//! [`AssignedFill`]: an operator says who owns what.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::mem::size_of;
use core::ops::RangeInclusive;

use keyroute_core::{
    Description, MemberOrder, Members, NodeId, OrderFree, Quoted, RouteError, Slot,
};

use crate::{Change, Fill, Partitioner, SlotTable};

/// Partitions that a node owns: `first` to `last`, both included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Assignment {
    /// The first partition.
    pub first: u32,
    /// The last partition.
    pub last: u32,
    /// Their node.
    pub node: NodeId,
}

/// Every partition goes where it was assigned: `slot-table/assigned/1`.
///
/// An assignment is complete and says each partition once, or the table is refused. Weights decide
/// nothing. A node that joins owns nothing until it is [assigned](SlotTable::assign) something, and a
/// node cannot leave while it owns anything: moving partitions is the operator's act, and what clients
/// must share.
///
/// ```
/// use keyroute_slot_table::{AssignedFill, Assignment, ByRange, Node, RouteError, SlotTable, hash::Xxh3};
///
/// let [a, b] = [Node::new("a")?, Node::new("b")?];
/// let fill = AssignedFill::new([
///     Assignment { first: 0, last: 511, node: a.id().clone() },
///     Assignment { first: 512, last: 1023, node: b.id().clone() },
/// ]);
/// let mut table = SlotTable::from_nodes_with(fill, ByRange::new(Xxh3, 1024)?, [a, b])?;
///
/// table.add(Node::new("c")?)?;
/// table.assign(512..=1023, "c")?;
/// assert_eq!(table.remove("b")?.id().as_str(), "b");
/// assert!(matches!(table.remove("a"), Err(RouteError::StillAssigned { partitions: 512, .. })));
/// # Ok::<(), RouteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(from = "Vec<Assignment>", into = "Vec<Assignment>")
)]
pub struct AssignedFill {
    /// By first partition; neighbours of one node are one.
    assignments: Vec<Assignment>,
}

impl AssignedFill {
    /// These assignments, in any order. Whether they are complete is seen when a table is made of them;
    /// without members there must be none.
    #[must_use]
    pub fn new(assignments: impl IntoIterator<Item = Assignment>) -> Self {
        assignments.into_iter().collect::<Vec<_>>().into()
    }

    /// The assignments by partition, neighbours of one node as one.
    #[must_use]
    pub fn assignments(&self) -> &[Assignment] {
        &self.assignments
    }
}

impl From<Vec<Assignment>> for AssignedFill {
    fn from(mut assignments: Vec<Assignment>) -> Self {
        assignments.sort_unstable();
        assignments.dedup_by(|next, before| {
            let joins = before.last.checked_add(1) == Some(next.first);
            let one = joins && before.node == next.node && next.first <= next.last;
            if one {
                before.last = next.last;
            }
            one
        });
        Self { assignments }
    }
}

impl From<AssignedFill> for Vec<Assignment> {
    fn from(fill: AssignedFill) -> Self {
        fill.assignments
    }
}

impl Fill for AssignedFill {
    const SCHEME: &'static str = "slot-table/assigned/1";
    const ORDER: MemberOrder = MemberOrder::ById;
    type Ranking = ();

    fn rank(&self, _members: &Members) {}

    fn fill(&self, members: &Members, (): &(), partitions: u32) -> Result<Vec<Slot>, RouteError> {
        let mut owners = Vec::new();
        let mut before: Option<&Assignment> = None;
        // The first partition that nobody has been given.
        let mut next = 0;
        for assignment in &self.assignments {
            let Assignment { first, last, node } = assignment;
            check_range(&(*first..=*last), partitions)?;
            let slot = members.find(node.as_str())?;
            if let Some(before) = before.filter(|before| before.last >= *first) {
                return Err(RouteError::AssignedTwice {
                    partition: *first,
                    to: [before.node.clone(), node.clone()],
                });
            }
            if *first > next {
                return Err(RouteError::Unassigned {
                    first: next,
                    last: first - 1,
                });
            }
            owners.extend((*first..=*last).map(|_| slot));
            next = last + 1;
            before = Some(assignment);
        }
        if next < partitions && !members.is_empty() {
            return Err(RouteError::Unassigned {
                first: next,
                last: partitions - 1,
            });
        }
        Ok(owners)
    }

    fn refill(
        &self,
        _members: &Members,
        (): &(),
        change: Change<'_>,
        owners: &[Slot],
    ) -> Result<Vec<Slot>, RouteError> {
        if let Change::Left(slot, node) = change {
            let owned = owners.iter().filter(|&&owner| owner == slot).count();
            if owned > 0 {
                return Err(RouteError::StillAssigned {
                    id: node.id().clone(),
                    partitions: u32::try_from(owned).unwrap_or(u32::MAX),
                });
            }
        }
        Ok(owners.to_vec())
    }

    fn describe(&self, description: &mut Description) {
        let mut text = String::new();
        for Assignment { first, last, node } in &self.assignments {
            // Writing to a string cannot fail. The quotes keep any id apart from the next range.
            let _ = write!(text, "{first}-{last} {} ", Quoted(node.as_str()));
        }
        description.field("assignment", text.trim_end());
    }

    fn heap_bytes(&self, (): &()) -> usize {
        self.assignments.capacity() * size_of::<Assignment>()
    }
}

impl<P: Partitioner> SlotTable<AssignedFill, P> {
    /// Gives these partitions to this node, whoever had them.
    ///
    /// Cost: O(M) for M partitions.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], [`RouteError::NoPartition`], or [`RouteError::Parameter`] for a range
    /// that ends before it begins. The table is as it was.
    pub fn assign(&mut self, partitions: RangeInclusive<u32>, id: &str) -> Result<(), RouteError> {
        let slot = self.members().find(id)?;
        check_range(&partitions, self.partitions())?;
        let owners = self.owners().enumerate().map(|(partition, owner)| {
            let given = u32::try_from(partition).is_ok_and(|it| partitions.contains(&it));
            if given { slot } else { owner }
        });
        let owners = owners.collect();
        self.set_owners(owners);
        let fill = AssignedFill::new(self.assignments());
        self.set_fill(fill);
        Ok(())
    }
}

impl<P: Partitioner> OrderFree for SlotTable<AssignedFill, P> {}

fn check_range(range: &RangeInclusive<u32>, partitions: u32) -> Result<(), RouteError> {
    let (&first, &last) = (range.start(), range.end());
    if first > last {
        return Err(RouteError::Parameter {
            name: "range of partitions",
            given: alloc::format!("{first} to {last}"),
            accepted: "one whose first is not over its last",
        });
    }
    if last >= partitions {
        return Err(RouteError::NoPartition {
            partition: last,
            partitions,
        });
    }
    Ok(())
}
