//! Many searches of [`SortedPoints`] at once.

use keyroute_core::{PointTable, Position, Slot};

use crate::SortedPoints;

/// How many positions are on their way at once.
const BATCH: usize = 128;

/// Up to so many points there is nothing to wait for: they and the index take a quarter of a second cache of
/// 1 MiB.
const NEAR: usize = 1 << 15;

impl<P: Position> SortedPoints<P> {
    /// The owners of the first points at or after these positions.
    ///
    /// First the index is read for all, then the points: neither loop waits for what it read, so where the
    /// points outgrow a cache the machine fetches several at a time.
    pub(crate) fn owner_each(&self, at: &[P], owners: &mut [Option<Slot>]) {
        if self.rests.len() <= NEAR {
            for (&at, owner) in at.iter().zip(owners) {
                *owner = self.at_or_after(at);
            }
            return;
        }
        let mut starts = [0; BATCH];
        for (at, owners) in at.chunks(BATCH).zip(owners.chunks_mut(BATCH)) {
            for (at, start) in at.iter().zip(&mut starts) {
                // Without points there is no start, and no owner from there.
                *start = self.index.start(at.split().0).unwrap_or(0);
            }
            for ((&at, &start), owner) in at.iter().zip(&starts).zip(owners) {
                *owner = self.owner_from(start, at);
            }
        }
    }
}
