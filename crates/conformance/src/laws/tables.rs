//! Routers that look keys up in a table of which each node owns entries.

use keyroute_core::{Router, Slot};

use crate::violation::ensure;
use crate::{Subject, Tables, Verdict, Violation};

/// How many entries the node in each slot owns.
fn counts<R: Router>(router: &R, entries: &[Slot]) -> Result<Vec<(Slot, u64)>, Violation> {
    let members = router.members();
    let mut counts: Vec<(Slot, u64)> = members.slots().map(|slot| (slot, 0)).collect();
    for owner in entries {
        let Some((_, count)) = counts.iter_mut().find(|(slot, _)| slot == owner) else {
            return Err(Violation::new(format!(
                "an entry has the owner {owner:?}, which holds no member"
            )));
        };
        *count += 1;
    }
    Ok(counts)
}

/// Each node owns its share of the table's entries by weight, rounded up or down: equal nodes are one entry
/// apart at most.
///
/// # Errors
///
/// The violation.
pub fn shares_are_within_one_entry<R: Router, T: Tables<R>>(
    subject: &Subject<R>,
    _tables: T,
) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let entries = T::entries(&router);
        ensure!(!entries.is_empty(), "the table has no entries");
        let weight = |slot| {
            let node = router.members().get(slot);
            node.map_or(0, |node| u128::from(node.weight().get()))
        };
        let all: u128 = router.members().slots().map(weight).sum();
        for (slot, count) in counts(&router, &entries)? {
            // The difference to the exact share, times all weights.
            let share = entries.len() as u128 * weight(slot);
            ensure!(
                (u128::from(count) * all).abs_diff(share) < all,
                "{:?} owns {count} of {} entries, its share is {share}/{all}",
                router.members().get(slot).map(|node| node.id()),
                entries.len()
            );
        }
        Ok(())
    })
}

/// No node owns more of the table's entries than its cap, and every entry has an owner.
///
/// # Errors
///
/// The violation.
pub fn no_node_takes_more_entries_than_its_cap<R: Router, T: Tables<R>>(
    subject: &Subject<R>,
    _tables: T,
) -> Verdict {
    subject.each(|case| {
        let router = subject.make(&case.nodes)?;
        let entries = T::entries(&router);
        ensure!(!entries.is_empty(), "the table has no entries");
        for (slot, count) in counts(&router, &entries)? {
            let cap = T::cap(&router, slot);
            ensure!(
                count <= cap,
                "{:?} owns {count} entries, over its cap of {cap}",
                router.members().get(slot).map(|node| node.id())
            );
        }
        Ok(())
    })
}
