//! [`Overflow`]: who takes a load that nobody admits.

use keyroute_core::Slot;

/// What happens when a whole lap over the nodes admits nobody.
///
/// The taker is chosen by comparing the candidates in forwarding order. It holds the load as any
/// other; its lease says [`is_overflow`](crate::Lease::is_overflow), and the router
/// [counts](crate::Bounded::overflows) it.
pub trait Overflow {
    /// How many laps more are made first, each with the total read anew.
    const RETRIES: u32 = 0;

    /// Whether `next` takes the load rather than `best`, which was met before it. Unless said, if it
    /// holds less for its weight.
    #[must_use]
    fn prefers(next: &Candidate, best: &Candidate) -> bool {
        next.is_lighter_than(best)
    }
}

/// A node that could take an overflowing load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// Its slot.
    pub slot: Slot,
    /// The loads it holds.
    pub load: u64,
    /// Its capacity.
    pub capacity: u64,
    /// Its weight.
    pub weight: u64,
}

impl Candidate {
    /// A candidate of these numbers.
    #[must_use]
    pub fn new(slot: Slot, load: u64, capacity: u64, weight: u64) -> Self {
        Self {
            slot,
            load,
            capacity,
            weight,
        }
    }

    /// Whether it holds less than the other for its weight.
    #[must_use]
    pub fn is_lighter_than(&self, other: &Self) -> bool {
        u128::from(self.load) * u128::from(other.weight)
            < u128::from(other.load) * u128::from(self.weight)
    }
}

/// There is always a node below its capacity: what a *feasible* rule says by type
/// (`C: CapacityRule<Overflow = NoOverflow>`).
///
/// A lap that admits nobody then means that other threads moved loads behind its back, so up to 8 more
/// are made. If all fail, the node that holds least for its weight takes the load: the search ends for
/// sure, and it ends with a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoOverflow;

impl Overflow for NoOverflow {
    const RETRIES: u32 = 8;
}

/// The node that holds least for its weight takes it, the first of them in forwarding order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToLeastLoaded;

impl Overflow for ToLeastLoaded {}

/// The key's owner takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ToOwner;

impl Overflow for ToOwner {
    fn prefers(_next: &Candidate, _best: &Candidate) -> bool {
        false
    }
}
