//! The counters under bounded loads, for layers that hold members themselves: one a node, one for all, each on a cache
//! line of its own.
//!
//! [`Bounded`](crate::Bounded) is made of them, and so are the leases of a cluster, whose members change while threads
//! take loads. A load is **announced** to the total, and then taken by a node if that admits it:
//!
//! ```
//! use std::sync::Arc;
//!
//! use keyroute_bounded::SharedCount;
//! use keyroute_bounded::counters::{FleetLoad, NodeLoad};
//!
//! let fleet = Arc::<FleetLoad<SharedCount>>::default();
//! let node = NodeLoad::new("a", &fleet); // whatever shall lie beside the count
//!
//! let mut announced = fleet.announce();
//! let capacity = 1;
//! let (load, held) = node.take_if(&mut announced, |held| held < capacity).unwrap();
//! assert_eq!((*load.beside(), held, fleet.total()), ("a", 1, 1));
//!
//! let mut announced = fleet.announce();
//! assert!(node.take_if(&mut announced, |held| held < capacity).is_none());
//! assert_eq!(fleet.total(), 2); // it may ask another node
//! drop(announced);
//!
//! node.leave(); // its load leaves the total at once
//! assert_eq!((fleet.total(), node.held()), (0, 1));
//! drop(load); // and ends without effect on it
//! assert_eq!((fleet.total(), node.held()), (0, 0));
//! ```
//!
//! **The total never is below the sum of the present nodes' counts.** Whatever changes raises the total before
//! a node's count and lowers it after, so a capacity computed from the total is never too small for
//! what the nodes hold. (An observer who reads several counters one after another sees each at another
//! moment.)
//!
//! **A load is given back once, whatever happens to its node.** A node that leaves has its counter
//! marked and its count taken out of the total in one step each; a lease that ends later finds the mark
//! and leaves the total alone, and so does a load that is taken later, by somebody who has not heard yet. So a lease
//! needs no lock and no look at the router, which may be gone.
//!
//! **A counter lives until its owner is gone and nothing is left to count.** Then nobody can reach it: its owner marked
//! it as the last thing, and a load is a reference. A reference count beside it would say the same again, at the price
//! of one more atomic step to take a load and one more to give it back.
//!
//! `tests/models.rs` has a model checker go through what threads can do here at once.

#![expect(
    unsafe_code,
    reason = "a third of what an idle request costs: two of six atomic steps"
)]

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::mem::{self, size_of};
use core::ptr::NonNull;

use crate::Count;
use crate::life::Life;

/// The mark of a counter whose node has left: what it counts is not in the total.
const LEFT: usize = 1 << (usize::BITS - 1);

/// The mark of a counter whose owner is gone: nobody takes a load from it any more.
const GONE: usize = LEFT >> 1;

/// What is no count. A node whose owner is gone has left.
const MARKS: usize = LEFT | GONE;

/// The most loads: far from the marks, since threads that find too many have counted theirs already. So many leases do
/// not fit into memory, but can be forgotten.
const MOST: usize = GONE / 2;

/// The most loads that are counted in one fleet: an eighth of `usize`.
pub const MAX_LOADS: u64 = MOST as u64;

/// What all nodes hold together.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Fleet<K> {
    total: K,
    overflows: K,
    life: Life,
}

/// What one node holds.
#[derive(Debug)]
#[repr(align(64))]
struct Held<K, N> {
    count: K,
    beside: N,
    /// There as long as the node is a member, and as a load of a member is in its total.
    fleet: NonNull<Fleet<K>>,
    life: Life,
}

/// The total of some nodes' loads, and the owner's hold on it.
pub struct FleetLoad<K: Count>(NonNull<Fleet<K>>);

/// A node's count of loads, and the owner's hold on it. When it ends, the node has [left](Self::leave).
///
/// `N` lies beside the count, on its cache line while it fits: an id, or statistics that are written together with it.
pub struct NodeLoad<K: Count, N> {
    held: NonNull<Held<K, N>>,
    fleet: Arc<FleetLoad<K>>,
}

/// A load that is in the total and has no node yet: taken out again unless a node takes it, also when a rule or a
/// hasher panics.
pub struct Announced<'a, K: Count> {
    fleet: &'a FleetLoad<K>,
    before: u64,
}

/// A load on a node: given back when it ends.
#[must_use = "the load ends where this is dropped"]
pub struct Load<K: Count, N>(NonNull<Held<K, N>>);

// SAFETY: all three give out `&Held` and `&Fleet` alone, which are `Sync` where the counts and what lies beside them
// are, and free them on whatever thread is the last: then both must be `Send` too.
unsafe impl<K: Count + Send + Sync> Send for FleetLoad<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync> Sync for FleetLoad<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync, N: Send + Sync> Send for NodeLoad<K, N> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync, N: Send + Sync> Sync for NodeLoad<K, N> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync, N: Send + Sync> Send for Load<K, N> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync, N: Send + Sync> Sync for Load<K, N> {}

impl<K: Count> FleetLoad<K> {
    /// The bytes of its counter on the heap.
    pub const BYTES: usize = size_of::<Fleet<K>>();

    fn fleet(&self) -> &Fleet<K> {
        // SAFETY: the total is not marked before this ends.
        let fleet = unsafe { self.0.as_ref() };
        fleet.life.is_looked_at();
        fleet
    }

    /// Counts a load before it has a node; `None` if there are [`MAX_LOADS`].
    #[inline]
    #[must_use]
    pub fn announce(&self) -> Option<Announced<'_, K>> {
        let before = self.fleet().total.add(1);
        let announced = Announced {
            fleet: self,
            before: before as u64,
        };
        (before < MOST).then_some(announced)
    }

    /// How many loads there are, announced ones included.
    #[inline]
    #[must_use]
    pub fn total(&self) -> u64 {
        self.fleet().total.get() as u64
    }

    /// How many were [counted](Self::count_overflow) as taken by a node that did not admit them.
    #[must_use]
    pub fn overflows(&self) -> u64 {
        self.fleet().overflows.get() as u64
    }

    /// Counts a load that was taken by a node that did not admit it.
    pub fn count_overflow(&self) {
        self.fleet().overflows.add(1);
    }
}

impl<K: Count> Default for FleetLoad<K> {
    fn default() -> Self {
        Self(NonNull::from(Box::leak(Box::default())))
    }
}

impl<K: Count> Drop for FleetLoad<K> {
    fn drop(&mut self) {
        if self.fleet().total.set_bits(GONE) == 0 {
            // SAFETY: marked, and nothing left in it.
            unsafe { free_fleet(self.0) };
        }
    }
}

impl<K: Count> Announced<'_, K> {
    /// How many loads there were before it.
    #[inline]
    #[must_use]
    pub fn before(&self) -> u64 {
        self.before
    }
}

impl<K: Count> Drop for Announced<'_, K> {
    fn drop(&mut self) {
        self.fleet.fleet().total.subtract(1);
    }
}

impl<K: Count, N> NodeLoad<K, N> {
    /// The bytes of its counter on the heap.
    pub const BYTES: usize = size_of::<Held<K, N>>();

    /// The count of an idle node of this fleet.
    #[must_use]
    pub fn new(beside: N, fleet: &Arc<FleetLoad<K>>) -> Self {
        let held = Held {
            count: K::default(),
            beside,
            fleet: fleet.0,
            life: Life::default(),
        };
        Self {
            held: NonNull::from(Box::leak(Box::new(held))),
            fleet: fleet.clone(),
        }
    }

    fn get(&self) -> &Held<K, N> {
        // SAFETY: the count is not marked as one without an owner before this ends.
        let held = unsafe { self.held.as_ref() };
        held.life.is_looked_at();
        held
    }

    /// What lies beside the count.
    #[inline]
    #[must_use]
    pub fn beside(&self) -> &N {
        &self.get().beside
    }

    /// How many loads the node holds; those of one that left included, until they end.
    #[inline]
    #[must_use]
    pub fn held(&self) -> u64 {
        (self.get().count.get() & !MARKS) as u64
    }

    /// The fleet that it belongs to.
    #[inline]
    #[must_use]
    pub fn fleet(&self) -> &Arc<FleetLoad<K>> {
        &self.fleet
    }

    /// Takes an announced load of this fleet if `admits` says so of the count, in one step. Gives the new count too.
    ///
    /// The load of a node that has left is none of the total's. One that was announced to another fleet is refused.
    #[inline]
    pub fn take_if(
        &self,
        load: &mut Option<Announced<'_, K>>,
        admits: impl Fn(u64) -> bool,
    ) -> Option<(Load<K, N>, u64)> {
        let node = self.get();
        let announced = load.take_if(|load| load.fleet.0 == node.fleet)?;
        let may = |count: usize| admits((count & !MARKS) as u64);
        match node.count.add_if(may) {
            Some(before) => {
                if before & LEFT == 0 {
                    // From now on the load on the node is what is in the total.
                    mem::forget(announced);
                }
                Some((Load(self.held), (before & !MARKS) as u64 + 1))
            }
            None => {
                *load = Some(announced);
                None
            }
        }
    }

    /// Takes the node, and all that it holds, out of the total, at once and for good. Again it does nothing.
    ///
    /// It still counts what it holds, and what those take from it who have not heard.
    pub fn leave(&self) {
        self.mark(LEFT);
    }

    /// Marks the count, with [`LEFT`] among the marks; gives it as it was.
    fn mark(&self, marks: usize) -> usize {
        let before = self.get().count.set_bits(marks);
        if before & LEFT == 0 {
            self.fleet.fleet().total.subtract(before);
        }
        before
    }
}

impl<K: Count, N> Drop for NodeLoad<K, N> {
    fn drop(&mut self) {
        if self.mark(MARKS) & !MARKS == 0 {
            // SAFETY: marked, and nothing left in it. Otherwise the last of its loads may have freed it by now.
            unsafe { free_held(self.held) };
        }
    }
}

impl<K: Count, N> Load<K, N> {
    #[inline]
    fn get(&self) -> &Held<K, N> {
        // SAFETY: this load is in its count.
        let held = unsafe { self.0.as_ref() };
        held.life.is_looked_at();
        held
    }

    /// What lies beside the node's count.
    #[inline]
    #[must_use]
    pub fn beside(&self) -> &N {
        &self.get().beside
    }
}

impl<K: Count, N> Drop for Load<K, N> {
    #[inline]
    fn drop(&mut self) {
        let Held { count, fleet, .. } = self.get();
        let fleet = *fleet;
        let before = count.subtract(1);
        // The node may be gone from here on. The low bits count the loads of one that left down to 0.
        if before & LEFT == 0 {
            // SAFETY: the node was a member still, so this load is in the total and keeps that there.
            let fleet_held = unsafe { fleet.as_ref() };
            fleet_held.life.is_looked_at();
            if fleet_held.total.subtract(1) == GONE + 1 {
                // SAFETY: marked, and nothing left in it.
                unsafe { free_fleet(fleet) };
            }
        } else if before == MARKS + 1 {
            // SAFETY: marked, and nothing left in it.
            unsafe { free_held(self.0) };
        }
    }
}

/// Frees a counter.
///
/// # Safety
///
/// It came out of a box, its owner is gone, and it counts nothing: then this is the one step that found it so, and
/// nobody has a reference.
#[cold]
unsafe fn free_held<K, N>(counter: NonNull<Held<K, N>>) {
    // SAFETY: as above.
    let counter = unsafe { Box::from_raw(counter.as_ptr()) };
    counter.life.ends();
}

/// Frees a total.
///
/// # Safety
///
/// As of [`free_held`].
#[cold]
unsafe fn free_fleet<K>(total: NonNull<Fleet<K>>) {
    // SAFETY: as above.
    let total = unsafe { Box::from_raw(total.as_ptr()) };
    total.life.ends();
}

impl<K: Count> fmt::Debug for FleetLoad<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FleetLoad")
            .field("total", &self.total())
            .field("overflows", &self.overflows())
            .finish()
    }
}

impl<K: Count, N: fmt::Debug> fmt::Debug for NodeLoad<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeLoad")
            .field("held", &self.held())
            .field("beside", self.beside())
            .finish()
    }
}

impl<K: Count> fmt::Debug for Announced<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Announced")
            .field("before", &self.before)
            .finish_non_exhaustive()
    }
}

impl<K: Count, N: fmt::Debug> fmt::Debug for Load<K, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Load")
            .field("beside", self.beside())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use core::cell::{Cell, RefCell};
    use std::thread_local;

    use super::*;
    use crate::count::sealed::Steps;

    thread_local! {
        /// What another thread does right after the next subtraction.
        static MEANWHILE: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
        static FREED: Cell<u32> = const { Cell::new(0) };
    }

    /// A count that says when it is freed.
    #[derive(Debug, Default)]
    struct Told(Cell<usize>);

    impl Count for Told {}

    impl Steps for Told {
        fn get(&self) -> usize {
            self.0.get()
        }
        fn add(&self, more: usize) -> usize {
            self.0.replace(self.0.get() + more)
        }
        fn subtract(&self, less: usize) -> usize {
            let before = self.0.replace(self.0.get() - less);
            if let Some(meanwhile) = MEANWHILE.take() {
                meanwhile();
            }
            before
        }
        fn set_bits(&self, bits: usize) -> usize {
            self.0.replace(self.0.get() | bits)
        }
        fn add_if(&self, may: impl Fn(usize) -> bool) -> Option<usize> {
            may(self.0.get()).then(|| self.add(1))
        }
    }

    impl Drop for Told {
        fn drop(&mut self) {
            FREED.set(FREED.get() + 1);
        }
    }

    #[test]
    fn a_router_may_end_between_the_two_steps_of_a_release() {
        let fleet = Arc::<FleetLoad<Told>>::default();
        let node = NodeLoad::new("a", &fleet);
        let mut announced = fleet.announce();
        let (load, held) = node.take_if(&mut announced, |_| true).unwrap();
        assert_eq!((held, fleet.total(), announced.is_none()), (1, 1, true));
        drop(announced); // the borrow ends
        MEANWHILE.set(Some(Box::new(move || {
            drop((node, fleet));
            // The node's count. The load is in the total still, whose two live on.
            assert_eq!(FREED.get(), 1);
        })));
        drop(load);
        assert_eq!(FREED.get(), 3);
    }
}
