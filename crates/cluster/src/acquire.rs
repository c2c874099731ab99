//! [`Snapshot::acquire`]: how a load finds its member.

use std::ops::ControlFlow;
use std::sync::Arc;

use keyroute_bounded::counters::{Announced, MAX_LOADS};
use keyroute_bounded::{
    Admission, Below, Candidate, CapacityRule, Demand, NoOverflow, Overflow, SharedCount,
    ToLeastLoaded,
};
use keyroute_core::{Router, Slot, SlotSet, Walk};

use crate::pick::Offer;
use crate::{Lease, Member, OnDown, Snapshot, Unavailable};

impl<R: Walk, T> Snapshot<R, T> {
    /// Places a load of this key and gives its lease: on the first node of the key's order that admits the key, as
    /// [`pick`](Self::pick) finds it, and is below its capacity.
    ///
    /// If each of them is full, the nodes in a ramp are asked that do not admit the key yet, in the order in which
    /// they will. The capacities of all nodes that are up add up to more than the loads there are, so one of them has
    /// room; where threads move loads behind the search's back it is repeated, 8 times at most, and then the node
    /// that holds least for its weight takes the load, which is [counted](crate::LeaseStats::overflows).
    ///
    /// An idle cluster answers as `pick`. Without a [bound](crate::Cluster::with_bound) every node has room, and the
    /// load is counted.
    ///
    /// Takes no lock. Allocates nothing up to 1,024 slots. Any number of threads may call it; at admission no member
    /// holds more than the capacity computed from a total that was read during the call. A snapshot that is kept
    /// still gives leases on members that have left since: those are in no total.
    ///
    /// ```
    /// use keyroute_cluster::{Cluster, Exact};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |_| ()).with_bound(Exact::new(250)?);
    /// let snapshot = cluster.load();
    /// let leases: Result<Vec<_>, _> = (0..90).map(|_| snapshot.acquire(b"hot")).collect();
    /// let most = leases?.iter().map(|lease| lease.load()).max();
    /// assert_eq!(most, Some(38)); // 1.25 × 90 ÷ 3, rounded up
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`pick`](Self::pick): no members; under [`OnDown::FailFast`], the first node that the key comes to is down;
    /// or nobody is up. And [`Unavailable::TooManyLeases`].
    #[inline]
    pub fn acquire(&self, key: &[u8]) -> Result<Lease<T>, Unavailable> {
        let mut search = Search::begin(self, key)?;
        if let Some(lease) = search.at_home() {
            return Ok(lease);
        }
        search.anywhere_alone()
    }

    /// As [`acquire`](Self::acquire), with a set that the caller lends: over 1,024 slots nothing is allocated then
    /// either. [`pick_with`](Self::pick_with) shows such a set.
    ///
    /// # Errors
    ///
    /// As [`acquire`](Self::acquire).
    #[inline]
    pub fn acquire_with(&self, key: &[u8], seen: &mut SlotSet) -> Result<Lease<T>, Unavailable> {
        let mut search = Search::begin(self, key)?;
        if let Some(lease) = search.at_home() {
            return Ok(lease);
        }
        search.anywhere(seen)
    }
}

impl<R: Router, T> Snapshot<R, T> {
    /// How many leases this member may hold, the one included that comes after `total` others; `None` without a
    /// bound.
    #[inline]
    pub(crate) fn capacity(&self, member: &Member<T>, total: u64) -> Option<u64> {
        let rule = self.policy().bound?;
        let strengths = self.strengths();
        let demand = Demand::new(
            total,
            self.router().members().len() as u64,
            strengths.member(member),
            strengths.total(),
        );
        Some(rule.capacity(&demand))
    }
}

/// The search for one load's member. While it has none the load is announced, so that the total has it.
struct Search<'s, R, T> {
    snapshot: &'s Snapshot<R, T>,
    key: &'s [u8],
    home: Slot,
    load: Option<Announced<'s, SharedCount>>,
    /// The other loads, as last read.
    total: u64,
    /// Who was asked before the first lap.
    asked: Option<Slot>,
    tried: u32,
}

impl<'s, R: Walk, T> Search<'s, R, T> {
    #[inline]
    fn begin(snapshot: &'s Snapshot<R, T>, key: &'s [u8]) -> Result<Self, Unavailable> {
        let home = snapshot.router().route(key).ok_or(Unavailable::NoOwner)?;
        let load = snapshot.fleet().load.announce();
        let load = load.ok_or(Unavailable::TooManyLeases { limit: MAX_LOADS })?;
        Ok(Self {
            snapshot,
            key,
            home,
            total: load.before(),
            load: Some(load),
            asked: None,
            tried: 0,
        })
    }

    /// All that most requests need.
    #[inline]
    fn at_home(&mut self) -> Option<Lease<T>> {
        if self.snapshot.admits_every_key(self.home) {
            self.asked = Some(self.home);
            self.ask(self.home)
        } else {
            None
        }
    }

    /// Apart, so that a request that needs no set does not make room for one.
    #[inline(never)]
    fn anywhere_alone(&mut self) -> Result<Lease<T>, Unavailable> {
        self.anywhere(&mut SlotSet::new())
    }

    #[inline(never)]
    fn anywhere(&mut self, seen: &mut SlotSet) -> Result<Lease<T>, Unavailable> {
        for _ in 0..=NoOverflow::RETRIES {
            let mut lease = None;
            self.lap(seen, |search, slot| {
                if search.asked.take_if(|asked| *asked == slot).is_none() {
                    lease = search.ask(slot);
                }
                lease.is_some()
            })?;
            if let Some(lease) = lease {
                return Ok(lease);
            }
            // This load is in the total, and is not one of the others.
            self.total = self.snapshot.fleet().load.total().saturating_sub(1);
        }
        self.overflow(seen)
    }

    /// Offers the load to every node that can serve, those in a ramp that do not admit the key last, until one takes
    /// it.
    fn lap(
        &mut self,
        seen: &mut SlotSet,
        mut take: impl FnMut(&mut Self, Slot) -> bool,
    ) -> Result<(), Unavailable> {
        let snapshot = self.snapshot;
        let mut met = false;
        let mut down = None;
        snapshot.offer(self.key, seen, &mut |offer| match offer {
            Offer::Serves(slot) | Offer::Reserve(slot) => {
                met = true;
                if take(self, slot) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            }
            // Who is passed on since a node is full may be passed on since another is down.
            Offer::Down(slot) if !met && snapshot.on_down() == OnDown::FailFast => {
                down = Some(slot);
                ControlFlow::Break(())
            }
            Offer::Down(_) => ControlFlow::Continue(()),
        });
        if met {
            return Ok(());
        }
        Err(match down.and_then(|slot| snapshot.at(slot)) {
            Some(member) => Unavailable::Down {
                id: member.id.clone(),
            },
            None => Unavailable::NoneAdmits {
                nodes: snapshot.router().members().len(),
            },
        })
    }

    /// Asks a node to take the load.
    #[inline]
    fn ask(&mut self, slot: Slot) -> Option<Lease<T>> {
        let member = self.snapshot.shared_at(slot)?;
        let capacity = self.snapshot.capacity(member, self.total);
        self.tried = self.tried.saturating_add(1);
        let admits = |held| capacity.is_none_or(|capacity| Below::admits(held, capacity));
        self.take(slot, member, capacity, admits)
    }

    /// Has the node that holds least for its weight take the load.
    #[cold]
    fn overflow(&mut self, seen: &mut SlotSet) -> Result<Lease<T>, Unavailable> {
        let snapshot = self.snapshot;
        let mut best: Option<Candidate> = None;
        self.lap(seen, |search, slot| {
            if let Some(member) = snapshot.shared_at(slot) {
                let next = Candidate::new(
                    slot,
                    member.counter.load.held(),
                    snapshot.capacity(member, search.total).unwrap_or(u64::MAX),
                    snapshot.strengths().member(member),
                );
                if best.is_none_or(|best| ToLeastLoaded::prefers(&next, &best)) {
                    best = Some(next);
                }
            }
            false
        })?;
        let taken = best.and_then(|best| {
            let member = snapshot.shared_at(best.slot)?;
            let capacity = snapshot.capacity(member, self.total);
            self.take(best.slot, member, capacity, |_| true)
        });
        let nodes = snapshot.router().members().len();
        let mut lease = taken.ok_or(Unavailable::NoneAdmits { nodes })?;
        snapshot.fleet().load.count_overflow();
        lease.overflow = true;
        Ok(lease)
    }

    #[inline]
    fn take(
        &mut self,
        slot: Slot,
        member: &Arc<Member<T>>,
        capacity: Option<u64>,
        admits: impl Fn(u64) -> bool,
    ) -> Option<Lease<T>> {
        let taken = member.counter.load.take_if(&mut self.load, admits)?;
        let home = slot == self.home;
        Some(Lease::new(taken, member, capacity, self.tried, home))
    }
}
