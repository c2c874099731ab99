//! The paper, on integers only: [`fill`].

use alloc::vec::Vec;

use keyroute_core::Position;

use crate::TableSize;

/// The order in which a node would like the entries of a table: it begins at an offset and goes on by a
/// constant skip, round the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    offset: u32,
    skip: u32,
}

impl Permutation {
    /// The permutation of these two hashes: offset = the first mod M, skip = the second mod (M − 1), and
    /// one more, for a table of M entries.
    #[must_use]
    pub fn new(size: TableSize, offset: u64, skip: u64) -> Self {
        Self {
            offset: offset.modulo(size.get()),
            skip: skip.modulo(size.get() - 1) + 1,
        }
    }
}

/// Fills a table: at each of the turns a node takes the next entry of its permutation that is free.
///
/// The answer holds for each entry the node that took it, by its place in `permutations`, which are of
/// this size. `None` if there are not as many turns as entries, or one is nobody's.
///
/// The order of the turns decides the table, so whoever calls this puts the nodes in an order that does
/// not depend on where or when it is called. Cost, for n nodes: about 10 probes an entry at n = 100, 13
/// at 1000.
///
/// Source: Eisenbud et al., *Maglev: A Fast and Reliable Software Network Load Balancer*, 2016. This is
/// the paper's own example:
///
/// ```
/// use keyroute_maglev::{Permutation, TableSize, fill, turns};
///
/// let size = TableSize::new(7)?;
/// let [b0, b1, b2] = [(3, 4), (0, 2), (3, 1)].map(|(offset, skip)| Permutation::new(size, offset, skip - 1));
/// let table = fill(size, &[b0, b1, b2], turns(&[1, 1, 1]));
/// assert_eq!(table, Some(vec![1, 0, 1, 0, 2, 2, 0]));
/// # Ok::<(), keyroute_maglev::RouteError>(())
/// ```
#[must_use]
pub fn fill(
    size: TableSize,
    permutations: &[Permutation],
    turns: impl IntoIterator<Item = usize>,
) -> Option<Vec<u32>> {
    const FREE: u32 = u32::MAX;
    let mut entries = alloc::vec![FREE; size.get() as usize];
    let mut next: Vec<u32> = permutations.iter().map(|it| it.offset).collect();
    let mut turns = turns.into_iter();
    for _ in 0..size.get() {
        let node = turns.next()?;
        let (at, skip) = (next.get_mut(node)?, permutations[node].skip);
        // The size is a prime, so the steps meet every entry, and one is free.
        while entries[*at as usize] != FREE {
            *at = step(*at, skip, size);
        }
        entries[*at as usize] = u32::try_from(node).ok()?;
        *at = step(*at, skip, size);
    }
    Some(entries)
}

fn step(at: u32, skip: u32, size: TableSize) -> u32 {
    let next = at + skip; // both below 2^24
    if next < size.get() {
        next
    } else {
        next - size.get()
    }
}
