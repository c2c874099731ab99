//! Faults of partitions. The sound router has one for each of its 256 digests.

use keyroute_core::{Router, Slot};

use crate::fault::{Fault, Mutant};

/// From 1 on.
pub(crate) struct NumbersFromOne;

impl Fault for NumbersFromOne {
    const BITS: u32 = 8;

    fn partition_of(it: &Mutant<Self>, key: &[u8]) -> u32 {
        it.sound_partition_of(key) + 1
    }
}

/// The next one's.
pub(crate) struct OwnsTheNextPartition;

impl Fault for OwnsTheNextPartition {
    const BITS: u32 = 8;

    fn partition_owner(it: &Mutant<Self>, partition: u32) -> Option<Slot> {
        it.sound_partition_owner(partition.saturating_add(1).min(255))
            .filter(|_| partition < 256)
    }
}

/// Round the end.
pub(crate) struct OwnsPartitionsWithoutEnd;

impl Fault for OwnsPartitionsWithoutEnd {
    const BITS: u32 = 8;

    fn partition_owner(it: &Mutant<Self>, partition: u32) -> Option<Slot> {
        it.sound_partition_owner(partition % 256)
    }
}

/// As many as there are nodes.
pub(crate) struct ManyNodesManyPartitions;

impl Fault for ManyNodesManyPartitions {
    const BITS: u32 = 8;

    fn partition_count(it: &Mutant<Self>) -> u32 {
        256 + u32::try_from(it.members().len()).unwrap_or(0)
    }
}
