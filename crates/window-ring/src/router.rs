//! [`WindowRing`]: rendezvous among the next nodes of a ring.

use alloc::vec::Vec;
use core::fmt;
use core::mem::size_of;
use core::ops::ControlFlow;

use keyroute_core::hash::{NativeHasher, mix64};
use keyroute_core::{
    AddNode, Description, Explanation, Fact, HashValue, HasherTag, KeyDigest, KeyHasher,
    MemberOrder, Members, Node, NodeLabel, OrderFree, Place, Rebuild, RemoveNode, RouteDigest,
    RouteError, Router, Slot, SlotSet, Walk, WalkDigest, WindowPlace,
};

use crate::Window;
use crate::rows::Rows;

/// Local rendezvous hashing: `window-ring/1`.
///
/// A key finds its point as on a ring; the next C distinct nodes from there are its candidates, and the one
/// with the greatest rendezvous draw owns it. So each point's load is spread over C nodes, and shares are as
/// even as with C times the points. The rows of candidates are made beforehand: a lookup is one search and C
/// draws.
///
/// A key's order is its candidates by draw, then the ring's further nodes. **A node that is down moves only its
/// own keys, exactly, as long as it stays a member** and is passed over
/// ([`first_where`](Self::first_where)). **A node that joins or leaves moves more than it must: 2 C ÷ (C + 1)
/// times as much**, 1.78 for 8 candidates, since rows shift. So replicas of a smaller fleet are not those of
/// the larger one with a node left out.
///
/// | | cost, n nodes of V points, C candidates |
/// | --- | --- |
/// | lookup | O(C): one hash, one search among a point or two, C draws of two multiplications |
/// | first k of the walk | k × C draws within the window, then a step a point |
/// | any change | O(nV log nV + nVC): all rows are made anew |
/// | memory | 10 to 12 + 4 × C bytes a point, and the members; [`Window::estimate`] says it beforehand |
///
/// There are no weights: a node is at most once among C candidates, however many points it has. Keys and ids go
/// through one hasher of 64 bits. Points at one position and equal draws: the lower id comes first.
///
/// ```
/// use keyroute_window_ring::WindowRing;
///
/// let router = WindowRing::from_ids(["cache-1", "cache-2", "cache-3"])?;
/// let owner = router.route(b"user:1").unwrap();
/// let next = router.first_where(b"user:1", |slot| slot != owner);
/// assert_eq!(next, Some(router.replicas(b"user:1", 2)[1]));
/// # Ok::<(), keyroute_window_ring::RouteError>(())
/// ```
#[derive(Clone)]
pub struct WindowRing<H = NativeHasher> {
    hasher: H,
    tag: HasherTag,
    window: Window,
    members: Members,
    rows: Rows,
    /// The hash of each member's label, by slot.
    hashes: Vec<u64>,
}

#[cfg(feature = "xxh3")]
impl WindowRing {
    /// No nodes; 8 candidates and 64 points, hashed with XXH3.
    #[must_use]
    pub fn new() -> Self {
        Self::with_hasher(NativeHasher::default(), Window::default())
    }

    /// These nodes; 8 candidates and 64 points.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with).
    pub fn from_nodes(nodes: impl IntoIterator<Item = Node>) -> Result<Self, RouteError> {
        Self::from_nodes_with(NativeHasher::default(), Window::default(), nodes)
    }

    /// Nodes with these ids; 8 candidates and 64 points.
    ///
    /// # Errors
    ///
    /// As [`from_ids_with`](Self::from_ids_with).
    pub fn from_ids(ids: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, RouteError> {
        Self::from_ids_with(NativeHasher::default(), Window::default(), ids)
    }
}

#[cfg(feature = "xxh3")]
impl Default for WindowRing {
    fn default() -> Self {
        Self::new()
    }
}

impl<H: KeyHasher<Out = u64>> WindowRing<H> {
    /// No nodes; keys and ids are hashed with this function.
    #[must_use]
    pub fn with_hasher(hasher: H, window: Window) -> Self {
        let tag = HasherTag::of(&hasher);
        Self {
            hasher,
            tag,
            window,
            members: Members::new(),
            rows: Rows::default(),
            hashes: Vec::new(),
        }
    }

    /// These nodes; keys and ids are hashed with this function.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`], [`RouteError::TooManyNodes`], [`RouteError::WeightUnsupported`] for a
    /// weight over 1, [`RouteError::TooManyPoints`], and [`RouteError::Parameter`] if the rows would have more
    /// than [`MAX_ROW_ENTRIES`](crate::MAX_ROW_ENTRIES).
    pub fn from_nodes_with(
        hasher: H,
        window: Window,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Result<Self, RouteError> {
        let mut router = Self::with_hasher(hasher, window);
        router.fill(Members::from_nodes(nodes)?)?;
        Ok(router)
    }

    /// Nodes with these ids; they are hashed with this function, as keys are.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with) and [`Node::new`].
    pub fn from_ids_with(
        hasher: H,
        window: Window,
        ids: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = ids.into_iter().map(Node::new).collect();
        Self::from_nodes_with(hasher, window, nodes?)
    }

    keyroute_core::inherent_lookups!();
    keyroute_core::inherent_walks!();

    /// The hasher of keys and ids.
    #[must_use]
    pub fn hasher(&self) -> &H {
        &self.hasher
    }

    /// How many nodes compete for a key, and how many points each has.
    #[must_use]
    pub fn window(&self) -> Window {
        self.window
    }

    /// Adds a node. Keys move to it, **and up to as many between others**.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The router is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        AddNode::add(self, node)
    }

    /// Removes a node. Its keys move, **and up to as many between others**.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`]. The router is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        RemoveNode::remove(self, id)
    }

    /// Replaces the members: many changes for the price of one.
    ///
    /// # Errors
    ///
    /// As [`from_nodes_with`](Self::from_nodes_with). The router is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        Rebuild::rebuild(self, nodes)
    }

    /// Puts these members and their rows in place of the present ones.
    fn fill(&mut self, members: Members) -> Result<(), RouteError> {
        if let Some((_, node)) = members.iter().find(|(_, node)| node.weight().get() > 1) {
            return Err(RouteError::WeightUnsupported {
                id: node.id().clone(),
                weight: node.weight().get(),
                strategy: "a window ring",
            });
        }
        self.window.check(members.len())?;
        let mut hashes = alloc::vec![0; members.slot_bound()];
        let mut points = Vec::with_capacity(members.len() * self.window.points() as usize);
        for (slot, node) in members.iter() {
            let mut label = NodeLabel::new(node.id());
            hashes[slot.index() as usize] = label.hash(&self.hasher, 0);
            let positions = label.hash_each(&self.hasher, 0..self.window.points());
            points.extend(positions.into_iter().map(|position| (position, slot)));
        }
        points.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| members.cmp_id(a.1, b.1)));
        let width = members.len().min(self.window.candidates() as usize);
        self.rows = Rows::new(&points, width);
        self.members = members;
        self.hashes = hashes;
        Ok(())
    }

    fn draw(&self, digest: u64, slot: Slot) -> u64 {
        mix64(digest ^ self.hashes[slot.index() as usize])
    }

    /// The candidate with the greatest draw for this digest; of equal draws the lower id.
    ///
    /// No step but for equal draws has a branch, for none could be foreseen.
    fn best(&self, digest: u64, row: &[Slot]) -> Option<Slot> {
        let (&first, others) = row.split_first()?;
        let mut best = first;
        let mut most = self.draw(digest, first);
        let mut equal = false;
        for &slot in others {
            let draw = self.draw(digest, slot);
            equal |= draw == most;
            best = if draw > most { slot } else { best };
            most = most.max(draw);
        }
        if equal {
            return self.best_outside(digest, row, &SlotSet::new());
        }
        Some(best)
    }

    /// The same among those not in the set.
    fn best_outside(&self, digest: u64, row: &[Slot], set: &SlotSet) -> Option<Slot> {
        let mut best: Option<(u64, Slot)> = None;
        for &slot in row {
            if set.contains(slot) {
                continue;
            }
            let draw = self.draw(digest, slot);
            let better = best.is_none_or(|(most, other)| {
                draw > most || draw == most && self.members.cmp_id(slot, other).is_lt()
            });
            if better {
                best = Some((draw, slot));
            }
        }
        best.map(|(_, slot)| slot)
    }
}

impl<H: KeyHasher<Out = u64>> Router for WindowRing<H> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.route_value(self.hasher.hash(key))
    }

    fn members(&self) -> &Members {
        &self.members
    }

    fn describe(&self) -> Description {
        let mut description = Description::new("window-ring/1", MemberOrder::ById);
        description.hasher("hasher", &self.hasher);
        description.field("candidates", self.window.candidates());
        description.field("points", self.window.points());
        description.members(&self.members);
        description
    }

    fn heap_bytes(&self) -> usize {
        let hashes = self.hashes.capacity() * size_of::<u64>();
        self.members.heap_bytes() + self.rows.heap_bytes() + hashes
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        let digest = self.hasher.hash(key);
        let why = Explanation::of(self, key).hashed(&self.hasher, digest);
        let row = self.rows.row(self.rows.find(digest));
        let Some([after, through]) = self.rows.stretch(digest) else {
            return why;
        };
        let node = |&slot: &Slot| Some(self.members.get(slot)?.id().clone());
        why.placed(Place::Window(WindowPlace {
            position: HashValue::of(digest),
            after: HashValue::of(after),
            through: HashValue::of(through),
            candidates: row.iter().filter_map(node).collect(),
        }))
        .walked(self, key, next)
        .with_facts(|slot| {
            // Nodes behind the window come in the order of the ring.
            let competes = row.contains(&slot);
            competes.then(|| Fact::Draw(HashValue::of(self.draw(digest, slot))))
        })
    }
}

impl<H: KeyHasher<Out = u64>> RouteDigest for WindowRing<H> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.tag
    }

    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.tag, self.hasher.hash(key))
    }

    fn route_value(&self, value: u64) -> Option<Slot> {
        self.best(value, self.rows.row(self.rows.find(value)))
    }
}

impl<H: KeyHasher<Out = u64>> Walk for WindowRing<H> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.walk_value_with(self.hasher.hash(key), seen, visit);
    }
}

impl<H: KeyHasher<Out = u64>> WalkDigest for WindowRing<H> {
    fn walk_value_with(
        &self,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        seen.clear();
        let point = self.rows.find(value);
        let mut left = self.members.len();
        let row = self.rows.row(point);
        while let Some(slot) = self.best_outside(value, row, seen) {
            seen.insert(slot);
            left -= 1;
            if visit(slot).is_break() {
                return;
            }
        }
        if left == 0 {
            return;
        }
        for slot in self.rows.onward(point) {
            if seen.insert(slot) {
                left -= 1;
                if visit(slot).is_break() || left == 0 {
                    return;
                }
            }
        }
    }
}

impl<H: KeyHasher<Out = u64>> AddNode for WindowRing<H> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        let mut members = self.members.clone();
        let slot = members.add(node)?;
        self.fill(members)?;
        Ok(slot)
    }
}

impl<H: KeyHasher<Out = u64>> RemoveNode for WindowRing<H> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        let mut members = self.members.clone();
        let (_, node) = members.remove(id)?;
        self.fill(members)?;
        Ok(node)
    }
}

impl<H: KeyHasher<Out = u64>> Rebuild for WindowRing<H> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.fill(Members::from_nodes(nodes.iter().cloned())?)
    }
}

impl<H: KeyHasher<Out = u64>> OrderFree for WindowRing<H> {}

impl<H> fmt::Debug for WindowRing<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowRing")
            .field("hasher", &self.tag)
            .field("window", &self.window)
            .field("members", &self.members)
            .finish_non_exhaustive()
    }
}
