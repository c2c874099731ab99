//! [`Rendezvous`]: every node draws a number for the key, the greatest owns it.

use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    AddNode, Candidates, Description, Explanation, HasherTag, KeyDigest, KeyHasher, MemberOrder,
    Members, Node, OrderFree, Place, Rebuild, RemoveNode, Reweight, RouteDigest, RouteError,
    Router, Slot, SlotSet, Walk, WalkDigest, Weight,
};

/// Rendezvous hashing, also called highest random weight: `rendezvous/1`.
///
/// For a key each node draws a number from the two hashes; the greatest draw owns the key, the next ones
/// are its replicas. With weights the draws are turned into scores of which each node's wins with a
/// chance of exactly its part of the weights. Any node may join, leave or change its weight, and only
/// the keys that must move do. There are no points, so shares are as even as chance allows.
///
/// The price is a lookup that asks every node.
///
/// | | cost, n nodes |
/// | --- | --- |
/// | lookup | one hash of the key; two multiplications a node, three with weights |
/// | first k of the walk | a lookup, and for each further node a sixteenth of one |
/// | add, remove, reweight | O(n) moves of 16 bytes, 24 with weights; one hash of the id |
/// | memory | 16 bytes a node, 24 with weights, and the members |
///
/// Where all weights are equal they decide nothing: the answer is the plain one. Where they differ, a logarithm
/// decides, but it is computed only for nodes of which a bound of one multiplication says that they may win: mostly
/// for none.
///
/// Keys and ids go through one hasher of 64 bits; a 32-bit one through
/// [`hash::Mixed`](keyroute_core::hash::Mixed). Equal draws (that is, ids of equal hashes): the lower id
/// comes first.
///
/// ```
/// use keyroute_rendezvous::{Node, Rendezvous, Weight};
///
/// let mut router = Rendezvous::from_ids(["cache-1", "cache-2"])?;
/// let before = router.route_id(b"user:1").cloned();
/// router.add(Node::new("cache-3")?.with_weight(Weight::new(2)?))?;
/// let after = router.route_id(b"user:1").cloned();
/// assert!(after == before || after.unwrap() == "cache-3");
/// # Ok::<(), keyroute_rendezvous::RouteError>(())
/// ```
#[derive(Clone)]
pub struct Rendezvous<H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    members: Members,
    candidates: Candidates,
}

#[cfg(feature = "xxh3")]
impl Rendezvous {
    /// No nodes; keys and ids are hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(NativeHasher::default())
    }

    /// These nodes.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(NativeHasher::default(), nodes)
    }

    /// Nodes with these ids, of weight 1.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(NativeHasher::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl Default for Rendezvous {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: KeyHasher<Out = u64>> Rendezvous<H> {
    /// No nodes; keys and ids are hashed with this function.
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        let tag = HasherTag::of(&hasher);
        Self {
            hasher,
            tag,
            members: Members::new(),
            candidates: Candidates::default(),
        }
    }

    /// These nodes; keys and ids are hashed with this function.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`].
    pub fn from_nodes_with(
        hasher: H,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut router = Self::with_hasher(hasher);
        router.fill(Members::from_nodes(nodes)?);
        Ok(router)
    }

    /// Nodes with these ids, of weight 1; keys and ids are hashed with this function.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
    pub fn from_ids_with(
        hasher: H,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = ids.into_iter().map(Node::new).collect();
        Self::from_nodes_with(hasher, nodes?)
    }

    keyroute_core::inherent_lookups!();
    keyroute_core::inherent_walks!();

    /// The hasher of keys and ids.
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// Adds a node: keys move to it alone.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`]. The router is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        AddNode::add(self, node)
    }

    /// Removes a node: its keys move, no other.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        RemoveNode::remove(self, id)
    }

    /// Changes a node's weight: keys move to it or from it alone. Gives the old weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    pub fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        Reweight::reweight(self, id, weight)
    }

    /// Replaces the members.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The router is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        Rebuild::rebuild(self, nodes)
    }

    fn fill(&mut self, members: Members) {
        self.candidates = Candidates::new(&self.hasher, &members);
        self.members = members;
    }
}

impl<H: KeyHasher<Out = u64>> Router for Rendezvous<H> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("rendezvous/1", MemberOrder::ById);
        description.hasher("hasher", &self.hasher);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.candidates.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let digest = self.hasher.hash(key);
        Explanation::of(self, key)
            .hashed(&self.hasher, digest)
            .placed(Place::Best {
                nodes: self.members.len(),
                rule: self.candidates.rule().into(),
            })
            .walked(self, key, next)
            .with_facts(|slot| self.candidates.fact(digest, slot))
    }
}

impl<H: KeyHasher<Out = u64>> RouteDigest for Rendezvous<H> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    fn route_value(&self, value: u64) -> Option<Slot> {
        self.candidates.best(value)
    }
}

impl<H: KeyHasher<Out = u64>> Walk for Rendezvous<H> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.walk_value_with(self.hasher.hash(key), seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>> WalkDigest for Rendezvous<H> {
    fn walk_value_with(
        &self,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.candidates.walk(value, seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>> AddNode for Rendezvous<H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let slot = self.members.add(node)?;
        self.candidates.insert(&self.hasher, &self.members, slot);
        Ok(slot)
    }
}

impl<H: KeyHasher<Out = u64>> RemoveNode for Rendezvous<H> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let (slot, node) = self.members.remove(id)?;
        self.candidates.remove(slot);
        Ok(node)
    }
}

impl<H: KeyHasher<Out = u64>> Reweight for Rendezvous<H> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let slot = self.members.find(id)?;
        let old = self.members.set_weight(id, weight)?;
        self.candidates.set_weight(slot, weight);
        Ok(old)
    }
}

impl<H: KeyHasher<Out = u64>> Rebuild for Rendezvous<H> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.fill(Members::from_nodes(nodes.iter().cloned())?);
        Ok(())
    }
}

impl<H: KeyHasher<Out = u64>> OrderFree for Rendezvous<H> {}

impl<H> fmt::Debug for Rendezvous<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rendezvous")
            .field("hasher", &self.tag)
            .field("members", &self.members)
            .finish()
    }
}
