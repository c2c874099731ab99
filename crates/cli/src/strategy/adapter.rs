//! [`Adapter`]: a router as a [`Strategy`].
//!
//! What a router can do are traits, which are known when a program is compiled. A constructor for each
//! set of them turns them into values: a router without `RemoveNode` does not compile as [`weighted`].

use keyroute::{
    AddNode, Bounded, KeyHasher, Lease, Native, Node, NodeId, Rebuild, RemoveLast, RemoveNode,
    Reweight, RouteError, Router, Slot, VectorRing, Walk,
};

use super::layouts::{Holders, Layouts, Mapped};
use super::{BoxedWalk, Loads, Refusal, Strategy};
use crate::change::{Change, Reweighting};

/// A router and its abilities.
pub(super) struct Adapter<R> {
    router: R,
    change: Box<Changes<R>>,
    walk: Option<fn(&R) -> &dyn Walk>,
    own_walk: Option<fn(R) -> BoxedWalk>,
    loads: Option<fn(&R) -> &dyn Loads>,
    layouts: Layouts<R>,
}

/// How a router is changed.
type Changes<R> = dyn Fn(&mut R, &Change) -> Result<(), Refusal> + Send + Sync;

impl<R> Adapter<R> {
    fn new(
        router: R,
        change: impl Fn(&mut R, &Change) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        Self {
            router,
            change: Box::new(change),
            walk: None,
            own_walk: None,
            loads: None,
            layouts: Layouts::default(),
        }
    }

    /// The same with its preference order.
    pub(super) fn walking(mut self) -> Self
    where
        R: Walk + Send + Sync + 'static,
    {
        self.walk = Some(|router| router);
        self.own_walk = Some(|router| Box::new(router));
        self
    }

    /// The same with these layouts.
    pub(super) fn laid_out(mut self, layouts: Layouts<R>) -> Self {
        self.layouts = layouts;
        self
    }
}

/// Any node joins, leaves or changes its weight.
pub(super) fn weighted<R: AddNode + RemoveNode + Reweight>(router: R) -> Adapter<R> {
    Adapter::new(router, |router, change| {
        match change {
            Change::Add(node) => router.add(node.clone()).map(drop)?,
            Change::Remove(id) => router.remove(id.as_str()).map(drop)?,
            Change::Reweight(Reweighting { id, weight }) => {
                router.reweight(id.as_str(), *weight).map(drop)?;
            }
        }
        Ok(())
    })
}

/// Any node joins or leaves; there are no weights.
pub(super) fn unweighted<R: AddNode + RemoveNode>(router: R) -> Adapter<R> {
    Adapter::new(router, |router, change| {
        match change {
            Change::Add(node) => router.add(node.clone()).map(drop)?,
            Change::Remove(id) => router.remove(id.as_str()).map(drop)?,
            Change::Reweight(_) => return Err(NO_WEIGHTS),
        }
        Ok(())
    })
}

/// Nodes join at the end of a list and leave from there; there are no weights.
pub(super) fn listed<R: AddNode + RemoveLast>(router: R) -> Adapter<R> {
    Adapter::new(router, |router, change| {
        match change {
            Change::Add(node) => router.add(node.clone()).map(drop)?,
            Change::Remove(id) => {
                let members = router.members();
                let slot = members.find(id.as_str())?;
                if let Some(&last) = members.listed().last()
                    && last != slot
                    && let Some(node) = members.get(last)
                {
                    return Err(Refusal::NotLast {
                        last: node.id().clone(),
                    });
                }
                router.remove_last().map(drop)?;
            }
            Change::Reweight(_) => return Err(NO_WEIGHTS),
        }
        Ok(())
    })
}

/// Nodes join and leave by a system's own calls, which keep no law of ours; there are no weights.
pub(super) fn in_place<R: Router + 'static>(
    router: R,
    add: fn(&mut R, &Node) -> Result<(), RouteError>,
    remove: fn(&mut R, &NodeId),
) -> Adapter<R> {
    Adapter::new(router, move |router, change| {
        let members = router.members();
        match change {
            Change::Add(node) if members.slot_of(node.id().as_str()).is_some() => {
                let id = node.id().clone();
                return Err(RouteError::AlreadyMember { id }.into());
            }
            Change::Add(node) => add(router, node)?,
            Change::Remove(id) => {
                members.find(id.as_str())?;
                remove(router, id);
            }
            Change::Reweight(_) => return Err(NO_WEIGHTS),
        }
        Ok(())
    })
}

/// Every change is a list, and the router is made anew of it.
pub(super) fn rebuilt<R: Rebuild>(router: R) -> Adapter<R> {
    Adapter::new(router, |router, change| {
        let mut nodes: Vec<Node> = router.members().listed_nodes().cloned().collect();
        change.apply(&mut nodes)?;
        Ok(router.rebuild(&nodes)?)
    })
}

/// A ring with its loads bounded. Replicas are the plain ring's: a load that is forwarded does not move
/// them.
pub(super) fn bounded<H: KeyHasher + Send + Sync + 'static>(
    router: Bounded<VectorRing<Native<H>>>,
) -> Adapter<Bounded<VectorRing<Native<H>>>> {
    Adapter {
        walk: Some(|router| router.get_ref()),
        own_walk: Some(|router| Box::new(router.into_inner())),
        loads: Some(|router| router),
        layouts: Layouts::of_bounded(),
        ..weighted(router)
    }
}

const NO_WEIGHTS: Refusal = Refusal::Unable("has no weights");

impl<R: Router + Send + Sync> Strategy for Adapter<R> {
    fn router(&self) -> &dyn Router {
        &self.router
    }

    fn change(&mut self, change: &Change) -> Result<(), Refusal> {
        (self.change)(&mut self.router, change)
    }

    fn as_walk(&self) -> Option<&dyn Walk> {
        self.walk.map(|walk| walk(&self.router))
    }

    fn into_walk(self: Box<Self>) -> Option<BoxedWalk> {
        self.own_walk.map(|walk| walk(self.router))
    }

    fn as_loads(&self) -> Option<&dyn Loads> {
        self.loads.map(|loads| loads(&self.router))
    }

    fn layouts(&self, holders: Holders) -> Vec<Mapped<'_>> {
        self.layouts.of(&self.router, holders)
    }
}

impl<H: KeyHasher + Send + Sync> Loads for Bounded<VectorRing<Native<H>>> {
    fn acquire(&self, key: &[u8]) -> Option<Lease> {
        self.acquire(key)
    }

    fn capacity(&self, slot: Slot) -> Option<u64> {
        self.capacity(slot)
    }
}
