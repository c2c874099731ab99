//! [`Tokens`]: points that are data.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use crate::scheme::DefaultLookup;
use crate::{
    ById, Description, KeyHasher, Members, Node, NodeId, PointScheme, Quoted, RouteError, Scheme,
    Slot,
};

/// Points given outright, by node: `ring/tokens/1`.
///
/// For tests of lookup rules, and for rings whose tokens are stored. A node's weight is said but
/// decides nothing; a node without tokens is refused, since it would silently own nothing.
///
/// ```
/// use keyroute_core::{Node, RouteDigest, Tokens, hash_fn};
/// use keyroute_vector_ring::VectorRing;
///
/// let tokens = Tokens::new(hash_fn(|key| key.len() as u32))
///     .with("a", [1000, 3000])?
///     .with("b", [2000])?;
/// let ring = VectorRing::from_nodes_with(tokens, [Node::new("a")?, Node::new("b")?])?;
/// let owner = |value| ring.members().get(ring.route_value(value).unwrap()).unwrap().id();
/// assert_eq!((owner(1000).as_str(), owner(1001).as_str(), owner(3001).as_str()), ("a", "b", "a"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        deny_unknown_fields,
        bound(
            serialize = "H: ::serde::Serialize, H::Out: ::serde::Serialize",
            deserialize = "H: ::serde::Deserialize<'de>, H::Out: ::serde::Deserialize<'de>"
        )
    )
)]
pub struct Tokens<H: KeyHasher> {
    hasher: H,
    /// Ascending.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored::tokens"))]
    tokens: BTreeMap<NodeId, Vec<H::Out>>,
}

impl<H: KeyHasher> Tokens<H> {
    /// No tokens yet; keys are placed by this hasher.
    #[must_use]
    pub fn new(hasher: H) -> Self {
        Self {
            hasher,
            tokens: BTreeMap::new(),
        }
    }

    /// The same scheme with these tokens for this node, in place of any it had.
    ///
    /// # Errors
    ///
    /// As [`NodeId::new`].
    pub fn with(
        mut self,
        id: impl AsRef<str>,
        tokens: impl IntoIterator<Item = H::Out>,
    ) -> Result<Self, RouteError> {
        self.set(NodeId::new(id)?, tokens);
        Ok(self)
    }

    /// Gives this node these tokens, in place of any it had.
    pub fn set(&mut self, id: NodeId, tokens: impl IntoIterator<Item = H::Out>) {
        let mut tokens: Vec<_> = tokens.into_iter().collect();
        tokens.sort();
        self.tokens.insert(id, tokens);
    }

    /// The nodes that were given tokens, by id.
    pub fn ids(&self) -> impl Iterator<Item = &NodeId> {
        self.tokens.keys()
    }

    /// The tokens of this node, ascending; none if it was given none.
    #[must_use]
    pub fn of(&self, id: &str) -> &[H::Out] {
        self.tokens.get(id).map_or(&[], Vec::as_slice)
    }
}

impl<H: KeyHasher> Scheme for Tokens<H> {
    type Position = H::Out;
    type Hasher = H;
    type Lookup = DefaultLookup;
    type Ties = ById;

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn name(&self) -> &'static str {
        "ring/tokens/1"
    }

    fn describe(&self, to: &mut Description) {
        for (id, tokens) in &self.tokens {
            to.field(
                &format!("tokens of {}", Quoted(id.as_str())),
                format!("{tokens:x?}"),
            );
        }
    }

    fn count(&self, members: &Members) -> u64 {
        self.count_of_each(members)
    }

    fn fleet_points(&self, members: &Members) -> Result<Vec<(H::Out, Slot)>, RouteError> {
        self.points_of_each(members)
    }
}

impl<H: KeyHasher> PointScheme for Tokens<H> {
    fn points(&self, node: &Node) -> Result<Vec<H::Out>, RouteError> {
        match self.tokens.get(node.id()) {
            Some(tokens) if !tokens.is_empty() => Ok(tokens.clone()),
            _ => Err(RouteError::Unplaceable {
                id: node.id().clone(),
                reason: "has no tokens: give it at least one",
            }),
        }
    }

    fn count_of(&self, node: &Node) -> u64 {
        self.tokens
            .get(node.id())
            .map_or(0, |tokens| tokens.len() as u64)
    }
}

#[cfg(feature = "serde")]
mod stored {
    use alloc::collections::BTreeMap;
    use alloc::collections::btree_map::Entry;
    use alloc::vec::Vec;
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Error, MapAccess, Visitor};
    use serde::{Deserialize, Deserializer};

    use crate::NodeId;

    /// As [`Tokens::set`](super::Tokens::set) has them: ascending, however they were written. A node that is
    /// written twice is refused, since one of the two was meant.
    pub(super) fn tokens<'de, D, P>(from: D) -> Result<BTreeMap<NodeId, Vec<P>>, D::Error>
    where
        D: Deserializer<'de>,
        P: Deserialize<'de> + Ord,
    {
        from.deserialize_map(ByNode(PhantomData))
    }

    struct ByNode<P>(PhantomData<P>);

    impl<'de, P: Deserialize<'de> + Ord> Visitor<'de> for ByNode<P> {
        type Value = BTreeMap<NodeId, Vec<P>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of tokens for each node")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            let mut by_node = BTreeMap::new();
            while let Some(id) = from.next_key::<NodeId>()? {
                let mut tokens: Vec<P> = from.next_value()?;
                tokens.sort_unstable();
                match by_node.entry(id) {
                    Entry::Vacant(place) => place.insert(tokens),
                    Entry::Occupied(taken) => {
                        return Err(A::Error::custom(alloc::format!(
                            "the tokens of node {:?} are given twice: give them once",
                            taken.key()
                        )));
                    }
                };
            }
            Ok(by_node)
        }
    }
}
