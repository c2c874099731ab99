//! [`PartitionMove`]: which partitions move between two tables.

use alloc::vec::Vec;
use core::fmt;

use keyroute_core::{NodeId, RouteError, Slot};

use crate::{Fill, Partitioner, SlotTable};

/// Partitions that change hands, neighbours with the same two nodes as one: `first` to `last`, both
/// included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionMove {
    /// The first partition.
    pub first: u32,
    /// The last partition.
    pub last: u32,
    /// Their owner before; `None` if the table had no members.
    pub from: Option<NodeId>,
    /// Their owner after; `None` if the table has no members.
    pub to: Option<NodeId>,
}

/// `512-1023: "a" to "b"`.
impl fmt::Display for PartitionMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |f: &mut fmt::Formatter<'_>, id: &Option<NodeId>| match id {
            Some(id) => write!(f, "{id:?}"),
            None => f.write_str("nobody"),
        };
        write!(f, "{}-{}: ", self.first, self.last)?;
        name(f, &self.from)?;
        f.write_str(" to ")?;
        name(f, &self.to)
    }
}

impl<F: Fill, P: Partitioner> SlotTable<F, P> {
    /// The partitions that move between this table and another, in their order. Nodes are known by
    /// their ids; the fills may differ.
    ///
    /// `keyroute-plan` says the same between any two routers with partitions or ranges, in bytes and in phases.
    ///
    /// Cost: O(M + n log n) for M partitions and n nodes.
    ///
    /// # Errors
    ///
    /// [`RouteError::Incomparable`] unless both have as many partitions and one hasher of keys.
    ///
    /// ```
    /// use keyroute_slot_table::{AssignedFill, Assignment, ByRange, Node, SlotTable, hash::Xxh3};
    ///
    /// let [a, b] = [Node::new("a")?, Node::new("b")?];
    /// let fill = AssignedFill::new([Assignment { first: 0, last: 1023, node: a.id().clone() }]);
    /// let before = SlotTable::from_nodes_with(fill, ByRange::new(Xxh3, 1024)?, [a, b])?;
    /// let mut after = before.clone();
    /// after.assign(512..=1023, "b")?;
    /// let steps = before.diff(&after)?;
    /// assert_eq!(steps.len(), 1);
    /// assert_eq!(steps[0].to_string(), r#"512-1023: "a" to "b""#);
    /// # Ok::<(), keyroute_slot_table::RouteError>(())
    /// ```
    pub fn diff<G: Fill>(&self, after: &SlotTable<G, P>) -> Result<Vec<PartitionMove>, RouteError> {
        self.check_comparable(after)?;
        // For each of our slots, the other table's slot of that node.
        let mut theirs = alloc::vec![None; self.members().slot_bound()];
        for (slot, node) in self.members().iter() {
            theirs[slot.index() as usize] = after.members().slot_of(node.id().as_str());
        }
        let mut moves: Vec<PartitionMove> = Vec::new();
        let mut before: Option<(Option<Slot>, Option<Slot>)> = None;
        for partition in 0..self.partitions() {
            let (from, to) = (self.owner_of(partition), after.owner_of(partition));
            let stays = match from {
                Some(slot) => to.is_some() && theirs[slot.index() as usize] == to,
                None => to.is_none(),
            };
            if stays {
                before = None;
                continue;
            }
            match moves.last_mut() {
                Some(last) if before == Some((from, to)) => last.last = partition,
                _ => moves.push(PartitionMove {
                    first: partition,
                    last: partition,
                    from: id(self, from),
                    to: id(after, to),
                }),
            }
            before = Some((from, to));
        }
        Ok(moves)
    }

    fn check_comparable<G: Fill>(&self, other: &SlotTable<G, P>) -> Result<(), RouteError> {
        let differ = |what, left, right| Err(RouteError::Incomparable { what, left, right });
        if self.partitions() != other.partitions() {
            return differ(
                "partitions",
                alloc::format!("{}", self.partitions()),
                alloc::format!("{}", other.partitions()),
            );
        }
        if self.tag() != other.tag() {
            return differ(
                "hashers",
                alloc::format!("{}", self.tag()),
                alloc::format!("{}", other.tag()),
            );
        }
        Ok(())
    }
}

fn id<F: Fill, P: Partitioner>(table: &SlotTable<F, P>, slot: Option<Slot>) -> Option<NodeId> {
    Some(table.members().get(slot?)?.id().clone())
}
