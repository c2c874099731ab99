//! How a load finds its node.

use core::ops::ControlFlow;

use keyroute_core::{Router, Slot};

use crate::loads::NodeLoad;
use crate::{Admission, Bounded, Candidate, CapacityRule, Count, Forwarding, Lease, Overflow};

impl<R, C, A, O, K> Bounded<R, C, A, O, K>
where
    R: Router,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    /// Places a load of this key and gives its lease: on the first node in forwarding order that admits
    /// it. `None` only without members. (And where leases were forgotten until no more can be counted: an eighth of
    /// `usize`.)
    ///
    /// Takes no lock. Allocates nothing up to 1,024 slots. Any number of threads may call it; each
    /// admission satisfies the capacity computed from a total that was read during the call. It does
    /// not hold later, since the total may fall.
    ///
    /// ```
    /// use keyroute_bounded::{Bounded, Exact};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let router = Bounded::new(VectorRing::from_ids(["a", "b", "c"])?, Exact::new(250)?);
    /// let leases: Vec<_> = (0..90).filter_map(|_| router.acquire(b"hot")).collect();
    /// let most = router.loads().map(|(_, load)| load).max();
    /// assert_eq!(most, Some(38)); // 1.25 × 90 ÷ 3, rounded up
    /// # drop(leases);
    /// # Ok::<(), keyroute_bounded::RouteError>(())
    /// ```
    pub fn acquire(&self, key: &[u8]) -> Option<Lease<K>> {
        let fleet = self.loads.fleet();
        let announced = fleet.announce()?;
        let mut total = announced.before();
        let mut load = Some(announced);
        let mut asked = None;
        if let Some((node, candidate)) = self.owner(key, total) {
            let admits = |held| A::admits(held, candidate.capacity);
            if let Some(taken) = node.take_if(&mut load, admits) {
                return Some(Lease::new(taken, &candidate, false));
            }
            asked = Some(candidate.slot);
        }
        for _ in 0..=C::Overflow::RETRIES {
            let mut lease = None;
            self.offer(key, total, asked.take(), |node, candidate| {
                let admits = |held| A::admits(held, candidate.capacity);
                let taken = node.take_if(&mut load, admits);
                lease = taken.map(|taken| Lease::new(taken, &candidate, false));
                lease.is_some()
            });
            if lease.is_some() {
                return lease;
            }
            // This load is in the total, and is not one of the others.
            total = fleet.total().saturating_sub(1);
        }
        let (node, candidate) = self.taker(key, total)?;
        let taken = node.take_if(&mut load, |_| true)?;
        fleet.count_overflow();
        Some(Lease::new(taken, &candidate, true))
    }

    /// Where the next load of this key would go.
    pub(crate) fn next(&self, key: &[u8]) -> Option<Slot> {
        let total = self.loads.fleet().total();
        let mut asked = None;
        if let Some((_, candidate)) = self.owner(key, total) {
            if A::admits(candidate.load, candidate.capacity) {
                return Some(candidate.slot);
            }
            asked = Some(candidate.slot);
        }
        let mut admitted = None;
        self.offer(key, total, asked, |_, candidate| {
            let admits = A::admits(candidate.load, candidate.capacity);
            admitted = admits.then_some(candidate.slot);
            admits
        });
        admitted.or_else(|| Some(self.taker(key, total)?.1.slot))
    }

    /// The node that a lap begins with, where it is known before one.
    #[inline]
    fn owner(&self, key: &[u8], total: u64) -> Option<(&NodeLoad<K>, Candidate)> {
        let slot = self.forwarding.owner(&self.router, key)?;
        self.candidate(slot, total)
    }

    /// Who takes a load that nobody admits.
    fn taker(&self, key: &[u8], total: u64) -> Option<(&NodeLoad<K>, Candidate)> {
        let mut best: Option<(&NodeLoad<K>, Candidate)> = None;
        self.offer(key, total, None, |node, candidate| {
            if best
                .as_ref()
                .is_none_or(|(_, best)| C::Overflow::prefers(&candidate, best))
            {
                best = Some((node, candidate));
            }
            false
        });
        best
    }

    /// One lap: offers the key's load to the nodes in forwarding order until one takes it, but not to the one
    /// that was asked before the lap.
    fn offer<'a>(
        &'a self,
        key: &[u8],
        total: u64,
        asked: Option<Slot>,
        mut take: impl FnMut(&'a NodeLoad<K>, Candidate) -> bool,
    ) {
        self.forwarding.candidates(&self.router, key, &mut |slot| {
            if asked == Some(slot) {
                return ControlFlow::Continue(());
            }
            match self.candidate(slot, total) {
                Some((node, candidate)) if take(node, candidate) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
    }
}
