//! [`Sharers`]: the nodes that share a hot key.

use std::ops::ControlFlow;

use keyroute_core::{SlotSet, Walk};

use crate::pick::Offer;
use crate::{OnDown, Pick, Snapshot, Unavailable};

impl<R: Walk, T> Snapshot<R, T> {
    /// The first `k` nodes that admit the key share it; 0 counts as 1.
    ///
    /// Whether a key is hot the caller knows. With `k` nodes each of its values is held up to `k` times, so
    /// spread the few keys that need it, and by the same `k` wherever they are read.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    ///
    /// use keyroute_cluster::Cluster;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c", "d"])?, |_| ());
    /// let snapshot = cluster.load();
    /// let sharers = snapshot.spread(b"hot", 3);
    ///
    /// // In turn: count in the program.
    /// let met: BTreeSet<_> = (0..6).map(|turn| sharers.turn(turn).unwrap().id().clone()).collect();
    /// assert_eq!(met.len(), 3);
    ///
    /// // Or by load, as the caller knows it: here the owner is the busiest.
    /// let owner = snapshot.pick(b"hot")?.slot();
    /// let least = sharers.least_by(|pick| u64::from(pick.slot() == owner))?;
    /// assert!(!least.is_home());
    ///
    /// // Or all at once, to write to each of them.
    /// assert_eq!(sharers.all().len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spread<'s>(&'s self, key: &'s [u8], k: usize) -> Sharers<'s, R, T> {
        Sharers {
            snapshot: self,
            key,
            k: k.max(1),
        }
    }
}

/// The nodes that share a hot key. [`Snapshot::spread`] shows one.
///
/// Each question walks the key's order to its `k`-th node, and allocates nothing up to 1,024 slots.
#[derive(Debug)]
#[must_use = "the nodes are found when they are asked for"]
pub struct Sharers<'s, R, T> {
    snapshot: &'s Snapshot<R, T>,
    key: &'s [u8],
    k: usize,
}

impl<'s, R: Walk, T> Sharers<'s, R, T> {
    /// The one whose turn it is: they take turns by number, the owner first.
    ///
    /// # Errors
    ///
    /// As [`pick`](Snapshot::pick): where that picks a node, this does.
    pub fn turn(&self, turn: u64) -> Result<Pick<'s, T>, Unavailable> {
        let mut count = 0;
        self.each(&mut |_| count += 1);
        let Some(place) = turn.checked_rem(count) else {
            return self.snapshot.pick(self.key);
        };
        let mut at = 0;
        let mut chosen = None;
        self.each(&mut |pick| {
            if at == place {
                chosen = Some(pick);
            }
            at += 1;
        });
        chosen.map_or_else(|| self.snapshot.pick(self.key), Ok)
    }

    /// The one with the least load, as the caller counts it; of equal ones the first in the key's order.
    ///
    /// # Errors
    ///
    /// As [`pick`](Snapshot::pick): where that picks a node, this does.
    pub fn least_by(
        &self,
        mut load: impl FnMut(Pick<'s, T>) -> u64,
    ) -> Result<Pick<'s, T>, Unavailable> {
        let mut least: Option<(u64, Pick<'s, T>)> = None;
        self.each(&mut |pick| {
            let load = load(pick);
            if least.is_none_or(|(best, _)| load < best) {
                least = Some((load, pick));
            }
        });
        least.map_or_else(|| self.snapshot.pick(self.key), |(_, pick)| Ok(pick))
    }

    /// All of them, the owner first. Fewer than `k` where there are no more. Allocates the answer.
    #[must_use]
    pub fn all(&self) -> Vec<Pick<'s, T>> {
        let mut all = Vec::new();
        self.each(&mut |pick| all.push(pick));
        all
    }

    /// The nodes in the first `k` places that admit the key. A newcomer that does not yet is no sharer: it would
    /// get a whole part at once.
    fn each(&self, visit: &mut dyn FnMut(Pick<'s, T>)) {
        let snapshot = self.snapshot;
        let home = snapshot.router().route(self.key);
        let mut left = self.k;
        snapshot.offer(self.key, &mut SlotSet::new(), &mut |offer| {
            match offer {
                Offer::Serves(slot) => {
                    if let Some(pick) = snapshot.picked(slot, home == Some(slot)) {
                        visit(pick);
                    }
                    left -= 1;
                }
                Offer::Down(_) => left -= usize::from(snapshot.on_down() == OnDown::FailFast),
                Offer::Reserve(_) => left = 0,
            }
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
    }
}
