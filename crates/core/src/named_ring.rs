//! [`named_ring!`](crate::named_ring): a ring type with a name of its own.

/// Makes a named ring: a container's own type over the [`Ring`](crate::Ring) engine, with the main
/// methods as inherent ones, so that a user imports no trait and writes no turbofish.
///
/// `keyroute-vector-ring` and `keyroute-btree-ring` are little more than this and their container.
///
/// ```
/// use keyroute_core::{DefaultScheme, Scheme, named_ring};
/// use keyroute_vector_ring::SortedPoints;
///
/// named_ring! {
///     /// A ring of our own, in somebody's container.
///     pub struct OurRing<S = DefaultScheme>(SortedPoints<S::Position>);
/// }
///
/// let ring = OurRing::from_ids(["a", "b"])?;
/// assert!(ring.route(b"user:1").is_some());
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[macro_export]
macro_rules! named_ring {
    ($(#[$doc:meta])* $vis:vis struct $Ring:ident<S = $Default:ty>($Table:ty);) => {
        $(#[$doc])*
        #[derive(Clone)]
        $vis struct $Ring<S: $crate::Scheme = $Default>($crate::Ring<S, $Table>);

        const _: () = {
            use ::core::{fmt, ops::ControlFlow};
            use $crate::__private::Vec;
            use $crate::{
                AddNode, ArcLookup, ById, Description, Estimate, Explanation, Fingerprint, HasherTag, KeyDigest, Members, Node, NodeId, OneWay, OrderFree, OwnedRange, PointScheme, Ranges, Rebuild, RemoveNode,
                Reweight, Ring, RouteDigest, RouteError, Router, Scheme, Slot, SlotSet, Walk, WalkDigest, WalkExt, WalkRanges,
                Weight,
            };

            // `for<'a>` keeps the bound from being an error where the default scheme has no values.
            impl $Ring
            where
                for<'a> $Default: Default,
            {
                /// An empty ring of the default scheme.
                #[must_use]
                pub fn new() -> Self {
                    Self::with_scheme(Default::default())
                }

                /// A ring of these nodes, under the default scheme.
                ///
                /// # Errors
                ///
                /// As [`from_nodes_with`](Self::from_nodes_with).
                pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
                    Self::from_nodes_with(Default::default(), nodes)
                }

                /// A ring of nodes with these ids, of weight 1, under the default scheme.
                ///
                /// # Errors
                ///
                /// As [`from_ids_with`](Self::from_ids_with).
                pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
                    Self::from_ids_with(Default::default(), ids)
                }
            }

            impl<S: Scheme> $Ring<S> {
                /// An empty ring of this scheme.
                #[must_use]
                pub fn with_scheme(scheme: S) -> Self {
                    Self(Ring::new(scheme))
                }

                /// A ring of these nodes under this scheme: points are made and sorted once.
                ///
                /// # Errors
                ///
                /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`],
                /// [`RouteError::TooManyPoints`], or what the scheme refuses.
                pub fn from_nodes_with(
                    scheme: S,
                    nodes: impl IntoIterator<Item = Node>,
                ) -> Result<Self, RouteError> {
                    Ring::from_nodes(scheme, nodes).map(Self)
                }

                /// A ring of nodes with these ids, of weight 1, under this scheme.
                ///
                /// # Errors
                ///
                /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
                pub fn from_ids_with(
                    scheme: S,
                    ids: impl IntoIterator<Item = impl AsRef<str>>,
                ) -> Result<Self, RouteError> {
                    let nodes: Result<Vec<_>, _> = ids.into_iter().map(Node::new).collect();
                    Self::from_nodes_with(scheme, nodes?)
                }

                /// The slot of the node that owns this key; `None` without members.
                #[must_use]
                #[inline]
                pub fn route(&self, key: &[u8]) -> Option<Slot> {
                    Router::route(&self.0, key)
                }

                /// The id of the node that owns this key; `None` without members.
                #[must_use]
                pub fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
                    Router::route_id(&self.0, key)
                }

                /// The owners of many keys.
                ///
                /// # Errors
                ///
                /// [`RouteError::BatchLength`] unless `out` is as long as `keys`.
                pub fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
                    Router::route_batch(&self.0, keys, out)
                }

                /// The first `n` nodes of the key's order, the owner first.
                #[must_use]
                pub fn replicas(&self, key: &[u8], n: usize) -> Vec<Slot> {
                    WalkExt::replicas(&self.0, key, n)
                }

                /// The first node of the key's order that satisfies the predicate.
                pub fn first_where(&self, key: &[u8], accept: impl FnMut(Slot) -> bool) -> Option<Slot> {
                    WalkExt::first_where(&self.0, key, accept)
                }

                /// The nodes and their slots.
                #[must_use]
                pub fn members(&self) -> &Members {
                    Router::members(&self.0)
                }

                /// What two processes compare to know that they answer alike.
                #[must_use]
                pub fn fingerprint(&self) -> Fingerprint {
                    Router::fingerprint(&self.0)
                }

                /// Why this key goes where it goes, and the next nodes of its order.
                #[must_use]
                pub fn explain(&self, key: &[u8]) -> Explanation {
                    Router::explain(&self.0, key)
                }

                /// The scheme.
                #[must_use]
                pub fn scheme(&self) -> &S {
                    self.0.scheme()
                }

                /// How many points there are.
                #[must_use]
                pub fn points(&self) -> usize {
                    self.0.points()
                }

                /// The container of the points, for questions that are asked point by point.
                #[must_use]
                pub fn table(&self) -> &$Table {
                    self.0.table()
                }

                /// Replaces the members; works for every scheme.
                ///
                /// # Errors
                ///
                /// As [`from_nodes_with`](Self::from_nodes_with). The ring is as it was.
                pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
                    Rebuild::rebuild(&mut self.0, nodes)
                }
            }

            // Inherent, so that a scheme without them gets an error that says why.
            impl<S: Scheme> $Ring<S> {
                /// Adds a node: keys move to it alone.
                ///
                /// # Errors
                ///
                /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`],
                /// [`RouteError::TooManyPoints`], or what the scheme refuses. The ring is as it was.
                pub fn add(&mut self, node: Node) -> Result<Slot, RouteError>
                where
                    S: PointScheme,
                {
                    AddNode::add(&mut self.0, node)
                }

                /// Removes a node: its keys move, no other.
                ///
                /// # Errors
                ///
                /// [`RouteError::NotMember`]. The ring is as it was.
                pub fn remove(&mut self, id: &str) -> Result<Node, RouteError>
                where
                    S: PointScheme,
                {
                    RemoveNode::remove(&mut self.0, id)
                }

                /// Changes a node's weight: keys move to it or from it alone. Gives the old weight.
                ///
                /// # Errors
                ///
                /// [`RouteError::NotMember`], [`RouteError::TooManyPoints`]. The ring is as it was.
                pub fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError>
                where
                    S: PointScheme,
                {
                    Reweight::reweight(&mut self.0, id, weight)
                }

                /// Predicts the points and bytes of a ring of this many nodes of one weight.
                #[must_use]
                pub fn estimate(scheme: &S, nodes: u64, weight: Weight) -> Estimate
                where
                    S: PointScheme,
                {
                    Ring::<S, $Table>::estimate(scheme, nodes, weight)
                }
            }

            impl Default for $Ring
            where
                for<'a> $Default: Default,
            {
                fn default() -> Self {
                    Self::new()
                }
            }

            impl<S: Scheme> fmt::Debug for $Ring<S> {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_tuple(stringify!($Ring)).field(&self.0).finish()
                }
            }

            impl<S: Scheme> Router for $Ring<S> {
                #[inline]
                fn route(&self, key: &[u8]) -> Option<Slot> {
                    self.0.route(key)
                }
                fn members(&self) -> &Members {
                    self.0.members()
                }
                fn describe(&self) -> Description {
                    self.0.describe()
                }
                fn heap_bytes(&self) -> usize {
                    self.0.heap_bytes()
                }
                fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
                    self.0.route_batch(keys, out)
                }
                fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
                    self.0.explain_with(key, next)
                }
            }

            impl<S: Scheme> RouteDigest for $Ring<S> {
                type Width = S::Position;

                fn hasher_tag(&self) -> HasherTag {
                    self.0.hasher_tag()
                }
                fn digest(&self, key: &[u8]) -> KeyDigest<S::Position> {
                    self.0.digest(key)
                }
                #[inline]
                fn route_value(&self, value: S::Position) -> Option<Slot> {
                    self.0.route_value(value)
                }
                fn route_digests(
                    &self,
                    tag: HasherTag,
                    values: &[S::Position],
                    out: &mut [Option<Slot>],
                ) -> Result<(), RouteError> {
                    self.0.route_digests(tag, values, out)
                }
            }

            impl<S: Scheme> Walk for $Ring<S> {
                fn walk_with(
                    &self,
                    key: &[u8],
                    seen: &mut SlotSet,
                    visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
                ) {
                    self.0.walk_with(key, seen, visit);
                }
                fn first_into(&self, key: &[u8], out: &mut [Slot]) -> usize {
                    self.0.first_into(key, out)
                }
            }

            impl<S: Scheme> WalkDigest for $Ring<S> {
                fn walk_value_with(
                    &self,
                    value: S::Position,
                    seen: &mut SlotSet,
                    visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
                ) {
                    self.0.walk_value_with(value, seen, visit);
                }
            }

            impl<S: Scheme<Lookup: OneWay>> WalkRanges for $Ring<S> {
                fn walk_ranges(&self) -> Vec<OwnedRange<S::Position>> {
                    self.0.walk_ranges()
                }
            }

            impl<S: Scheme<Lookup: ArcLookup>> Ranges for $Ring<S> {
                type Width = S::Position;

                fn ranges(&self) -> Vec<OwnedRange<S::Position>> {
                    self.0.ranges()
                }
            }

            impl<S: Scheme> Rebuild for $Ring<S> {
                fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
                    self.0.rebuild(nodes)
                }
            }

            impl<S: PointScheme> AddNode for $Ring<S> {
                fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
                    self.0.add(node)
                }
            }

            impl<S: PointScheme> RemoveNode for $Ring<S> {
                fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
                    self.0.remove(id)
                }
            }

            impl<S: PointScheme> Reweight for $Ring<S> {
                fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
                    self.0.reweight(id, weight)
                }
            }

            impl<S: Scheme<Ties = ById>> OrderFree for $Ring<S> {}

            $crate::named_ring_serde!($Ring);
        };
    };
}

/// The serde part of [`named_ring!`](crate::named_ring): empty without the feature `serde`.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! named_ring_serde {
    ($Ring:ident) => {};
}

/// The serde part of [`named_ring!`](crate::named_ring): a ring is stored as its recipe.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! named_ring_serde {
    ($Ring:ident) => {
        impl<S: Scheme + $crate::__private::serde::Serialize> $crate::__private::serde::Serialize
            for $Ring<S>
        {
            fn serialize<Z: $crate::__private::serde::Serializer>(
                &self,
                to: Z,
            ) -> Result<Z::Ok, Z::Error> {
                $crate::__private::serde::Serialize::serialize(&self.0, to)
            }
        }

        impl<'de, S: Scheme + $crate::__private::serde::Deserialize<'de>>
            $crate::__private::serde::Deserialize<'de> for $Ring<S>
        {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                from: D,
            ) -> Result<Self, D::Error> {
                $crate::__private::serde::Deserialize::deserialize(from).map(Self)
            }
        }
    };
}
