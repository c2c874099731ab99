//! [`Walk`]: every node once, in a key's order of preference, and what stands on it.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::{NodeId, OwnedRange, RouteDigest, Router, Slot, SlotSet, zone_order};

/// Routers with a preference order: for each key all nodes, the owner first.
///
/// Callers use [`WalkExt`]. Implementors: `walk_with` must clear `seen` first, call `visit` with
/// every member that owns keys exactly once, the owner first, stop when told to, and allocate
/// nothing beyond what `seen` needs.
///
/// Strategies that claim the law *a node left out is only left out of each walk* have the restriction
/// property: taking a node out of the set takes it out of every key's order and changes nothing else. A layer
/// that reorders (zones first) cannot have it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order of nodes",
    note = "`Rehashed` of `keyroute-cluster` gives any router one"
)]
pub trait Walk: Router {
    /// Walks the key's order until `visit` breaks, with a set that the caller lends.
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    );

    /// Walks the key's order until `visit` breaks. Up to 1,024 slots nothing is allocated.
    fn walk(&self, key: &[u8], visit: &mut dyn FnMut(Slot) -> ControlFlow<()>) {
        self.walk_with(key, &mut SlotSet::new(), visit);
    }

    /// The first nodes of the key's order, as many as `out` has room for; gives how many.
    ///
    /// What [`WalkExt::replicas_into`] gives. A router whose walk meets nodes again (a ring's does) need not
    /// keep a set of them where few are wanted.
    fn first_into(&self, key: &[u8], out: &mut [Slot]) -> usize {
        first_of_walk(self, key, out)
    }
}

/// Routers whose walk reads nothing of a key but its digest.
///
/// Implementors: the walk of a key must equal that of its digest.
pub trait WalkDigest: Walk + RouteDigest {
    /// Walks the order of the key with this hash until `visit` breaks, with a set that the caller lends.
    fn walk_value_with(
        &self,
        value: Self::Width,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    );

    /// Walks the order of the key with this hash until `visit` breaks. Up to 1,024 slots nothing is
    /// allocated.
    fn walk_value(&self, value: Self::Width, visit: &mut dyn FnMut(Slot) -> ControlFlow<()>) {
        self.walk_value_with(value, &mut SlotSet::new(), visit);
    }
}

/// Routers whose walks are the same throughout ranges of hashes: what ownership by more than the first node
/// can be computed from, exactly.
///
/// Of rings those that search in one direction ([`OneWay`](crate::OneWay)): on one that searches the nearest
/// point the order changes between two points as well.
pub trait WalkRanges: WalkDigest {
    /// Ranges of hashes whose keys share one walk, clockwise, the one that holds 0 first: disjoint and
    /// without gaps, their owners the first of the walk. Neighbours may have one owner, or one walk. Empty
    /// without members.
    ///
    /// O(points), and allocates the answer.
    fn walk_ranges(&self) -> Vec<OwnedRange<Self::Width>>;
}

/// What a [`Walk`] gives: replicas, spread over zones or not, and the first node that serves.
///
/// Costs a lookup and then, for each node met, what the strategy's walk costs; on a ring of V points
/// a node the first k nodes take about k steps over consecutive points.
///
/// ```
/// use keyroute_core::WalkExt;
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b", "c"])?;
///
/// let replicas = ring.replicas(b"user:1", 2); // the owner and the next node
/// assert_eq!(replicas.len(), 2);
/// assert_eq!(Some(replicas[0]), ring.route(b"user:1"));
///
/// let down = replicas[0];
/// assert_eq!(ring.first_where(b"user:1", |slot| slot != down), Some(replicas[1]));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
pub trait WalkExt: Walk {
    /// The first `n` nodes of the key's order, each once; all of them if there are fewer.
    ///
    /// Allocates the answer, never more than one place a member.
    fn replicas(&self, key: &[u8], n: usize) -> Vec<Slot> {
        let mut out = Vec::with_capacity(n.min(self.members().len()));
        take(self, key, n, &mut |slot| out.push(slot));
        out
    }

    /// The first nodes of the key's order, as many as `out` has room for; gives how many. Allocates
    /// nothing up to 1,024 slots.
    fn replicas_into(&self, key: &[u8], out: &mut [Slot]) -> usize {
        self.first_into(key, out)
    }

    /// The ids of the first `n` nodes of the key's order.
    fn replica_ids(&self, key: &[u8], n: usize) -> Vec<&NodeId> {
        let slots = self.replicas(key, n);
        slots
            .into_iter()
            .filter_map(|slot| Some(self.members().get(slot)?.id()))
            .collect()
    }

    /// `n` nodes in distinct zones while zones last, then the other nodes in the key's order.
    ///
    /// A greedy filter over the one order ([`zone_order`]): the owner is first, the answer for `n` begins
    /// the answer for `n + 1`. Nodes without a zone stand together in one nameless zone. Allocates the answer,
    /// never more than one place a member. Whether all stand in zones of their own, `keyroute-zone-aware`
    /// says.
    fn zone_replicas(&self, key: &[u8], n: usize) -> Vec<Slot> {
        let mut out = Vec::with_capacity(n.min(self.members().len()));
        let walk = |visit: &mut dyn FnMut(Slot) -> ControlFlow<()>| self.walk(key, visit);
        let members = self.members();
        first(n, |visit| zone_order(members, walk, visit), &mut |slot| {
            out.push(slot);
        });
        out
    }

    /// The first node of the key's order that satisfies the predicate: health at the time of the
    /// pick. Each node is asked once; `None` when all were.
    fn first_where(&self, key: &[u8], mut accept: impl FnMut(Slot) -> bool) -> Option<Slot> {
        let mut found = None;
        self.walk(key, &mut |slot| {
            if accept(slot) {
                found = Some(slot);
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        found
    }
}

impl<R: Walk + ?Sized> WalkExt for R {}

/// [`Walk::first_into`] by the walk.
pub(crate) fn first_of_walk<R: Walk + ?Sized>(router: &R, key: &[u8], out: &mut [Slot]) -> usize {
    let mut count = 0;
    let mut places = out.iter_mut();
    take(router, key, places.len(), &mut |slot| {
        if let Some(place) = places.next() {
            *place = slot;
            count += 1;
        }
    });
    count
}

fn take<R: Walk + ?Sized>(router: &R, key: &[u8], n: usize, keep: &mut dyn FnMut(Slot)) {
    first(n, |visit| router.walk(key, visit), keep);
}

/// Keeps the first `n` of a walk.
fn first(
    n: usize,
    walk: impl FnOnce(&mut dyn FnMut(Slot) -> ControlFlow<()>),
    keep: &mut dyn FnMut(Slot),
) {
    let mut left = n;
    if left == 0 {
        return;
    }
    walk(&mut |slot| {
        keep(slot);
        left -= 1;
        if left == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
}
