//! Faults of tables.

use keyroute_core::{Router, Slot};

use crate::fault::{ENTRIES, Fault, Mutant, table};

/// A table dealt in turn, whatever the weights.
pub(crate) struct DealsEntriesInTurn;

impl Fault for DealsEntriesInTurn {
    fn entries(it: &Mutant<Self>) -> Vec<Slot> {
        let slots: Vec<Slot> = it.members().slots().collect();
        let most = usize::try_from(ENTRIES).unwrap();
        slots.into_iter().cycle().take(most).collect()
    }
}

/// The first node has two entries of another: within any cap that leaves room for one.
pub(crate) struct TakesTwoEntries;

impl Fault for TakesTwoEntries {
    fn entries(it: &Mutant<Self>) -> Vec<Slot> {
        let mut entries = table(it.members());
        if let (Some(&first), Some(last)) = (entries.first(), entries.len().checked_sub(2)) {
            entries[last..].fill(first);
        }
        entries
    }
}

/// A cap rounded down.
pub(crate) struct RoundsItsCapDown;

impl Fault for RoundsItsCapDown {
    fn cap(it: &Mutant<Self>, slot: Slot) -> u64 {
        let weight = |slot| u64::from(it.members().get(slot).map_or(0, |node| node.weight().get()));
        let all: u64 = it.members().slots().map(weight).sum();
        ENTRIES * weight(slot) / all
    }
}

/// An entry whose owner has left.
pub(crate) struct KeepsAnEntry;

impl Fault for KeepsAnEntry {
    fn entries(it: &Mutant<Self>) -> Vec<Slot> {
        it.members().slots().chain(Slot::new(1 << 20)).collect()
    }
}
