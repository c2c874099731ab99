//! [`Counter`]: a member's count of leases, and what they have come to.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use keyroute_bounded::SharedCount;
use keyroute_bounded::counters::{FleetLoad, NodeLoad};

/// How many leases there were: plain sums, which decide nothing and so are in no order with anything.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    taken: AtomicU64,
    away: AtomicU64,
    /// Nodes asked beyond the first of each.
    further: AtomicU64,
}

/// A [`Tally`] as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) taken: u64,
    pub(crate) away: u64,
    pub(crate) further: u64,
}

impl Tally {
    /// Counts a lease that was given on the `tried`-th node, at home or not.
    #[inline]
    pub(crate) fn count(&self, home: bool, tried: u32) {
        self.taken.fetch_add(1, Ordering::Relaxed);
        // Most are at home and on the first.
        if !home {
            self.away.fetch_add(1, Ordering::Relaxed);
        }
        if tried > 1 {
            self.further
                .fetch_add(u64::from(tried - 1), Ordering::Relaxed);
        }
    }

    pub(crate) fn sums(&self) -> Sums {
        Sums {
            taken: self.taken.load(Ordering::Relaxed),
            away: self.away.load(Ordering::Relaxed),
            further: self.further.load(Ordering::Relaxed),
        }
    }

    fn add(&self, more: Sums) {
        self.taken.fetch_add(more.taken, Ordering::Relaxed);
        self.away.fetch_add(more.away, Ordering::Relaxed);
        self.further.fetch_add(more.further, Ordering::Relaxed);
    }

    /// Sets it to these sums; gives what they are more than before.
    fn raise(&self, to: Sums) -> Sums {
        let raised = |sum: &AtomicU64, to: u64| to.saturating_sub(sum.swap(to, Ordering::Relaxed));
        Sums {
            taken: raised(&self.taken, to.taken),
            away: raised(&self.away, to.away),
            further: raised(&self.further, to.further),
        }
    }
}

impl Sums {
    pub(crate) fn plus(self, more: Self) -> Self {
        Self {
            taken: self.taken + more.taken,
            away: self.away + more.away,
            further: self.further + more.further,
        }
    }
}

/// The total of a cluster's leases, and what those of former members have come to.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    pub(crate) load: Arc<FleetLoad<SharedCount>>,
    former: Tally,
    /// Held while members leave, and while sums are read: in between, those of a member who leaves would be in both or
    /// in neither. Nobody who takes or gives back a lease asks for it.
    leaving: Mutex<()>,
}

impl Fleet {
    /// Does this while no sums are read and, if it reads them, nobody leaves.
    pub(crate) fn whole<A>(&self, work: impl FnOnce() -> A) -> A {
        let held = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = work();
        drop(held);
        answer
    }

    pub(crate) fn former(&self) -> Sums {
        self.former.sums()
    }
}

/// A member's count of leases, with the tally on its cache line. It belongs to the id, from when that is listed to when
/// it is no more, whatever else changes; and is shared by the lists, snapshots and leases that know it.
pub(crate) struct Counter {
    pub(crate) load: NodeLoad<SharedCount, Tally>,
    fleet: Arc<Fleet>,
    /// Whether its sums are a former member's.
    left: AtomicBool,
    /// What of the tally the fleet has among its former members.
    told: Tally,
}

impl Counter {
    /// The bytes on the heap.
    pub(crate) const BYTES: usize =
        NodeLoad::<SharedCount, Tally>::BYTES + 2 * size_of::<usize>() + size_of::<Self>();

    pub(crate) fn new(fleet: &Arc<Fleet>) -> Self {
        Self {
            load: NodeLoad::new(Tally::default(), &fleet.load),
            fleet: Arc::clone(fleet),
            left: AtomicBool::new(false),
            told: Tally::default(),
        }
    }

    pub(crate) fn sums(&self) -> Sums {
        self.load.beside().sums()
    }

    /// Its sums, of a member: those of who left are the fleet's, and what it gives still is not yet.
    pub(crate) fn untold(&self) -> Sums {
        if self.left.load(Ordering::Relaxed) {
            Sums::default()
        } else {
            self.sums()
        }
    }

    /// The member is listed no more: what it holds leaves the total, and its sums are a former member's.
    pub(crate) fn leave(&self) {
        self.load.leave();
        self.left.store(true, Ordering::Relaxed);
        self.tell();
    }

    /// Called by who changes the list, and by the last who knows the counter: by one at a time.
    fn tell(&self) {
        self.fleet.former.add(self.told.raise(self.sums()));
    }
}

impl Drop for Counter {
    /// By then nobody takes a lease, so nothing is missing from the sums.
    fn drop(&mut self) {
        self.tell();
    }
}
