//! [`Partitioned`]: routers whose keys fall into numbered partitions.

use crate::{HasherTag, Router, Slot};

/// How keys fall into partitions: two routers with equal ones give every key the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Partitioning {
    /// How many partitions there are: they are numbered from 0.
    pub count: u32,
    /// How a digest finds its number, as descriptions say it: `ranges`, `remainders`.
    pub rule: &'static str,
    /// Who makes the digests.
    pub hasher: HasherTag,
}

impl Partitioning {
    /// So many partitions, found by this rule from this hasher's digests.
    #[must_use]
    pub fn new(count: u32, rule: &'static str, hasher: HasherTag) -> Self {
        Self {
            count,
            rule,
            hasher,
        }
    }
}

/// Routers whose keys fall into numbered partitions (slots, entries of a table), each owned as a whole: what
/// moves between two of them can be said in partitions.
///
/// Implementors: [`route`](Router::route) of a key must equal [`partition_owner`](Self::partition_owner) of its
/// partition, and the partition must depend on [`partitioning`](Self::partitioning) and the key alone.
///
/// ```
/// use keyroute_core::Partitioned;
/// use keyroute_slot_table::SlotTable;
///
/// let table = SlotTable::from_ids(["a", "b"])?;
/// assert_eq!(table.partitioning().count, 16_384);
/// let partition = Partitioned::partition_of(&table, b"user:1");
/// assert_eq!(table.partition_owner(partition), table.route(b"user:1"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
pub trait Partitioned: Router {
    /// How keys fall into partitions.
    fn partitioning(&self) -> Partitioning;

    /// The partition that this key falls into, whoever owns it.
    fn partition_of(&self, key: &[u8]) -> u32;

    /// The owner of this partition; `None` without members, and for numbers over the last.
    fn partition_owner(&self, partition: u32) -> Option<Slot>;
}
