//! [`Bucketed`]: a router over a function from hashes to bucket numbers.

use core::fmt;
use core::marker::PhantomData;

use crate::error::check_batch;
use crate::hash::NativeHasher;
use crate::{
    AddNode, Description, EntryPlace, Explanation, Fingerprint, HasherTag, KeyDigest, KeyHasher,
    MemberOrder, Members, Node, NodeId, NodeList, Place, Position, Rebuild, RemoveLast, RemoveNode,
    RouteDigest, RouteError, Router, Slot,
};

/// A function from a hash and a number of buckets to one of the buckets: jump, modulo, and their like.
///
/// The function is the type: it has no state, and [`Bucketed`] is the router over it. Implementors:
/// the answer depends on the two numbers alone, on every machine, and is below `buckets`.
///
/// ```
/// use keyroute_core::{BucketFunction, Bucketed, hash_fn};
///
/// /// The top half of the hashes to bucket 1, if there is one.
/// #[derive(Debug)]
/// struct TopBit;
///
/// impl BucketFunction<u32> for TopBit {
///     const NAME: &'static str = "example/top-bit";
///     const REVISION: u32 = 1;
///
///     fn bucket(hash: u32, buckets: u32) -> Option<u32> {
///         Some((hash >> 31).min(buckets.checked_sub(1)?))
///     }
/// }
///
/// let hasher = hash_fn(|key| if key.is_empty() { u32::MAX } else { 0 });
/// let router = Bucketed::<TopBit, _>::from_ids_with(hasher, ["a", "b"])?;
/// assert_eq!(router.route_id(b"").unwrap(), "b");
/// assert_eq!(router.route_id(b"user:1").unwrap(), "a");
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
pub trait BucketFunction<P: Position> {
    /// The strategy's name, as `jump`: errors and descriptions say it.
    const NAME: &'static str;
    /// The revision of its answers, raised whenever one changes.
    const REVISION: u32;

    /// The bucket of this hash, 0 to `buckets` − 1; `None` without buckets, or for more than the
    /// function covers.
    fn bucket(hash: P, buckets: u32) -> Option<u32>;

    /// The buckets of many hashes: `out[i]` is the bucket of `hashes[i]`, as far as both go.
    ///
    /// For functions that answer several hashes sooner together than one by one. [`Bucketed`] asks it for a
    /// few dozen at a time.
    fn bucket_batch(hashes: &[P], buckets: u32, out: &mut [Option<u32>]) {
        for (&hash, out) in hashes.iter().zip(out) {
            *out = Self::bucket(hash, buckets);
        }
    }
}

/// How many keys of a batch are hashed before their buckets are asked for.
const BATCH: usize = 64;

/// Bucket functions under which any node may leave, because renumbering the buckets behind it breaks
/// no promise: they make none.
#[diagnostic::on_unimplemented(
    message = "under `{Self}` only the last node can leave",
    note = "removing another node would renumber every bucket behind it and move their keys: use \
            `remove_last`, or a strategy whose nodes may leave"
)]
pub trait Renumbers {}

/// A router over a [`BucketFunction`] and an ordered list of nodes: bucket i is the i-th node.
///
/// **The order of the list is part of the input**, so all clients must list the same nodes in the same
/// order; the fingerprint covers it. Nodes join at the end. There are no weights (other than 1 is an
/// error), and no preference order, hence no replicas. The strategies' crates name it:
/// `Jump<H>` is `Bucketed<JumpHash, H>`.
///
/// | | cost, n nodes |
/// | --- | --- |
/// | lookup | one hash and one call of the function; in a batch what that costs of several at once |
/// | add, remove last | O(log n) |
/// | remove, where it exists | O(n) |
/// | memory | the list of nodes; nothing per key or point |
pub struct Bucketed<F, H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    nodes: NodeList,
    function: PhantomData<fn() -> F>,
}

#[cfg(feature = "xxh3")]
impl<F: BucketFunction<u64>> Bucketed<F, NativeHasher> {
    /// No nodes; keys are hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(NativeHasher::default())
    }

    /// Nodes in this order.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(NativeHasher::default(), nodes)
    }

    /// Nodes with these ids, in this order.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(NativeHasher::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl<F: BucketFunction<u64>> Default for Bucketed<F, NativeHasher> {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out>> Bucketed<F, H> {
    /// No nodes; keys are hashed with this function. For a function of 64-bit hashes a 32-bit hasher
    /// goes through [`hash::Mixed`](crate::hash::Mixed) or
    /// [`hash::ZeroExtend`](crate::hash::ZeroExtend).
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        let tag = HasherTag::of(&hasher);
        Self {
            hasher,
            tag,
            nodes: NodeList::new(F::NAME),
            function: PhantomData,
        }
    }

    /// Nodes in this order; keys are hashed with this function.
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
        router.nodes = NodeList::from_nodes(F::NAME, nodes)?;
        Ok(router)
    }

    /// Nodes with these ids, in this order; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
    pub fn from_ids_with(
        hasher: H,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let mut router = Self::with_hasher(hasher);
        for id in ids {
            router.nodes.push(Node::new(id)?)?;
        }
        Ok(router)
    }

    /// The slot of the node that owns this key; `None` without nodes.
    #[inline]
    #[must_use]
    pub fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    /// The id of the node that owns this key; `None` without nodes.
    #[must_use]
    pub fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        Router::route_id(self, key)
    }

    /// Appends a node.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::WeightUnsupported`],
    /// [`RouteError::TooManyNodes`]. The router is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.nodes.push(node)
    }

    /// Removes the last node.
    ///
    /// # Errors
    ///
    /// [`RouteError::NoMembers`].
    pub fn remove_last(&mut self) -> Result<Node, RouteError> {
        self.nodes.pop()
    }

    /// Removes a node; those behind it move up.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError>
    where
        F: Renumbers,
    {
        self.nodes.remove(id)
    }

    /// Replaces the nodes.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The router is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        Rebuild::rebuild(self, nodes)
    }

    /// What two processes compare to know that they answer alike.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Router::fingerprint(self)
    }

    /// Why this key goes where it goes. There is no next node: there is no order of nodes.
    #[must_use]
    pub fn explain(&self, key: &[u8]) -> Explanation {
        Router::explain(self, key)
    }

    /// The nodes.
    #[must_use]
    pub fn members(&self) -> &Members {
        self.nodes.members()
    }

    /// The hasher of keys.
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// The owners of keys with these hashes, of which there are at most [`BATCH`].
    fn route_values(&self, values: &[H::Out], out: &mut [Option<Slot>]) {
        let mut buckets = [None; BATCH];
        F::bucket_batch(values, self.nodes.len(), &mut buckets);
        for (&bucket, out) in buckets.iter().zip(out) {
            *out = bucket.and_then(|bucket| self.nodes.slot(bucket));
        }
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out>> Router for Bucketed<F, H> {
    #[inline]
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        self.nodes.members()
    }

    fn describe(&self) -> Description {
        let scheme = alloc::format!("{}/{}", F::NAME, F::REVISION);
        let mut description = Description::new(&scheme, MemberOrder::Listed);
        description.hasher("hasher", &self.hasher);
        description.members(self.nodes.members());
        description
    }

    fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }

    fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
        check_batch(keys.len(), out.len())?;
        let mut values = [H::Out::default(); BATCH];
        for (keys, out) in keys.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            self.hasher.hash_each(keys, &mut values);
            self.route_values(&values[..keys.len()], out);
        }
        Ok(())
    }

    fn explain_with(&self, key: &[u8], _next: usize) -> Explanation {
        let digest = self.hasher.hash(key);
        let place = F::bucket(digest, self.nodes.len()).map(|bucket| {
            Place::Entry(EntryPlace {
                name: "bucket",
                number: bucket.into(),
                of: self.nodes.len().into(),
                rule: F::NAME.into(),
                digests: None,
                owned: None,
            })
        });
        Explanation::of(self, key)
            .hashed(&self.hasher, digest)
            .placed(place.unwrap_or_default())
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out>> RouteDigest for Bucketed<F, H> {
    type Width = H::Out;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<H::Out> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    #[inline]
    fn route_value(&self, value: H::Out) -> Option<Slot> {
        self.nodes.slot(F::bucket(value, self.nodes.len())?)
    }

    fn route_digests(
        &self,
        tag: HasherTag,
        values: &[H::Out],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        self.check_tag(tag)?;
        check_batch(values.len(), out.len())?;
        for (values, out) in values.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            self.route_values(values, out);
        }
        Ok(())
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out>> AddNode for Bucketed<F, H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.nodes.push(node)
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out>> RemoveLast for Bucketed<F, H> {
    fn remove_last(&mut self) -> Result<Node, RouteError> {
        self.nodes.pop()
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out> + Renumbers> RemoveNode for Bucketed<F, H> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.nodes.remove(id)
    }
}

impl<H: KeyHasher, F: BucketFunction<H::Out>> Rebuild for Bucketed<F, H> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.nodes = NodeList::from_nodes(F::NAME, nodes.iter().cloned())?;
        Ok(())
    }
}

// By hand: the function is a name and need not be cloned or shown.
impl<F, H: Clone> Clone for Bucketed<F, H> {
    fn clone(&self) -> Self {
        Self {
            hasher: self.hasher.clone(),
            tag: self.tag,
            nodes: self.nodes.clone(),
            function: PhantomData,
        }
    }
}

impl<F, H> fmt::Debug for Bucketed<F, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bucketed")
            .field("hasher", &self.tag)
            .field("nodes", &self.nodes)
            .finish()
    }
}
