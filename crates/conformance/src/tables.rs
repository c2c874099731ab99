//! [`Tables`]: how laws ask a router for the table it looks keys up in.

use keyroute_core::{Router, Slot};

/// How laws about tables ask a router of type `R`: implemented by a type of yours, beside the claim.
///
/// ```
/// use keyroute_conformance::{Tables, hold, laws};
/// use keyroute_maglev::{Maglev, Slot, TableSize, hash::Xxh3};
///
/// #[derive(Clone, Copy)]
/// struct ByEntry;
///
/// impl Tables<Maglev> for ByEntry {
///     fn entries(router: &Maglev) -> Vec<Slot> { router.entries().collect() }
///     /// The share, rounded up.
///     fn cap(router: &Maglev, slot: Slot) -> u64 {
///         let weight = |slot| u64::from(router.members().get(slot).map_or(0, |node| node.weight().get()));
///         let all: u64 = router.members().slots().map(weight).sum();
///         (router.entries().len() as u64 * weight(slot)).div_ceil(all)
///     }
/// }
///
/// hold(
///     |nodes| Maglev::from_nodes_with(Xxh3, TableSize::new(509)?, nodes.iter().cloned()),
///     |subject| laws::no_node_takes_more_entries_than_its_cap(subject, ByEntry),
/// );
/// ```
pub trait Tables<R: Router>: Copy {
    /// The owner of each entry of the table; none without members.
    fn entries(router: &R) -> Vec<Slot>;

    /// The most entries that the node in this slot may own.
    fn cap(router: &R, slot: Slot) -> u64;
}
