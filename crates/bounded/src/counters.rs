//! The counters: one a node, one for all, each on a cache line of its own and each the count by which its memory is
//! freed.
//!
//! **The total never is below the sum of the nodes' counts.** Whatever changes raises the total before
//! a node's count and lowers it after, so a capacity computed from the total is never too small for
//! what the nodes hold. (An observer who reads several counters one after another sees each at another
//! moment.)
//!
//! **A load is given back once, whatever happens to its node.** A node that leaves has its counter
//! marked and its count taken out of the total in one step each; a lease that ends later finds the mark
//! and leaves the total alone. So a lease needs no lock and no look at the router, which may be gone.
//!
//! **A counter lives until it is marked and nothing is left to count.** Then nobody can reach it: its owner marked it
//! as the last thing, and a load is a reference. A reference count beside it would say the same again, at the price
//! of one more atomic step to take a load and one more to give it back.

#![expect(
    unsafe_code,
    reason = "a third of what an idle request costs: two of six atomic steps"
)]

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::mem::{self, size_of};
use core::ptr::NonNull;

use keyroute_core::NodeId;

use crate::Count;

/// The mark of a counter whose owner is gone, above any count.
const LEFT: usize = 1 << (usize::BITS - 1);

/// The most loads: far from the mark, since threads that find too many have counted theirs already. So many leases do
/// not fit into memory, but can be forgotten.
const MOST: usize = LEFT / 2;

/// What all nodes hold together.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Fleet<K> {
    total: K,
    overflows: K,
}

/// What one node holds.
#[derive(Debug)]
#[repr(align(64))]
struct Held<K> {
    count: K,
    id: NodeId,
    /// There as long as the node is a member, and as a load of a member is in its total.
    fleet: NonNull<Fleet<K>>,
}

/// The router's hold on the total.
pub(crate) struct FleetLoad<K: Count>(NonNull<Fleet<K>>);

/// The router's hold on a member's counter. When it ends, the node and all it holds leave the total.
pub(crate) struct NodeLoad<K: Count> {
    held: NonNull<Held<K>>,
    fleet: Arc<FleetLoad<K>>,
}

/// A load that is in the total and has no node yet: taken out again unless a node takes it, also when a rule or a
/// hasher panics.
pub(crate) struct Announced<'a, K: Count> {
    fleet: &'a FleetLoad<K>,
    before: u64,
}

/// A load on a node: given back when it ends.
pub(crate) struct Load<K: Count>(NonNull<Held<K>>);

// SAFETY: all three give out `&Held` and `&Fleet` alone, which are `Sync` where the counts are, and free them on
// whatever thread is the last: ids and counts may be sent.
unsafe impl<K: Count + Send + Sync> Send for FleetLoad<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync> Sync for FleetLoad<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync> Send for NodeLoad<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync> Sync for NodeLoad<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync> Send for Load<K> {}
// SAFETY: as above.
unsafe impl<K: Count + Send + Sync> Sync for Load<K> {}

impl<K: Count> FleetLoad<K> {
    pub(crate) const BYTES: usize = size_of::<Fleet<K>>();

    fn fleet(&self) -> &Fleet<K> {
        // SAFETY: the total is not marked before this ends.
        unsafe { self.0.as_ref() }
    }

    /// Counts a load before it has a node; `None` if there are too many.
    #[inline]
    pub(crate) fn announce(&self) -> Option<Announced<'_, K>> {
        let before = self.fleet().total.add(1);
        let announced = Announced {
            fleet: self,
            before: before as u64,
        };
        (before < MOST).then_some(announced)
    }

    #[inline]
    pub(crate) fn total(&self) -> u64 {
        self.fleet().total.get() as u64
    }

    pub(crate) fn overflows(&self) -> u64 {
        self.fleet().overflows.get() as u64
    }

    pub(crate) fn count_overflow(&self) {
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
        if self.fleet().total.set_bits(LEFT) == 0 {
            // SAFETY: marked, and nothing left in it.
            unsafe { free(self.0) };
        }
    }
}

impl<K: Count> Announced<'_, K> {
    /// How many loads there were before it.
    #[inline]
    pub(crate) fn before(&self) -> u64 {
        self.before
    }
}

impl<K: Count> Drop for Announced<'_, K> {
    fn drop(&mut self) {
        self.fleet.fleet().total.subtract(1);
    }
}

impl<K: Count> NodeLoad<K> {
    pub(crate) const BYTES: usize = size_of::<Held<K>>();

    pub(crate) fn new(id: &NodeId, fleet: &Arc<FleetLoad<K>>) -> Self {
        let held = Held {
            count: K::default(),
            id: id.clone(),
            fleet: fleet.0,
        };
        Self {
            held: NonNull::from(Box::leak(Box::new(held))),
            fleet: fleet.clone(),
        }
    }

    fn get(&self) -> &Held<K> {
        // SAFETY: the count is not marked before this ends.
        unsafe { self.held.as_ref() }
    }

    pub(crate) fn id(&self) -> &NodeId {
        &self.get().id
    }

    #[inline]
    pub(crate) fn held(&self) -> u64 {
        self.get().count.get() as u64
    }

    /// Takes an announced load of this fleet if `admits` says so of the count, in one step. Gives the new count too.
    #[inline]
    pub(crate) fn take_if(
        &self,
        load: &mut Option<Announced<'_, K>>,
        admits: impl Fn(u64) -> bool,
    ) -> Option<(Load<K>, u64)> {
        let announced = load.take()?;
        debug_assert_eq!(announced.fleet.0, self.fleet.0);
        match self.get().count.add_if(|held| admits(held as u64)) {
            Some(held) => {
                // From now on the load on the node is what is in the total.
                mem::forget(announced);
                Some((Load(self.held), held as u64 + 1))
            }
            None => {
                *load = Some(announced);
                None
            }
        }
    }
}

impl<K: Count> Drop for NodeLoad<K> {
    fn drop(&mut self) {
        let held = self.get().count.set_bits(LEFT);
        self.fleet.fleet().total.subtract(held);
        if held == 0 {
            // SAFETY: marked, and nothing left in it. Otherwise the last of its loads may have freed it by now.
            unsafe { free(self.held) };
        }
    }
}

impl<K: Count> Load<K> {
    fn get(&self) -> &Held<K> {
        // SAFETY: this load is in its count.
        unsafe { self.0.as_ref() }
    }

    pub(crate) fn id(&self) -> &NodeId {
        &self.get().id
    }
}

impl<K: Count> Drop for Load<K> {
    #[inline]
    fn drop(&mut self) {
        let Held { count, fleet, .. } = self.get();
        let fleet = *fleet;
        let before = count.subtract(1);
        // The node may be gone from here on. The low bits count the loads of one that left down to 0.
        if before & LEFT == 0 {
            // SAFETY: the node was a member still, so this load is in the total and keeps that there.
            let total = unsafe { &fleet.as_ref().total };
            if total.subtract(1) == LEFT + 1 {
                // SAFETY: marked, and nothing left in it.
                unsafe { free(fleet) };
            }
        } else if before == LEFT + 1 {
            // SAFETY: marked, and nothing left in it.
            unsafe { free(self.0) };
        }
    }
}

/// Frees a counter.
///
/// # Safety
///
/// It came out of a box, it is marked, and it counts nothing: then this is the one step that found it so, and nobody
/// has a reference.
#[cold]
unsafe fn free<T>(counter: NonNull<T>) {
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(counter.as_ptr()) });
}

impl<K: Count> fmt::Debug for FleetLoad<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fleet().fmt(f)
    }
}

impl<K: Count> fmt::Debug for NodeLoad<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeLoad")
            .field("id", self.id())
            .field("held", &self.held())
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
        let node = NodeLoad::new(&NodeId::new("a").unwrap(), &fleet);
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
