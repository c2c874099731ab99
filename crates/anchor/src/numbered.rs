//! [`Numbered`]: a router over numbered buckets of which any may leave.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    AddNode, Contender, Description, DrawnPlace, Explanation, Fingerprint, HasherTag, KeyDigest,
    KeyHasher, MemberOrder, Members, Node, NodeId, Place, Rebuild, RemoveNode, Role, RouteDigest,
    RouteError, Router, Slot,
};

use crate::table::Table;
use crate::{BucketState, Buckets, HistoryFree, Preset};

/// A router over [`Buckets`]: each bucket in service has one node, and its number is the node's slot.
///
/// [`Ranking`](crate::Ranking), [`Dx`](crate::Dx), [`Anchor`](crate::Anchor),
/// [`GrowableAnchor`](crate::GrowableAnchor) and [`Memento`](crate::Memento) are names of it. Any node may
/// join or leave, and only the keys that must move do. There are no weights (other than 1 is an error).
///
/// **Buckets are numbered as nodes join**, so the table of nodes is part of the input, and for some
/// strategies the order in which nodes left. All clients must have one [`state`](Self::state); the
/// fingerprint covers it. When the last node leaves, all is forgotten.
#[derive(Clone)]
pub struct Numbered<B, H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    table: Table<B>,
}

#[cfg(feature = "xxh3")]
impl<B: Buckets + Default> Numbered<B> {
    /// No nodes; keys are hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(NativeHasher::default())
    }

    /// Nodes on buckets 0, 1, … in this order.
    ///
    /// # Errors
    ///
    /// As [`with_nodes`](Self::with_nodes).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::new().with_nodes(nodes)
    }

    /// Nodes with these ids, on buckets 0, 1, … in this order.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(NativeHasher::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl<B: Buckets + Default> Default for Numbered<B> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "xxh3")]
impl<B: Preset> Numbered<B> {
    /// No nodes, room for `capacity` of them; keys are hashed with XXH3.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a capacity of 0 or over 2^24.
    pub fn with_capacity(capacity: u32) -> Result<Self, RouteError> {
        Self::with_capacity_and_hasher(capacity, NativeHasher::default())
    }
}

#[cfg(feature = "xxh3")]
impl<B: Buckets> Numbered<B> {
    /// The router whose state this is; keys are hashed with XXH3.
    ///
    /// # Errors
    ///
    /// As [`from_state_with`](Self::from_state_with).
    pub fn from_state(state: BucketState) -> Result<Self, RouteError> {
        Self::from_state_with(NativeHasher::default(), state)
    }
}

impl<B: Buckets + Default, H: KeyHasher<Out = u64>> Numbered<B, H> {
    /// No nodes; keys are hashed with this function.
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        Self::of(hasher, Table::over(B::default()))
    }

    /// Nodes on buckets 0, 1, … in this order; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// As [`with_nodes`](Self::with_nodes).
    pub fn from_nodes_with(
        hasher: H,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        Self::with_hasher(hasher).with_nodes(nodes)
    }

    /// Nodes with these ids, on buckets 0, 1, … in this order; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// As [`with_nodes`](Self::with_nodes) and [`Node::new`].
    pub fn from_ids_with(
        hasher: H,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = ids.into_iter().map(Node::new).collect();
        Self::from_nodes_with(hasher, nodes?)
    }
}

impl<B: Preset, H: KeyHasher<Out = u64>> Numbered<B, H> {
    /// No nodes, room for `capacity` of them; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a capacity of 0 or over 2^24.
    pub fn with_capacity_and_hasher(capacity: u32, hasher: H) -> Result<Self, RouteError> {
        Ok(Self::of(hasher, Table::over(B::empty(Some(capacity))?)))
    }
}

impl<B: Buckets, H: KeyHasher<Out = u64>> Numbered<B, H> {
    fn of(hasher: H, table: Table<B>) -> Self {
        let tag = HasherTag::of(&hasher);
        Self { hasher, tag, table }
    }

    /// The same router with these nodes added, in this order.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add).
    pub fn with_nodes(mut self, nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        self.table.add_all(nodes)?;
        Ok(self)
    }

    /// The router whose state this is; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a state that no history gives (the strategy's capacity missing or
    /// unknown; buckets listed twice, out of order or past the last), and as [`add`](Self::add).
    pub fn from_state_with(hasher: H, state: BucketState) -> Result<Self, RouteError> {
        Ok(Self::of(hasher, Table::from_state(state)?))
    }

    /// What clients must share to answer alike.
    #[must_use]
    pub fn state(&self) -> BucketState {
        self.table.state()
    }

    /// The slot of the node that owns this key; `None` without members.
    #[must_use]
    pub fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    /// The id of the node that owns this key; `None` without members.
    #[must_use]
    pub fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        Router::route_id(self, key)
    }

    /// The nodes, each under the number of its bucket.
    #[must_use]
    pub fn members(&self) -> &Members {
        &self.table.members
    }

    /// What two processes compare to know that they answer alike.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Router::fingerprint(self)
    }

    /// Why this key goes where it goes: its bucket, and those that came up before and have left.
    #[must_use]
    pub fn explain(&self, key: &[u8]) -> Explanation {
        Router::explain(self, key)
    }

    /// The hasher of keys.
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// The buckets.
    #[must_use]
    pub fn buckets(&self) -> &B {
        &self.table.buckets
    }

    /// Adds a node: keys move to it alone. It takes the bucket of the node that left last, or, where
    /// history decides nothing, the lowest free one.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::WeightUnsupported`],
    /// [`RouteError::CapacityExhausted`], [`RouteError::TooManyNodes`]. The router is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.table.add(node)
    }

    /// Removes a node: its keys move, no other.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.table.remove(id)
    }

    /// Puts these nodes on buckets 0, 1, … of the same capacity, and forgets what was.
    ///
    /// # Errors
    ///
    /// As [`with_nodes`](Self::with_nodes). The router is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        Rebuild::rebuild(self, nodes)
    }
}

impl<B: Buckets, H: KeyHasher<Out = u64>> Router for Numbered<B, H> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        &self.table.members
    }

    /// The state: nodes in the order of their buckets, and the parameters `capacity` where there is one and
    /// `removed` where the list is not empty.
    fn describe(&self) -> Description {
        let scheme = format!("{}/{}", B::NAME, B::REVISION);
        let mut description = Description::new(&scheme, MemberOrder::Listed);
        description.hasher("hasher", &self.hasher);
        if let Some(capacity) = self.table.buckets.capacity() {
            description.field("capacity", capacity);
        }
        let removed = self.table.buckets.removed();
        if !removed.is_empty() {
            let numbers: Vec<String> = removed.iter().map(ToString::to_string).collect();
            description.field("removed", numbers.join(", "));
        }
        description.members_in(&self.table.members, self.table.members.slots());
        description
    }

    fn heap_bytes(&self) -> usize {
        self.table.members.heap_bytes() + self.table.buckets.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let digest = self.hasher.hash(key);
        let buckets = &self.table.buckets;
        let why = Explanation::of(self, key).hashed(&self.hasher, digest);
        let Some(bucket) = buckets.bucket(digest) else {
            return why;
        };
        let order = buckets.preferred(digest, next.saturating_add(1));
        let contenders = order.into_iter().filter_map(|other| {
            let role = if other == bucket {
                Role::Owner
            } else {
                Role::Next
            };
            Contender::new(&self.table.members, Slot::new(other)?, role)
        });
        let contenders: Vec<Contender> = contenders.collect();
        let why = why.placed(Place::Drawn(DrawnPlace {
            bucket,
            in_service: self.table.members.len() as u64,
            before: buckets.drawn_before(digest),
        }));
        if contenders.is_empty() {
            why // there is no order, only an owner
        } else {
            why.contended(contenders)
        }
    }
}

impl<B: Buckets, H: KeyHasher<Out = u64>> RouteDigest for Numbered<B, H> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    fn route_value(&self, value: u64) -> Option<Slot> {
        Slot::new(self.table.buckets.bucket(value)?)
    }
}

impl<B: Buckets, H: KeyHasher<Out = u64>> AddNode for Numbered<B, H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        Self::add(self, node)
    }
}

impl<B: Buckets, H: KeyHasher<Out = u64>> RemoveNode for Numbered<B, H> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        Self::remove(self, id)
    }
}

impl<B: Buckets, H: KeyHasher<Out = u64>> Rebuild for Numbered<B, H> {
    /// Puts the nodes on buckets 0, 1, … of the same capacity, and forgets what was.
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        let mut table = Table::over(B::empty(self.buckets().capacity())?);
        table.add_all(nodes.iter().cloned())?;
        self.table = table;
        Ok(())
    }
}

impl<B: HistoryFree, H> HistoryFree for Numbered<B, H> {}

impl<B: fmt::Debug, H> fmt::Debug for Numbered<B, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Numbered")
            .field("hasher", &self.tag)
            .field("buckets", &self.table.buckets)
            .field("members", &self.table.members)
            .finish()
    }
}
