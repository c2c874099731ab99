//! [`ZoneAware`]: a strategy whose replicas stand in distinct zones while zones last.

use alloc::format;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use keyroute_core::{
    AddNode, Contender, Description, Explanation, Fact, Fingerprint, HasherTag, KeyDigest, Members,
    Node, NodeId, OrderFree, OwnedRange, Ranges, Rebuild, RemoveLast, RemoveNode, Reweight, Role,
    RouteDigest, RouteError, Router, Slot, SlotSet, Walk, WalkDigest, WalkRanges, Weight,
    zone_order,
};

use crate::placement::zones;
use crate::{Placement, Spread};

type Visit<'v> = &'v mut dyn FnMut(Slot) -> ControlFlow<()>;

/// Replicas in distinct zones while zones last, over any strategy that has a preference order.
///
/// The owner of a key is the inner router's. Its [`Walk`] is the inner one's with zones first: of each
/// zone the first node, then all others, both in the inner order. So replicas, `first_where` and bounded loads
/// over it spread over zones too.
///
/// Nodes without a zone stand together in one zone without a name: nothing is known of where they are, so they
/// are not taken to be apart. [`requiring_zones`](Self::requiring_zones) refuses them.
///
/// | | cost, beside the inner strategy's |
/// | --- | --- |
/// | route | nothing |
/// | place, walk | the inner walk to the first node of the last zone that is reached; again from the beginning where replicas share zones |
/// | add, remove, reweight, rebuild | nothing, or a look at the zones where they are required |
/// | memory | nothing |
///
/// Lookups lock nothing, and up to 1,024 slots only the answer is allocated.
///
/// ```
/// use keyroute_vector_ring::{Node, VectorRing, Zone};
/// use keyroute_zone_aware::ZoneAware;
///
/// let node = |id: &str, zone: &str| Ok::<_, keyroute_zone_aware::RouteError>(Node::new(id)?.with_zone(Zone::new(zone)?));
/// let ring = VectorRing::from_nodes([node("a1", "a")?, node("a2", "a")?, node("b1", "b")?])?;
/// let router = ZoneAware::new(ring);
///
/// let two = router.place(b"user:1", 2);
/// assert_eq!(two.slots().first().copied(), router.route(b"user:1"));
/// assert!(two.spread().is_complete() && two.spread().is_apart()); // one in a, one in b
///
/// let three = router.place(b"user:1", 3);
/// assert_eq!((three.spread().nodes, three.spread().zones), (3, 2));
/// assert_eq!(
///     three.apart().unwrap_err().to_string(),
///     "3 replicas in zones of their own, but there are 2: ask for 2 at most, or accept replicas that share a zone",
/// );
/// # Ok::<(), keyroute_zone_aware::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ZoneAware<R> {
    router: R,
    required: bool,
}

impl<R: Router> ZoneAware<R> {
    /// A layer over this router. Nodes without a zone stand together in one.
    #[must_use]
    pub fn new(router: R) -> Self {
        Self {
            router,
            required: false,
        }
    }

    /// A layer over this router that accepts nodes with a zone only, now and later.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoZone`], which names the first node without one.
    pub fn requiring_zones(router: R) -> Result<Self, RouteError> {
        router
            .members()
            .iter()
            .try_for_each(|(_, node)| has_zone(node))?;
        Ok(Self {
            router,
            required: true,
        })
    }

    /// Whether nodes without a zone are refused.
    #[must_use]
    pub fn requires_zones(&self) -> bool {
        self.required
    }

    /// The inner router.
    #[must_use]
    pub fn get_ref(&self) -> &R {
        &self.router
    }

    /// Gives the inner router back.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.router
    }

    /// The nodes and their slots.
    #[must_use]
    pub fn members(&self) -> &Members {
        self.router.members()
    }

    /// The slot of the node that owns this key, as the inner router says; `None` without members.
    #[must_use]
    pub fn route(&self, key: &[u8]) -> Option<Slot> {
        self.router.route(key)
    }

    /// The id of the node that owns this key; `None` without members.
    #[must_use]
    pub fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        self.router.route_id(key)
    }

    /// Why this key goes where it goes, and its next nodes, zones first.
    #[must_use]
    pub fn explain(&self, key: &[u8]) -> Explanation {
        Router::explain(self, key)
    }

    /// What two processes compare to know that they answer alike.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Router::fingerprint(self)
    }

    fn check(&self, node: &Node) -> Result<(), RouteError> {
        if self.required {
            has_zone(node)
        } else {
            Ok(())
        }
    }
}

impl<R: Walk> ZoneAware<R> {
    /// The key's first `n` replicas, in distinct zones while zones last, and how far they reach.
    ///
    /// All nodes if there are fewer; [`Placement::complete`] and [`Placement::apart`] are for callers who must
    /// not accept that. The answer for `n` begins the answer for `n + 1`. Allocates the answer, never more
    /// than one place a member.
    #[must_use]
    pub fn place(&self, key: &[u8], n: usize) -> Placement<'_> {
        self.placement(n, &mut |visit| self.walk(key, visit))
    }

    /// The key's replicas among the nodes that satisfy the predicate, as if the others had left: with a zone or
    /// some nodes down, where a repair has to put what they held.
    ///
    /// It is asked up to twice of each node, and must answer the same.
    #[must_use]
    pub fn place_where(
        &self,
        key: &[u8],
        n: usize,
        accept: impl Fn(Slot) -> bool,
    ) -> Placement<'_> {
        let walk = |visit: Visit<'_>| {
            self.router.walk(key, &mut |slot| {
                if accept(slot) {
                    visit(slot)
                } else {
                    ControlFlow::Continue(())
                }
            });
        };
        self.placement(n, &mut |visit| zone_order(self.members(), walk, visit))
    }

    /// Writes the key's replicas, as many as `out` has room for, and says how far they reach: the first
    /// [`Spread::nodes`] places are written. Allocates nothing up to 1,024 slots.
    pub fn place_into(&self, key: &[u8], out: &mut [Slot]) -> Spread {
        let mut nodes = 0;
        first(out.len(), &mut |visit| self.walk(key, visit), &mut |slot| {
            out[nodes] = slot;
            nodes += 1;
        });
        Spread {
            asked: out.len(),
            nodes,
            zones: zones(self.members(), &out[..nodes]),
        }
    }

    /// How far `n` replicas reach, whatever the key: what there is to know before any key is placed. O(1).
    ///
    /// Only where a node owns nothing (libketama's rounding) may a key reach less far.
    #[must_use]
    pub fn spread(&self, n: usize) -> Spread {
        Spread {
            asked: n,
            nodes: n.min(self.members().len()),
            zones: n.min(self.members().zones()),
        }
    }

    fn placement(&self, n: usize, walk: &mut dyn FnMut(Visit<'_>)) -> Placement<'_> {
        let mut slots = Vec::with_capacity(n.min(self.members().len()));
        first(n, walk, &mut |slot| slots.push(slot));
        Placement::new(self.members(), slots, n)
    }
}

/// Keeps the first `n` of a walk.
pub(crate) fn first(n: usize, walk: &mut dyn FnMut(Visit<'_>), keep: &mut dyn FnMut(Slot)) {
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

fn has_zone(node: &Node) -> Result<(), RouteError> {
    match node.zone() {
        Some(_) => Ok(()),
        None => Err(RouteError::NoZone {
            id: node.id().clone(),
        }),
    }
}

impl<R: Router> Router for ZoneAware<R> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.router.route(key)
    }

    fn members(&self) -> &Members {
        self.router.members()
    }

    /// The inner description under another name: owners are equal, replicas are not.
    fn describe(&self) -> Description {
        let inner = self.router.describe();
        let scheme = format!("zone-aware/1 over {}", inner.scheme());
        let mut description = Description::new(&scheme, inner.order());
        for (name, value) in inner.fields() {
            description.field(name, value);
        }
        let slot = |node: &Node| self.members().slot_of(node.id().as_str());
        description.members_in(self.members(), inner.nodes().iter().filter_map(slot));
        description
    }

    fn heap_bytes(&self) -> usize {
        self.router.heap_bytes()
    }

    fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
        self.router.route_batch(keys, out)
    }

    /// The inner router's, and its order with zones first: each node with its zone and its place in the order without.
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let members = self.members();
        let inner = self.router.explain_with(key, members.len());
        // What an inner layer passes over has no part in the order.
        let (mut order, plain): (Vec<Contender>, Vec<Contender>) = inner
            .contenders()
            .iter()
            .cloned()
            .partition(|it| it.role == Role::Passed);
        let walk = |visit: Visit<'_>| {
            let _ = plain.iter().try_for_each(|it| visit(it.slot));
        };
        let mut zones_met = SlotSet::new();
        zone_order(members, walk, &mut |slot| {
            let found = plain.iter().zip(1..).find(|(it, _)| it.slot == slot);
            order.extend(found.map(|(it, place)| {
                let zone = members.zone_number(slot).and_then(Slot::new);
                it.clone().with(Fact::Zone {
                    zone: members.get(slot).and_then(Node::zone).cloned(),
                    first: zone.is_some_and(|zone| zones_met.insert(zone)),
                    place,
                })
            }));
            if order.iter().filter(|it| it.role == Role::Next).count() < next {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        inner.under(self).contended(order)
    }
}

impl<R: Walk> Walk for ZoneAware<R> {
    fn walk_with(&self, key: &[u8], seen: &mut SlotSet, visit: Visit<'_>) {
        let walk = |visit: Visit<'_>| self.router.walk_with(key, seen, visit);
        zone_order(self.members(), walk, visit);
    }
}

impl<R: RouteDigest> RouteDigest for ZoneAware<R> {
    type Width = R::Width;

    fn hasher_tag(&self) -> HasherTag {
        self.router.hasher_tag()
    }
    fn digest(&self, key: &[u8]) -> KeyDigest<R::Width> {
        self.router.digest(key)
    }
    fn route_value(&self, value: R::Width) -> Option<Slot> {
        self.router.route_value(value)
    }
    fn route_digests(
        &self,
        tag: HasherTag,
        values: &[R::Width],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        self.router.route_digests(tag, values, out)
    }
}

impl<R: WalkDigest> WalkDigest for ZoneAware<R> {
    fn walk_value_with(&self, value: R::Width, seen: &mut SlotSet, visit: Visit<'_>) {
        let walk = |visit: Visit<'_>| self.router.walk_value_with(value, seen, visit);
        zone_order(self.members(), walk, visit);
    }
}

impl<R: WalkRanges> WalkRanges for ZoneAware<R> {
    fn walk_ranges(&self) -> Vec<OwnedRange<R::Width>> {
        self.router.walk_ranges()
    }
}

impl<R: Ranges> Ranges for ZoneAware<R> {
    type Width = R::Width;

    fn ranges(&self) -> Vec<OwnedRange<R::Width>> {
        self.router.ranges()
    }
}

impl<R: AddNode> AddNode for ZoneAware<R> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.check(&node)?;
        self.router.add(node)
    }
}

impl<R: RemoveNode> RemoveNode for ZoneAware<R> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.router.remove(id)
    }
}

impl<R: RemoveLast> RemoveLast for ZoneAware<R> {
    fn remove_last(&mut self) -> Result<Node, RouteError> {
        self.router.remove_last()
    }
}

impl<R: Reweight> Reweight for ZoneAware<R> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        self.router.reweight(id, weight)
    }
}

impl<R: Rebuild> Rebuild for ZoneAware<R> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        nodes.iter().try_for_each(|node| self.check(node))?;
        self.router.rebuild(nodes)
    }
}

impl<R: OrderFree> OrderFree for ZoneAware<R> {}
