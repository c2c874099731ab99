//! [`Jump`]: a router over [`jump_hash`].

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    AddNode, Description, HasherTag, KeyDigest, KeyHasher, MemberOrder, Members, Node, NodeList,
    Rebuild, RemoveLast, RouteDigest, RouteError, Router, Slot,
};

use crate::jump_hash;

/// Jump consistent hash over an ordered list of nodes: bucket i is the i-th node.
///
/// **The order of the list is part of the input**, so all clients must list the same nodes in the same
/// order; the fingerprint covers it. Nodes join at the end and leave from the end. What it cannot do
/// it refuses: weights other than 1 are an error, removal from the middle does not exist (it would
/// renumber every later shard), and there is no preference order, hence no replicas.
///
/// | | cost, n nodes |
/// | --- | --- |
/// | lookup | one hash and about ln n + 0.58 divisions |
/// | add, remove last | O(log n) |
/// | memory | the list of nodes; nothing per key or point |
///
/// ```
/// use keyroute_jump::{Jump, Node};
///
/// let mut shards = Jump::from_ids(["shard-0", "shard-1", "shard-2"])?;
/// let before = shards.route_id(b"user:1").cloned();
/// shards.add(Node::new("shard-3")?)?;
/// let after = shards.route_id(b"user:1").cloned();
/// assert!(after == before || after.unwrap() == "shard-3");
/// # Ok::<(), keyroute_jump::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Jump<H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    nodes: NodeList,
}

impl Jump
where
    NativeHasher: Default,
{
    /// No shards; keys are hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(Default::default())
    }

    /// Shards in this order.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(Default::default(), nodes)
    }

    /// Shards with these ids, in this order.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        let mut router = Self::new();
        for id in ids {
            router.add(Node::new(id)?)?;
        }
        Ok(router)
    }
}

impl Default for Jump
where
    NativeHasher: Default,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<H: KeyHasher<Out = u64>> Jump<H> {
    /// No shards; keys are hashed with this function. A 32-bit one goes through
    /// [`hash::Mixed`](keyroute_core::hash::Mixed) or
    /// [`hash::ZeroExtend`](keyroute_core::hash::ZeroExtend).
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        let tag = HasherTag::of(&hasher);
        Self {
            hasher,
            tag,
            nodes: NodeList::new("jump"),
        }
    }

    /// Shards in this order; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::WeightUnsupported`],
    /// [`RouteError::TooManyNodes`].
    pub fn from_nodes_with(
        hasher: H,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut router = Self::with_hasher(hasher);
        for node in nodes {
            router.add(node)?;
        }
        Ok(router)
    }

    /// The slot of the shard that owns this key; `None` without shards.
    #[must_use]
    pub fn route(&self, key: &[u8]) -> Option<Slot> {
        Router::route(self, key)
    }

    /// The id of the shard that owns this key; `None` without shards.
    #[must_use]
    pub fn route_id(&self, key: &[u8]) -> Option<&keyroute_core::NodeId> {
        Router::route_id(self, key)
    }

    /// Appends a shard: keys move to it alone.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::WeightUnsupported`],
    /// [`RouteError::TooManyNodes`]. The router is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.nodes.push(node)
    }

    /// Removes the last shard: its keys move, no other.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`].
    pub fn remove_last(&mut self) -> Result<Node, RouteError> {
        self.nodes.pop()
    }

    /// The shards.
    #[must_use]
    pub fn members(&self) -> &Members {
        self.nodes.members()
    }
}

impl<H: KeyHasher<Out = u64>> Router for Jump<H> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        self.nodes.members()
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("jump/1", MemberOrder::Listed);
        description.hasher("hasher", &self.hasher);
        description.members(self.nodes.members());
        description
    }

    fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }
}

impl<H: KeyHasher<Out = u64>> RouteDigest for Jump<H> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    fn route_value(&self, value: u64) -> Option<Slot> {
        self.nodes.slot(jump_hash(value, self.nodes.len())?)
    }
}

impl<H: KeyHasher<Out = u64>> AddNode for Jump<H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.nodes.push(node)
    }
}

impl<H: KeyHasher<Out = u64>> RemoveLast for Jump<H> {
    fn remove_last(&mut self) -> Result<Node, RouteError> {
        self.nodes.pop()
    }
}

impl<H: KeyHasher<Out = u64>> Rebuild for Jump<H> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        let mut list = NodeList::new("jump");
        for node in nodes {
            list.push(node.clone())?;
        }
        self.nodes = list;
        Ok(())
    }
}
