//! [`Ring`]: the engine of every ring, a [`Scheme`] over a [`PointTable`].

use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;
use core::ops::ControlFlow;

use crate::error::check_batch;
use crate::walk::first_of_walk;
use crate::{
    AddNode, ArcLookup, ById, Description, Edge, Explanation, HasherTag, KeyDigest, KeyHasher,
    Lookup, MAX_POINTS, Members, Node, OneWay, OrderFree, OwnedRange, Place, PointScheme,
    PointTable, Ranges, Rebuild, RemoveNode, Reweight, RouteDigest, RouteError, Router, Scheme,
    Slot, SlotSet, TieOrder, Walk, WalkDigest, WalkRanges, Weight,
};

/// A consistent-hashing ring (Karger et al. 1997): nodes take points, a key goes to the point that
/// the scheme's [`Lookup`] finds for its hash.
///
/// The engine behind the named rings, which are what users hold. It never answers by itself: the
/// scheme says where points stand, the container finds them.
#[derive(Clone)]
pub struct Ring<S: Scheme, T> {
    scheme: S,
    members: Members,
    points: T,
    tag: HasherTag,
}

impl<S: Scheme, T: PointTable<S::Position>> Ring<S, T> {
    /// An empty ring.
    #[must_use]
    pub fn new(scheme: S) -> Self {
        let tag = HasherTag::of(scheme.hasher());
        Self {
            scheme,
            members: Members::new(),
            points: T::default(),
            tag,
        }
    }

    /// A ring of these nodes: points are made and sorted once.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::TooManyPoints`],
    /// or what the scheme refuses.
    pub fn from_nodes(
        scheme: S,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut ring = Self::new(scheme);
        ring.fill(Members::from_nodes(nodes)?)?;
        Ok(ring)
    }

    /// The scheme.
    #[must_use]
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// How many points there are.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// The container of the points, for questions that are asked point by point.
    #[must_use]
    pub fn table(&self) -> &T {
        &self.points
    }

    /// Puts these members and their points in place of the present ones.
    fn fill(&mut self, members: Members) -> Result<(), RouteError> {
        self.check_count(self.scheme.count(&members))?;
        let all = self.scheme.fleet_points(&members)?;
        let mut points = T::default();
        points.insert(all, &|a, b| S::Ties::cmp(&members, a, b));
        self.members = members;
        self.points = points;
        Ok(())
    }

    fn locate(&self, key: &[u8]) -> S::Position {
        self.scheme.hasher().hash(key)
    }

    fn check_count(&self, points: u64) -> Result<(), RouteError> {
        if points > MAX_POINTS {
            let points_per_weight = self.scheme.points_per_weight();
            return Err(RouteError::TooManyPoints {
                points,
                points_per_weight,
            });
        }
        Ok(())
    }
}

impl<S: PointScheme, T: PointTable<S::Position>> Ring<S, T> {
    /// Predicts a ring of this many nodes of one weight: its points, and the bytes they will hold.
    /// Points that do not follow from weights (as [`Tokens`](crate::Tokens)) are not counted.
    #[must_use]
    pub fn estimate(scheme: &S, nodes: u64, weight: Weight) -> Estimate {
        let points = nodes
            .saturating_mul(weight.get().into())
            .saturating_mul(scheme.points_per_weight().unwrap_or(0).into());
        // A slot in the table, an entry in the map of ids, and an id of about 16 bytes.
        let member = 3 * size_of::<Node>() as u64 + 32;
        let bytes = T::estimate(points, nodes).saturating_add(nodes.saturating_mul(member));
        Estimate { points, bytes }
    }

    fn insert(&mut self, slot: Slot, positions: Vec<S::Position>) {
        let members = &self.members;
        let points = positions
            .into_iter()
            .map(|position| (position, slot))
            .collect();
        self.points
            .insert(points, &|a, b| S::Ties::cmp(members, a, b));
    }

    /// Fails if a node with this many points would be one too many, `leaving` points aside.
    fn check_growth(&self, points: u64, leaving: u64) -> Result<(), RouteError> {
        self.check_count((self.points.len() as u64 - leaving).saturating_add(points))
    }
}

/// What a ring will need, told before it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Its points. Over [`MAX_POINTS`] the ring would be refused.
    pub points: u64,
    /// The bytes on the heap: exact for the vector ring's points, a few percent off for trees.
    pub bytes: u64,
}

impl<S: Scheme, T: PointTable<S::Position>> Router for Ring<S, T> {
    #[inline]
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.locate(key))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new(self.scheme.name(), S::Ties::ORDER);
        description.field("lookup", S::Lookup::NAME);
        S::Lookup::describe(&mut description);
        description.field("ties", S::Ties::NAME);
        description.hasher("hasher", self.scheme.hasher());
        if let Some(points) = self.scheme.points_per_weight() {
            description.field("points_per_weight", points);
        }
        self.scheme.describe(&mut description);
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        self.members.heap_bytes() + self.points.heap_bytes()
    }

    fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
        check_batch(keys.len(), out.len())?;
        let mut positions = [S::Position::default(); BATCH];
        for (keys, out) in keys.chunks(BATCH).zip(out.chunks_mut(BATCH)) {
            let positions = &mut positions[..keys.len()];
            self.scheme.hasher().hash_each(keys, positions);
            S::Lookup::owners(&self.points, positions, out);
        }
        Ok(())
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let at = self.locate(key);
        let ties = S::Ties::NAME;
        Explanation::of(self, key)
            .hashed(self.scheme.hasher(), at)
            .placed(Place::on_ring::<S::Lookup, _, _>(
                &self.points,
                &self.members,
                ties,
                at,
            ))
            .walked(self, key, next)
    }
}

/// How many keys of a batch are hashed before they are searched: enough for their waits to overlap, few
/// enough for the stack and the first cache.
const BATCH: usize = 128;

impl<S: Scheme, T: PointTable<S::Position>> RouteDigest for Ring<S, T> {
    type Width = S::Position;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<S::Position> {
        KeyDigest::new(self.tag, self.locate(key))
    }

    #[inline]
    fn route_value(&self, value: S::Position) -> Option<Slot> {
        S::Lookup::owner(&self.points, value)
    }

    fn route_digests(
        &self,
        tag: HasherTag,
        values: &[S::Position],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        self.check_tag(tag)?;
        check_batch(values.len(), out.len())?;
        S::Lookup::owners(&self.points, values, out);
        Ok(())
    }
}

impl<S: Scheme, T: PointTable<S::Position>> Walk for Ring<S, T> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.walk_value_with(self.locate(key), seen, visit);
    }

    fn first_into(&self, key: &[u8], out: &mut [Slot]) -> usize {
        if out.len() > FEW {
            return first_of_walk(self, key, out);
        }
        let wanted = out.len().min(self.members.len());
        let mut found = 0;
        if wanted > 0 {
            for slot in S::Lookup::order(&self.points, self.locate(key)) {
                if !out[..found].contains(&slot) {
                    out[found] = slot;
                    found += 1;
                    if found == wanted {
                        break;
                    }
                }
            }
        }
        found
    }
}

/// Up to so many nodes it takes less to look through those found than to keep a set of them.
const FEW: usize = 16;

impl<S: Scheme, T: PointTable<S::Position>> WalkDigest for Ring<S, T> {
    fn walk_value_with(
        &self,
        value: S::Position,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        let mut left = self.members.len();
        for slot in S::Lookup::order(&self.points, value) {
            if seen.insert(slot) {
                left -= 1;
                if visit(slot).is_break() || left == 0 {
                    return;
                }
            }
        }
    }
}

impl<S: Scheme<Lookup: ArcLookup>, T: PointTable<S::Position>> Ring<S, T> {
    /// The arcs clockwise: the last position of each and its owner.
    fn arcs(&self) -> Vec<(S::Position, Slot)> {
        // One point for each distinct position: the first in tie order serves it.
        let mut winners: Vec<(S::Position, Slot)> = Vec::with_capacity(self.points.len());
        for point in self.points.forward(S::Position::default(), Edge::Inclusive) {
            if winners
                .last()
                .is_none_or(|&(position, _)| position != point.0)
            {
                winners.push(point);
            }
        }
        // Where an arc does not end on its point, it ends between that and the next.
        let next = winners.iter().cycle().skip(1);
        winners
            .iter()
            .zip(next)
            .map(|(&(position, owner), next)| (S::Lookup::boundary(position, next.0), owner))
            .collect()
    }
}

impl<S: Scheme<Lookup: ArcLookup>, T: PointTable<S::Position>> Ranges for Ring<S, T> {
    type Width = S::Position;

    fn ranges(&self) -> Vec<OwnedRange<S::Position>> {
        OwnedRange::merge(self.arcs())
    }
}

impl<S: Scheme<Lookup: OneWay>, T: PointTable<S::Position>> WalkRanges for Ring<S, T> {
    fn walk_ranges(&self) -> Vec<OwnedRange<S::Position>> {
        OwnedRange::each(self.arcs())
    }
}

impl<S: Scheme, T: PointTable<S::Position>> Rebuild for Ring<S, T> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.fill(Members::from_nodes(nodes.iter().cloned())?)
    }
}

impl<S: PointScheme, T: PointTable<S::Position>> AddNode for Ring<S, T> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.members.check_new(&node)?;
        self.check_growth(self.scheme.count_of(&node), 0)?;
        let positions = self.scheme.points(&node)?;
        let slot = self.members.add(node)?;
        self.insert(slot, positions);
        Ok(slot)
    }
}

impl<S: PointScheme, T: PointTable<S::Position>> RemoveNode for Ring<S, T> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let node = self.members.node(id)?;
        let positions = self.scheme.points(node)?;
        let (slot, node) = self.members.remove(id)?;
        self.points.remove(slot, &positions);
        Ok(node)
    }
}

impl<S: PointScheme, T: PointTable<S::Position>> Reweight for Ring<S, T> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        let slot = self.members.find(id)?;
        let node = self.members.node(id)?;
        let changed = node.clone().with_weight(weight);
        self.check_growth(self.scheme.count_of(&changed), self.scheme.count_of(node))?;
        let (before, after) = (self.scheme.points(node)?, self.scheme.points(&changed)?);
        let old = self.members.set_weight(id, weight)?;
        // Everything out and in again is right for any scheme, also where a weight moves points.
        self.points.remove(slot, &before);
        self.insert(slot, after);
        Ok(old)
    }
}

impl<S: Scheme<Ties = ById>, T: PointTable<S::Position>> OrderFree for Ring<S, T> {}

impl<S: Scheme, T: PointTable<S::Position>> fmt::Debug for Ring<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("scheme", &self.scheme.name())
            .field("points", &self.points.len())
            .field("members", &self.members)
            .finish()
    }
}
