//! Faults of bounded loads.

use std::marker::PhantomData;

use keyroute_bounded::{Bounded, Exact, Lease};
use keyroute_conformance::Loads;
use keyroute_core::{Description, Members, Node, NodeId, RemoveNode, RouteError, Router, Slot};

use crate::fault::{Made, Sound, Wrong, sound};

type Inner = Bounded<Sound>;

/// One fault: whatever it does not override is as it should be.
pub(crate) trait LoadFault {
    fn acquire(inner: &Inner, key: &[u8]) -> Option<Lease> {
        inner.acquire(key)
    }
    fn capacity(inner: &Inner, slot: Slot) -> Option<u64> {
        inner.capacity(slot)
    }
    /// `departed` loads were on nodes that have left.
    fn total(inner: &Inner, _departed: u64) -> u64 {
        inner.total()
    }
    fn end(lease: Lease) {
        drop(lease);
    }
}

/// A sound bounded router with one fault.
pub(crate) struct Loaded<F> {
    inner: Inner,
    departed: u64,
    fault: PhantomData<F>,
}

impl<F: LoadFault + 'static> Made for Loaded<F> {
    fn made(nodes: &[Node]) -> Result<Self, RouteError> {
        Ok(Self {
            inner: Bounded::new(sound(64, 16, nodes)?, Exact::new(250)?),
            departed: 0,
            fault: PhantomData,
        })
    }
}

impl<F> Router for Loaded<F> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.inner.route(key)
    }
    fn members(&self) -> &Members {
        self.inner.members()
    }
    fn describe(&self) -> Description {
        self.inner.describe()
    }
    fn heap_bytes(&self) -> usize {
        self.inner.heap_bytes()
    }
}

impl<F> RemoveNode for Loaded<F> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let slot = self.inner.members().find(id)?;
        self.departed += self.inner.load(slot).unwrap_or(0);
        self.inner.remove(id)
    }
}

/// A lease that ends as its fault says.
pub(crate) struct Ends<F: LoadFault>(Option<Lease>, NodeId, PhantomData<F>);

impl<F: LoadFault> Drop for Ends<F> {
    fn drop(&mut self) {
        if let Some(lease) = self.0.take() {
            F::end(lease);
        }
    }
}

/// How the laws ask them.
#[derive(Clone, Copy)]
pub(crate) struct Asked;

impl<F: LoadFault> Loads<Loaded<F>> for Asked {
    type Lease = Ends<F>;
    type Plain = Sound;

    fn plain(router: &Loaded<F>) -> &Sound {
        router.inner.get_ref()
    }
    fn acquire(router: &Loaded<F>, key: &[u8]) -> Option<Ends<F>> {
        let lease = F::acquire(&router.inner, key)?;
        let node = lease.node().clone();
        Some(Ends(Some(lease), node, PhantomData))
    }
    fn node(lease: &Ends<F>) -> NodeId {
        lease.1.clone()
    }
    fn total(router: &Loaded<F>) -> u64 {
        F::total(&router.inner, router.departed)
    }
    fn held(router: &Loaded<F>, slot: Slot) -> u64 {
        router.inner.load(slot).unwrap_or(0)
    }
    fn capacity(router: &Loaded<F>, slot: Slot) -> u64 {
        F::capacity(&router.inner, slot).unwrap_or(0)
    }
}

macro_rules! fault {
    ($(#[$doc:meta])* $name:ident { $($body:item)* }) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl LoadFault for $name {
            $($body)*
        }

        impl Wrong for $name {
            type Router = Loaded<Self>;
        }
    };
}

fault!(
    /// No fault: all laws hold.
    Sane {}
);

fault!(
    /// `<=` where `<` is meant.
    TakesOneTooMany {
        fn capacity(inner: &Inner, slot: Slot) -> Option<u64> {
            Some(inner.capacity(slot)? - 1)
        }
    }
);

fault!(
    /// Not the key's order.
    GoesElsewhere {
        fn acquire(inner: &Inner, key: &[u8]) -> Option<Lease> {
            inner.acquire(&[key, b"'"].concat())
        }
    }
);

fault!(
    /// Refuses where the owner is full.
    Sheds {
        fn acquire(inner: &Inner, key: &[u8]) -> Option<Lease> {
            let owner = inner.get_ref().route(key)?;
            if inner.load(owner) >= inner.capacity(owner) {
                return None;
            }
            inner.acquire(key)
        }
    }
);

fault!(
    /// Counts up and never down.
    Leaks {
        fn end(lease: Lease) {
            std::mem::forget(lease);
        }
    }
);

fault!(
    /// The loads of a node that left stay in the total.
    RemembersTheDead {
        fn total(inner: &Inner, departed: u64) -> u64 {
            inner.total() + departed
        }
    }
);
