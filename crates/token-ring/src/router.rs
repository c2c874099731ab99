//! [`TokenRing`]: a ring whose tokens are data.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::ops::ControlFlow;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{
    AddNode, AtOrAfter, ById, Description, Edge, Explanation, HasherTag, KeyDigest, KeyHasher,
    MAX_POINTS, MemberOrder, Members, Node, OwnedRange, Place, PointScheme, PointTable,
    PointsPerWeight, Quoted, Ranges, Rebuild, RemoveNode, Reweight, RouteDigest, RouteError,
    Router, Scheme, Slot, SlotSet, TieOrder, Tokens, Walk, WalkDigest, WalkRanges, Weight,
};
use keyroute_vector_ring::SortedPoints;

use crate::allocation::{Allocation, evenly};
use crate::release::release;

/// The tokens a node of weight 1 takes unless said: shares then differ by about 5 %.
pub const DEFAULT_TOKENS_PER_WEIGHT: u32 = 16;

const DEFAULT: PointsPerWeight = PointsPerWeight::of::<DEFAULT_TOKENS_PER_WEIGHT>();

/// A ring whose tokens are data: `token-ring/1`.
///
/// A node that joins takes its tokens from those that own most for their weight, so that few tokens give
/// even shares: 16 a node do what some 400 points of a hash ring do. Keys move to the newcomer alone, and
/// when a node leaves only its own move.
///
/// **The tokens depend on history**: on the order in which nodes joined, and on which have left. Nodes alone do
/// not say where a key goes; [`tokens`](Self::tokens) do. Let one place add and remove nodes, and share the
/// tokens (or the stored form) with all others; the fingerprint covers them.
///
/// | | cost, n nodes of V tokens |
/// | --- | --- |
/// | lookup | O(1): one hash, one entry of an index, eight consecutive points |
/// | build | O(nV log nV) |
/// | add | O(nV): the arcs are listed anew, then V splits of O(log nV) |
/// | remove | O(nV): one pass |
/// | reweight | O(nV): one pass, then O(log nV) for each token that is taken or given back |
/// | memory | 12 bytes a token and the members |
///
/// ```
/// use keyroute_token_ring::{Node, TokenRing, hash::Xxh3};
///
/// let mut ring = TokenRing::from_ids(["db-1", "db-2"])?;
/// ring.add(Node::new("db-3")?)?;
///
/// // Another process gets the tokens, and the nodes in the order of listing.
/// let listed = ring.members().listed();
/// let nodes: Vec<Node> = listed.into_iter().filter_map(|slot| ring.members().get(slot).cloned()).collect();
/// let copy = TokenRing::from_tokens(ring.tokens(), nodes)?;
/// assert_eq!(copy.fingerprint(), ring.fingerprint());
/// # Ok::<(), keyroute_token_ring::RouteError>(())
/// ```
#[derive(Clone)]
pub struct TokenRing<H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    tokens_per_weight: PointsPerWeight,
    members: Members,
    points: SortedPoints<u64>,
}

#[cfg(feature = "xxh3")]
impl TokenRing {
    /// No nodes; keys are hashed with XXH3, and nodes take 16 tokens for each unit of weight.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(NativeHasher::default())
    }

    /// These nodes, which join in this order.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(NativeHasher::default(), nodes)
    }

    /// Nodes with these ids, of weight 1, which join in this order.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(NativeHasher::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl Default for TokenRing {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: KeyHasher<Out = u64>> TokenRing<H> {
    /// No nodes; keys are hashed with this function.
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        let tag = HasherTag::of(&hasher);
        Self {
            hasher,
            tag,
            tokens_per_weight: DEFAULT,
            members: Members::new(),
            points: SortedPoints::default(),
        }
    }

    /// These nodes, which join in this order; keys are hashed with this function.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::TooManyPoints`] over 2^24
    /// tokens.
    pub fn from_nodes_with(
        hasher: H,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut ring = Self::with_hasher(hasher);
        ring.fill(Members::from_nodes(nodes)?)?;
        Ok(ring)
    }

    /// Nodes with these ids, of weight 1, which join in this order; keys are hashed with this function.
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

    /// A ring of these tokens and nodes: what another ring's [`tokens`](Self::tokens) say, or tokens that
    /// somebody else chose. Nodes that join later take [`DEFAULT_TOKENS_PER_WEIGHT`].
    ///
    /// Tokens that share a position are all kept; the lower id owns. The order of the nodes decides no answer,
    /// but the fingerprint covers it: give them in that ring's [order of listing](Members::listed).
    ///
    /// # Errors
    ///
    /// [`RouteError::Unplaceable`] for a node without tokens, [`RouteError::NotMember`] for tokens without a
    /// node, and as [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_tokens(
        tokens: Tokens<H>,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError>
    where
        H: Clone,
    {
        let mut ring = Self::with_hasher(tokens.hasher().clone());
        let members = Members::from_nodes(nodes)?;
        if let Some(stranger) = tokens
            .ids()
            .find(|id| members.slot_of(id.as_str()).is_none())
        {
            return Err(RouteError::NotMember {
                id: stranger.as_str().into(),
            });
        }
        check_count(tokens.count(&members), None)?;
        ring.insert(&members, tokens.points_of_each(&members)?);
        ring.members = members;
        Ok(ring)
    }

    /// The same ring, whose future nodes take this many tokens for each unit of weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::PointsPerWeight`] for 0 and over 2^24.
    ///
    /// ```
    /// use keyroute_token_ring::{Node, TokenRing};
    ///
    /// let mut ring = TokenRing::new().with_tokens_per_weight(32)?;
    /// ring.add(Node::new("a")?)?;
    /// assert_eq!(ring.len(), 32);
    /// # Ok::<(), keyroute_token_ring::RouteError>(())
    /// ```
    pub fn with_tokens_per_weight(mut self, tokens: u32) -> Result<Self, RouteError> {
        self.tokens_per_weight = PointsPerWeight::new(tokens)?;
        Ok(self)
    }

    /// The tokens of all nodes: what other processes need to answer alike.
    #[must_use]
    pub fn tokens(&self) -> Tokens<H>
    where
        H: Clone,
    {
        let mut tokens = Tokens::new(self.hasher.clone());
        for (slot, own) in self.tokens_by_slot() {
            if let Some(node) = self.members.get(slot) {
                tokens.set(node.id().clone(), own);
            }
        }
        tokens
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// How many tokens a joining node takes for each unit of weight.
    #[must_use]
    pub fn tokens_per_weight(&self) -> PointsPerWeight {
        self.tokens_per_weight
    }

    /// The hasher of keys.
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    keyroute_core::inherent_lookups!();
    keyroute_core::inherent_walks!();

    /// Adds a node: keys move to it alone.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::TooManyPoints`], and
    /// [`RouteError::Unplaceable`] if tokens from elsewhere leave no arc to split. The ring is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        AddNode::add(self, node)
    }

    /// Removes a node with its tokens: its keys move, no other.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The ring is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        RemoveNode::remove(self, id)
    }

    /// Changes the weight of a node and gives its old one; it has as many tokens for each unit of weight as before,
    /// rounded up.
    ///
    /// Raised, it takes tokens as a newcomer does that owns something already, and keys move to it alone. Lowered,
    /// it gives tokens back, and only its keys move. **There and back is not where it was**: it gives back what
    /// fits its share, not what it took last.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`], [`RouteError::TooManyPoints`], and [`RouteError::Unplaceable`] if tokens from
    /// elsewhere leave no arc to split. The ring is as it was.
    ///
    /// ```
    /// use keyroute_token_ring::{TokenRing, Weight};
    ///
    /// let mut ring = TokenRing::from_ids(["db-1", "db-2", "db-3"])?;
    /// ring.reweight("db-2", Weight::new(2)?)?;
    /// assert_eq!(ring.tokens().of("db-2").len(), 32);
    /// # Ok::<(), keyroute_token_ring::RouteError>(())
    /// ```
    pub fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        Reweight::reweight(self, id, weight)
    }

    /// Replaces the members, **and allocates all tokens anew**: as a new ring, in the order of the list.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The ring is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        Rebuild::rebuild(self, nodes)
    }

    /// Puts these members, who join one after another, in place of the present ones.
    fn fill(&mut self, members: Members) -> Result<(), RouteError> {
        let per_weight = self.tokens_per_weight;
        let counts = members.iter().map(|(_, node)| per_weight.count(node));
        check_count(counts.fold(0, u64::saturating_add), Some(per_weight))?;
        let mut allocation = Allocation::default();
        let mut points = Vec::new();
        for slot in members.listed() {
            let Some(node) = members.get(slot) else {
                continue;
            };
            let tokens = self.allocate(&mut allocation, node)?;
            points.extend(tokens.into_iter().map(|token| (token, slot)));
        }
        self.points = SortedPoints::default();
        self.insert(&members, points);
        self.members = members;
        Ok(())
    }

    /// The tokens that this member has under another weight: as many for each unit of weight as before, rounded
    /// up.
    fn reweighted(&self, slot: Slot, node: &Node, weight: Weight) -> Result<Vec<u64>, RouteError> {
        let own = |&(_, owner): &(u64, Slot)| owner == slot;
        let mut tokens: Vec<u64> = self.sorted().filter(own).map(|(token, _)| token).collect();
        let had = tokens.len() as u64;
        let wanted =
            (u128::from(had) * u128::from(weight.get())).div_ceil(node.weight().get().into());
        // Up to 2^24 tokens, and 32 bits of weight.
        let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
        let others = self.points.len() as u64 - had;
        check_count(others.saturating_add(wanted), Some(self.tokens_per_weight))?;
        let count = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        if others == 0 {
            return Ok(evenly(count(wanted)).collect());
        }
        if wanted > had {
            let allocation = Allocation::of(&self.members, self.sorted());
            let more = allocation.raise(node.id(), weight, count(wanted - had));
            tokens.extend(more.ok_or_else(|| no_arc(node))?);
        } else if wanted < had {
            let points: Vec<(u64, Slot)> = self.sorted().collect();
            tokens = release(&self.members, &points, slot, weight, count(had - wanted));
        }
        Ok(tokens)
    }

    fn allocate(&self, allocation: &mut Allocation, node: &Node) -> Result<Vec<u64>, RouteError> {
        // More than 2^24 were refused before.
        let count = u32::try_from(self.tokens_per_weight.count(node)).unwrap_or(u32::MAX);
        allocation.join(node, count).ok_or_else(|| no_arc(node))
    }

    fn insert(&mut self, members: &Members, points: Vec<(u64, Slot)>) {
        self.points.insert(points, &|a, b| members.cmp_id(a, b));
    }

    /// All points, clockwise from 0.
    fn sorted(&self) -> impl Iterator<Item = (u64, Slot)> {
        self.points.forward(0, Edge::Inclusive)
    }

    /// The arcs clockwise: the last position of each and its owner. Of tokens at one position the first in tie
    /// order serves it.
    fn arcs(&self) -> Vec<(u64, Slot)> {
        let mut arcs: Vec<(u64, Slot)> = self.sorted().collect();
        arcs.dedup_by_key(|&mut (position, _)| position);
        arcs
    }

    /// The tokens of each member, ascending, in the order of the slots.
    fn tokens_by_slot(&self) -> Vec<(Slot, Vec<u64>)> {
        let mut of_slots = alloc::vec![Vec::new(); self.members.slot_bound()];
        for (token, slot) in self.sorted() {
            of_slots[slot.index() as usize].push(token);
        }
        let take = |slot: Slot| (slot, core::mem::take(&mut of_slots[slot.index() as usize]));
        self.members.slots().map(take).collect()
    }
}

fn no_arc(node: &Node) -> RouteError {
    RouteError::Unplaceable {
        id: node.id().clone(),
        reason: "finds no arc to split: give the ring tokens that stand further apart",
    }
}

/// Fails for more points than a ring holds.
fn check_count(points: u64, per_weight: Option<PointsPerWeight>) -> Result<(), RouteError> {
    if points > MAX_POINTS {
        return Err(RouteError::TooManyPoints {
            points,
            points_per_weight: per_weight.map(PointsPerWeight::get),
        });
    }
    Ok(())
}

impl<H: KeyHasher<Out = u64>> Router for TokenRing<H> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        // The order of joining made the tokens.
        let mut description = Description::new("token-ring/1", MemberOrder::Listed);
        description.hasher("hasher", &self.hasher);
        description.field("tokens_per_weight", self.tokens_per_weight);
        for (slot, tokens) in self.tokens_by_slot() {
            if let Some(node) = self.members.get(slot) {
                description.field(
                    &format!("tokens of {}", Quoted(node.id().as_str())),
                    format!("{tokens:x?}"),
                );
            }
        }
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.points.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let at = self.hasher.hash(key);
        let ties = ById::NAME;
        Explanation::of(self, key)
            .hashed(&self.hasher, at)
            .placed(Place::on_ring::<AtOrAfter, _, _>(
                &self.points,
                &self.members,
                ties,
                at,
            ))
            .walked(self, key, next)
    }
}

impl<H: KeyHasher<Out = u64>> RouteDigest for TokenRing<H> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    fn route_value(&self, value: u64) -> Option<Slot> {
        self.points.at_or_after(value)
    }
}

impl<H: KeyHasher<Out = u64>> Walk for TokenRing<H> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.walk_value_with(self.hasher.hash(key), seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>> WalkDigest for TokenRing<H> {
    fn walk_value_with(
        &self,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        let mut left = self.members.len();
        for (_, slot) in self.points.forward(value, Edge::Inclusive) {
            if seen.insert(slot) {
                left -= 1;
                if visit(slot).is_break() || left == 0 {
                    return;
                }
            }
        }
    }
}

impl<H: KeyHasher<Out = u64>> Ranges for TokenRing<H> {
    type Width = u64;

    fn ranges(&self) -> Vec<OwnedRange<u64>> {
        OwnedRange::merge(self.arcs())
    }
}

impl<H: KeyHasher<Out = u64>> WalkRanges for TokenRing<H> {
    fn walk_ranges(&self) -> Vec<OwnedRange<u64>> {
        OwnedRange::each(self.arcs())
    }
}

impl<H: KeyHasher<Out = u64>> AddNode for TokenRing<H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.members.check_new(&node)?;
        let more = self.tokens_per_weight.count(&node);
        let points = (self.points.len() as u64).saturating_add(more);
        check_count(points, Some(self.tokens_per_weight))?;
        let mut allocation = Allocation::of(&self.members, self.sorted());
        let tokens = self.allocate(&mut allocation, &node)?;
        let slot = self.members.add(node)?;
        let points = tokens.into_iter().map(|token| (token, slot)).collect();
        let members = &self.members;
        self.points.insert(points, &|a, b| members.cmp_id(a, b));
        Ok(slot)
    }
}

impl<H: KeyHasher<Out = u64>> RemoveNode for TokenRing<H> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let (slot, node) = self.members.remove(id)?;
        self.points.remove(slot, &[]);
        Ok(node)
    }
}

impl<H: KeyHasher<Out = u64>> Reweight for TokenRing<H> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let (slot, node) = (self.members.find(id)?, self.members.node(id)?);
        if node.weight() == weight {
            return Ok(weight);
        }
        let tokens = self.reweighted(slot, node, weight)?;
        let old = self.members.set_weight(id, weight)?;
        self.points.remove(slot, &[]);
        let points = tokens.into_iter().map(|token| (token, slot)).collect();
        let members = &self.members;
        self.points.insert(points, &|a, b| members.cmp_id(a, b));
        Ok(old)
    }
}

impl<H: KeyHasher<Out = u64>> Rebuild for TokenRing<H> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.fill(Members::from_nodes(nodes.iter().cloned())?)
    }
}

impl<H> fmt::Debug for TokenRing<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenRing")
            .field("hasher", &self.tag)
            .field("tokens_per_weight", &self.tokens_per_weight)
            .field("members", &self.members)
            .finish_non_exhaustive()
    }
}
