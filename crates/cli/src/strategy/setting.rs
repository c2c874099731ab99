//! [`Setting`]: what can be set of a strategy.

use std::fmt;

/// A setting beside the nodes. Which of them a strategy has, it says itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The hash function.
    Hash,
    /// Points per unit of weight, of rings.
    Points,
    /// Points of a node of weight 1, of strategies that take few.
    NodePoints,
    /// How far over its fair share a node may go: in loads, or in partitions.
    Epsilon,
    /// The number of entries of Maglev's table.
    TableSize,
    /// The number of partitions of a slot table.
    Partitions,
    /// Which node owns which partition.
    Owners,
    /// The most nodes there can be, set once.
    Capacity,
}

/// The flag, or where else it is said.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Hash => "--hash",
            Self::Points => "--points",
            Self::NodePoints => "--node-points",
            Self::Epsilon => "--epsilon",
            Self::TableSize => "--table-size",
            Self::Partitions => "--partitions",
            Self::Owners => "partitions of nodes",
            Self::Capacity => "--capacity",
        })
    }
}
