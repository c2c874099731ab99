//! [`Layout`]: which nodes hold which part of a space.

use std::vec::Vec;

use keyroute_core::{
    Members, Node, OwnedRange, Partitioned, Position, Ranges, RouteDigest, WalkRanges,
};

use crate::Space;

/// Which nodes hold which part of a space: all that a plan needs to know of a router, read off its data, not
/// sampled.
///
/// | of | a router with | space | holders |
/// | --- | --- | --- | --- |
/// | [`of_ranges`](Self::of_ranges) | [`Ranges`] | hashes | the owner |
/// | [`of_replicas`](Self::of_replicas) | [`WalkRanges`] | hashes | the first n nodes of the walk |
/// | [`of_partitions`](Self::of_partitions) | [`Partitioned`] | partitions | the owner |
///
/// O(parts) to make, about 20 bytes a part; neighbours with the same holders are one part.
///
/// ```
/// use keyroute_plan::{Layout, Node, NodeId, RouteDigest, WalkExt};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b", "c"])?;
/// let layout = Layout::of_replicas(&ring, 2);
/// let position = u128::from(ring.digest(b"user:1").value());
/// let holders: Vec<&NodeId> = layout.holders(position).map(Node::id).collect();
/// assert_eq!(holders, ring.replica_ids(b"user:1", 2));
/// # Ok::<(), keyroute_plan::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Layout {
    space: Space,
    nodes: Vec<Node>,
    /// The last position of each part; the first part begins at 0, the last ends at the end.
    ends: Vec<u128>,
    /// Of each part as many nodes as a part has at most, by their numbers; [`NOBODY`] where it has fewer.
    holders: Vec<u32>,
    /// How many that is.
    width: usize,
}

/// In place of a node's number.
const NOBODY: u32 = u32::MAX;

impl Layout {
    /// Who owns which hashes.
    #[must_use]
    pub fn of_ranges<R>(router: &R) -> Self
    where
        R: Ranges + RouteDigest<Width = <R as Ranges>::Width> + ?Sized,
    {
        let mut layout = Self::empty(hashes(router), router.members(), 1);
        let numbers = numbers(router.members());
        layout.cut_at_zero(&router.ranges(), |range, holders| {
            holders.push(numbers[range.owner.index() as usize]);
        });
        layout
    }

    /// Which nodes are the first `replicas` of the walk of which hashes.
    #[must_use]
    pub fn of_replicas<R: WalkRanges + ?Sized>(router: &R, replicas: usize) -> Self {
        use std::ops::ControlFlow::{Break, Continue};

        let width = replicas.min(router.members().len());
        let mut layout = Self::empty(hashes(router), router.members(), width);
        let numbers = numbers(router.members());
        let mut seen = keyroute_core::SlotSet::new();
        layout.cut_at_zero(&router.walk_ranges(), |range, holders| {
            if width == 0 {
                return;
            }
            router.walk_value_with(range.through, &mut seen, &mut |slot| {
                holders.push(numbers[slot.index() as usize]);
                if holders.len() == width {
                    Break(())
                } else {
                    Continue(())
                }
            });
        });
        layout
    }

    /// Who owns which partitions.
    #[must_use]
    pub fn of_partitions<R: Partitioned + ?Sized>(router: &R) -> Self {
        let partitioning = router.partitioning();
        let mut layout = Self::empty(Space::Partitions(partitioning), router.members(), 1);
        let numbers = numbers(router.members());
        for partition in 0..partitioning.count {
            let owner = router.partition_owner(partition);
            let owner = owner.map(|slot| numbers[slot.index() as usize]);
            layout.push(partition.into(), owner.as_slice());
        }
        layout.cover();
        layout
    }

    fn empty(space: Space, members: &Members, width: usize) -> Self {
        let nodes = members.by_id().filter_map(|slot| members.get(slot));
        Self {
            space,
            nodes: nodes.cloned().collect(),
            ends: Vec::new(),
            holders: Vec::new(),
            width,
        }
    }

    /// Takes ranges that go round, the one that holds 0 first, and cuts that one there.
    fn cut_at_zero<P: Position>(
        &mut self,
        ranges: &[OwnedRange<P>],
        mut holders_of: impl FnMut(&OwnedRange<P>, &mut Vec<u32>),
    ) {
        let mut holders = Vec::with_capacity(self.width);
        let mut first = Vec::new();
        for range in ranges {
            holders.clear();
            holders_of(range, &mut holders);
            if self.ends.is_empty() {
                first.clone_from(&holders);
            }
            self.push(range.through.widen(), &holders);
        }
        if let Some(range) = ranges.first()
            && self.ends.last() != Some(&self.space.last())
        {
            // What of the first range lies before 0.
            debug_assert!(range.contains(P::MAX));
            self.push(self.space.last(), &first);
        }
        self.cover();
    }

    /// Nobody holds what is left.
    fn cover(&mut self) {
        if self.ends.last() != Some(&self.space.last()) {
            self.push(self.space.last(), &[]);
        }
    }

    /// The next part: these nodes hold it, through this position.
    fn push(&mut self, through: u128, holders: &[u32]) {
        let padded = |at: usize| holders.get(at).copied().unwrap_or(NOBODY);
        let before = self.holders.len().checked_sub(self.width);
        let before = before.filter(|_| !self.ends.is_empty());
        if let (Some(before), Some(end)) = (before, self.ends.last_mut())
            && (0..self.width).all(|at| self.holders[before + at] == padded(at))
        {
            *end = through;
            return;
        }
        self.ends.push(through);
        self.holders.extend((0..self.width).map(padded));
    }

    /// What it is a layout of.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// The nodes, in the order of their ids.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// How many parts there are, the first beginning at 0.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.ends.len()
    }

    /// The nodes that hold this position, in their order: the owner first. None without members.
    pub fn holders(&self, position: u128) -> impl Iterator<Item = &Node> {
        let part = self.ends.partition_point(|&end| end < position);
        self.numbers_of(part.min(self.ends.len().saturating_sub(1)))
            .filter_map(|number| self.nodes.get(number as usize))
    }

    /// The last position of a part.
    pub(crate) fn end(&self, part: usize) -> u128 {
        self.ends[part]
    }

    /// The nodes that hold a part, by their places among [`nodes`](Self::nodes).
    pub(crate) fn numbers_of(&self, part: usize) -> impl Iterator<Item = u32> + '_ {
        let from = part * self.width;
        let holders = self.holders[from..from + self.width].iter().copied();
        holders.take_while(|&number| number != NOBODY)
    }
}

fn hashes<R: RouteDigest + ?Sized>(router: &R) -> Space {
    Space::Hashes {
        bits: <R::Width as Position>::BITS,
        hasher: router.hasher_tag(),
    }
}

/// Each slot's place in the order of ids.
fn numbers(members: &Members) -> Vec<u32> {
    let mut numbers = std::vec![NOBODY; members.slot_bound()];
    for (number, slot) in (0..).zip(members.by_id()) {
        numbers[slot.index() as usize] = number;
    }
    numbers
}
