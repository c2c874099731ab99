//! [`Forwarding`]: where a load goes next when a node is full.

use core::ops::ControlFlow;

use keyroute_core::{Slot, Walk};

/// The order in which nodes are offered a key's load.
///
/// Implementors: `candidates` must call `visit` with every member that owns keys, once, **the owner
/// first** (else an idle router would not answer as the plain strategy), stop when told to, and
/// depend on nothing but the router and the key.
pub trait Forwarding<R> {
    /// The order's name in descriptions.
    const NAME: &'static str;

    /// Offers the key's load to one node after another, until `visit` breaks.
    fn candidates(&self, router: &R, key: &[u8], visit: &mut dyn FnMut(Slot) -> ControlFlow<()>);

    /// The node that [`candidates`](Self::candidates) visits first, if it is found sooner than by asking
    /// them; `None` if not.
    ///
    /// Most loads go to this node. Where it refuses, the order is asked, and the node not again in that lap.
    #[inline]
    fn owner(&self, _router: &R, _key: &[u8]) -> Option<Slot> {
        None
    }
}

/// The strategy's own preference order: a load goes where it would go if the full node were gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InWalkOrder;

impl<R: Walk> Forwarding<R> for InWalkOrder {
    const NAME: &'static str = "in walk order";

    fn candidates(&self, router: &R, key: &[u8], visit: &mut dyn FnMut(Slot) -> ControlFlow<()>) {
        router.walk(key, visit);
    }

    #[inline]
    fn owner(&self, router: &R, key: &[u8]) -> Option<Slot> {
        router.route(key)
    }
}
