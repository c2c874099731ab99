//! [`Rehashed`]: an order of nodes for routers that have none.

use std::ops::ControlFlow;

use keyroute_core::hash::{Xxh3, mix64};
use keyroute_core::{
    AddNode, Description, Explanation, HasherTag, KeyDigest, KeyHasher, Members, Node, NodeId,
    OrderFree, Rebuild, RemoveLast, RemoveNode, Reweight, RouteDigest, RouteError, Router, Slot,
    SlotSet, Walk, Weight,
};

/// A preference order for any router: the owner, and then the owners of other keys that follow from this one.
///
/// What a table (Maglev), a formula (jump) or a preset without an order needs to pass over a node that is down.
/// The next node is drawn as the strategy draws it, so the keys of a node that is down spread over all others by
/// their shares; no other key moves. It has not the restriction property: that a node is *passed over* moves its
/// keys elsewhere than if it had *left*. So a newcomer in a ramp takes its keys from their old nodes when it
/// joins; those it does not admit yet go to others, and move a second time when it does.
///
/// | | cost, beside the router's |
/// | --- | --- |
/// | route | nothing |
/// | walk | two lookups to the second node; for all n nodes about n ln n, at most 16 n and 64 |
/// | memory | nothing |
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Rehashed};
/// use keyroute_maglev::Maglev;
///
/// let cluster = Cluster::new(Rehashed::new(Maglev::from_ids(["a", "b", "c"])?), |_| ());
/// let owner = cluster.load().pick(b"user:1")?.id().clone();
/// let change = cluster.apply(Batch::new().down(owner.as_str()))?.unwrap();
/// assert_eq!(change.movement().needless(), 0);
/// assert_ne!(*cluster.load().pick(b"user:1")?.id(), owner);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rehashed<R> {
    router: R,
}

/// The step between the words of a key's probes: 2^64 over the golden ratio, so that they differ in many bits.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl<R: Router> Rehashed<R> {
    /// This router, with an order.
    #[must_use]
    pub fn new(router: R) -> Self {
        Self { router }
    }

    /// The router.
    #[must_use]
    pub fn get_ref(&self) -> &R {
        &self.router
    }

    /// Gives the router back.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.router
    }

    keyroute_core::inherent_lookups!();
    keyroute_core::inherent_walks!();
}

impl<R: Router> Router for Rehashed<R> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.router.route(key)
    }

    fn members(&self) -> &Members {
        self.router.members()
    }

    fn describe(&self) -> Description {
        let inner = self.router.describe();
        let scheme = format!("rehashed/1 over {}", inner.scheme());
        let mut description = Description::new(&scheme, inner.order());
        for (name, value) in inner.fields() {
            description.field(name, value);
        }
        let members = self.router.members();
        let order = inner.nodes().iter();
        let slots = order.filter_map(|node| members.slot_of(node.id().as_str()));
        description.members_in(members, slots);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.router.heap_bytes()
    }

    fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        self.router.route_id(key)
    }

    fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
        self.router.route_batch(keys, out)
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.router
            .explain_with(key, 0)
            .under(self)
            .walked(self, key, next)
            .noted("order", "the owners of further hashes of the key")
    }
}

impl<R: Router> Walk for Rehashed<R> {
    /// The owner; the owners of the keys `mix64(h + i × STEP)`, i from 1, as eight little-endian bytes, where h
    /// is XXH3-64 of the key; after 16 n + 64 of them all others by id.
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        let Some(owner) = self.router.route(key) else {
            return;
        };
        seen.insert(owner);
        if visit(owner).is_break() {
            return;
        }
        let members = self.router.members();
        let mut left = members.len().saturating_sub(1);
        let mut word = Xxh3.hash(key);
        for _ in 0..16 * members.len() + 64 {
            if left == 0 {
                return;
            }
            word = word.wrapping_add(STEP);
            let Some(slot) = self.router.route(&mix64(word).to_le_bytes()) else {
                continue; // a preset may refuse some keys
            };
            if seen.insert(slot) {
                left -= 1;
                if visit(slot).is_break() {
                    return;
                }
            }
        }
        for slot in members.by_id() {
            if seen.insert(slot) && visit(slot).is_break() {
                return;
            }
        }
    }
}

impl<R: RouteDigest> RouteDigest for Rehashed<R> {
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
}

impl<R: AddNode> AddNode for Rehashed<R> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.router.add(node)
    }
}

impl<R: RemoveNode> RemoveNode for Rehashed<R> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.router.remove(id)
    }
}

impl<R: RemoveLast> RemoveLast for Rehashed<R> {
    fn remove_last(&mut self) -> Result<Node, RouteError> {
        self.router.remove_last()
    }
}

impl<R: Reweight> Reweight for Rehashed<R> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        self.router.reweight(id, weight)
    }
}

impl<R: Rebuild> Rebuild for Rehashed<R> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.router.rebuild(nodes)
    }
}

impl<R: OrderFree> OrderFree for Rehashed<R> {}
