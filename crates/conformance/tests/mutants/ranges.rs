//! Faults of ranges.

use keyroute_core::{OwnedRange, Position, Ranges, WalkRanges};

use crate::fault::{Fault, Mutant};

macro_rules! changing {
    ($(#[$doc:meta])* $name:ident: $change:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl Fault for $name {
            fn ranges(it: &Mutant<Self>) -> Vec<OwnedRange<u64>> {
                let change: fn(Vec<OwnedRange<u64>>) -> Vec<OwnedRange<u64>> = $change;
                change(it.ring.ranges())
            }
        }
    };
}

changing!(
    /// One is left out.
    LosesARange: |mut ranges| {
        if ranges.len() > 2 {
            ranges.remove(1);
        }
        ranges
    }
);

changing!(
    /// All of them, and again.
    GoesRoundTwice: |ranges| [&ranges[..], &ranges[..]].concat()
);

changing!(
    /// The first comes last.
    BeginsElsewhere: |mut ranges| {
        if !ranges.is_empty() {
            ranges.rotate_left(1);
        }
        ranges
    }
);

changing!(
    /// Neighbours are not joined.
    OneRangeAPoint: |ranges| {
        let halves = |range: OwnedRange<u64>| {
            let through = range.after.plus(range.after.ahead(range.through).halved());
            let (first, second) = (OwnedRange { through, ..range }, OwnedRange { after: through, ..range });
            [first, second]
        };
        ranges.into_iter().flat_map(halves).collect()
    }
);

changing!(
    /// `[after, through)`.
    OffByOne: |ranges| {
        let shifted = |range: OwnedRange<u64>| OwnedRange {
            after: range.after.before(),
            through: range.through.before(),
            ..range
        };
        ranges.into_iter().map(shifted).collect()
    }
);

/// Ranges of one owner, though their walks differ behind it: where nodes share a point, its second is on the way
/// from there alone.
pub(crate) struct MergesWalks;

impl Fault for MergesWalks {
    const BITS: u32 = 8;

    fn walk_ranges(it: &Mutant<Self>) -> Vec<OwnedRange<u64>> {
        it.ring.ranges()
    }
}

/// One walk range is left out.
pub(crate) struct LosesAWalk;

impl Fault for LosesAWalk {
    fn walk_ranges(it: &Mutant<Self>) -> Vec<OwnedRange<u64>> {
        it.ring.walk_ranges().split_off(1)
    }
}
