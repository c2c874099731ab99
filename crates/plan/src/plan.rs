//! [`Plan`]: what moves between two layouts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::vec::Vec;

use keyroute_core::{Node, NodeId};

use crate::need::Strengths;
use crate::{Flows, Layout, Move, PlanError, Sizes, Space, Transfer};

/// What moves between two layouts: every range of the space that other nodes hold after than before, as few ranges
/// as can be.
///
/// It is exact: computed from both routers' data. Ranges are disjoint; a position that lies in none stays where it
/// is. A plan for the way back has the same ranges with their nodes exchanged.
///
/// O(parts of both) to make, O(log moves) to ask.
///
/// ```
/// use keyroute_plan::{Layout, Node, Plan};
/// use keyroute_vector_ring::VectorRing;
///
/// let before = VectorRing::from_ids(["a", "b", "c"])?;
/// let mut after = before.clone();
/// after.add(Node::new("d")?)?;
///
/// let plan = Plan::between(&Layout::of_ranges(&before), &Layout::of_ranges(&after))?;
/// for it in plan.moves() {
///     println!("{it}"); // (0071c0d31e0c2bfa, 00a0…]: "b" to "d"
///     assert_eq!(it.transfer().to()[0], "d");
/// }
/// let flows = plan.flows();
/// assert_eq!(flows.needless(), 0);
/// println!("{:.1} % moves", 100.0 * plan.space().share(flows.moved())); // 24.6 % moves
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(crate) space: Space,
    pub(crate) before: Vec<Node>,
    pub(crate) after: Vec<Node>,
    pub(crate) moves: Vec<Move>,
}

impl Plan {
    /// What moves from one layout to the other.
    ///
    /// # Errors
    ///
    /// [`PlanError::Spaces`] unless both are layouts of one space: hashes of one hasher, or partitions that are
    /// as many and found alike. A [`Survey`](crate::Survey) compares any two routers, by keys.
    pub fn between(before: &Layout, after: &Layout) -> Result<Self, PlanError> {
        if before.space() != after.space() {
            return Err(PlanError::Spaces {
                before: before.space(),
                after: after.space(),
            });
        }
        let space = before.space();
        let mut transfers = Transfers::between(before, after);
        let mut moves: Vec<Move> = Vec::new();
        let (mut part, mut now) = (0, 0);
        // Where the last move ended, if it did just before here.
        let mut last = space.last();
        while part < before.parts() && now < after.parts() {
            let (end, now_end) = (before.end(part), after.end(now));
            let through = end.min(now_end);
            let transfer = transfers.of(part, now);
            match (transfer, moves.last_mut()) {
                (None, _) => {}
                (Some(transfer), Some(open))
                    if open.through == last && Arc::ptr_eq(&open.transfer, &transfer) =>
                {
                    open.through = through;
                }
                (Some(transfer), _) => moves.push(Move {
                    space,
                    after: last,
                    through,
                    transfer,
                }),
            }
            last = through;
            part += usize::from(end == through);
            now += usize::from(now_end == through);
        }
        // On a ring of hashes the first and the last are neighbours too; partitions are a list.
        if let Space::Hashes { .. } = space
            && let [first, .., end] = moves.as_mut_slice()
            && first.after == space.last()
            && end.through == space.last()
            && Arc::ptr_eq(&first.transfer, &end.transfer)
        {
            first.after = end.after;
            moves.pop();
        }
        Ok(Self {
            space,
            before: before.nodes().to_vec(),
            after: after.nodes().to_vec(),
            moves,
        })
    }

    /// What its ranges are ranges of.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// The nodes before, in the order of their ids.
    #[must_use]
    pub fn before(&self) -> &[Node] {
        &self.before
    }

    /// The nodes after, in the order of their ids.
    #[must_use]
    pub fn after(&self) -> &[Node] {
        &self.after
    }

    /// The ranges that change hands, in ascending order. One of hashes that goes round the end is the first; none of
    /// partitions does.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Whether nothing moves.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The move of this position; `None` if it stays where it is.
    #[must_use]
    pub fn move_of(&self, position: u128) -> Option<&Move> {
        // The first may begin before 0, so it is asked apart.
        let first = self.moves.first().filter(|it| it.contains(position));
        first.or_else(|| {
            let at = self.moves.partition_point(|it| it.through < position);
            self.moves.get(at).filter(|it| it.contains(position))
        })
    }

    /// Who sends how much to whom, in positions.
    #[must_use]
    pub fn flows(&self) -> Flows {
        let mut flows = Flows::new();
        for it in &self.moves {
            flows.count(&it.transfer, it.size());
        }
        flows
    }

    /// Who sends how much to whom, in bytes, if keys have these sizes.
    #[must_use]
    pub fn bytes(&self, sizes: &Sizes) -> Flows {
        let mut flows = Flows::new();
        for it in &self.moves {
            flows.count(&it.transfer, sizes.of(it).into());
        }
        flows
    }

    /// The plan of the way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let strengths = Strengths::between(&self.after, &self.before);
        let mut turned: BTreeMap<*const Transfer, Arc<Transfer>> = BTreeMap::new();
        let turn = |it: &Move| {
            let transfer = turned.entry(Arc::as_ptr(&it.transfer)).or_insert_with(|| {
                let (from, to) = it.transfer.ends();
                Arc::new(Transfer::new(to, from, &strengths))
            });
            Move {
                transfer: Arc::clone(transfer),
                ..it.clone()
            }
        };
        Self {
            space: self.space,
            before: self.after.clone(),
            after: self.before.clone(),
            moves: self.moves.iter().map(turn).collect(),
        }
    }
}

/// The transfers between two layouts, each made once.
struct Transfers<'a> {
    before: &'a Layout,
    after: &'a Layout,
    strengths: Strengths,
    /// For each node of `after`, its number among those of `before`.
    numbers: Vec<Option<u32>>,
    known: BTreeMap<(Vec<u32>, Vec<u32>), Arc<Transfer>>,
    lists: BTreeMap<Vec<NodeId>, Arc<[NodeId]>>,
}

impl<'a> Transfers<'a> {
    fn between(before: &'a Layout, after: &'a Layout) -> Self {
        let number = |node: &Node| {
            let found = before.nodes().binary_search_by(|it| it.id().cmp(node.id()));
            u32::try_from(found.ok()?).ok()
        };
        Self {
            strengths: Strengths::between(before.nodes(), after.nodes()),
            numbers: after.nodes().iter().map(number).collect(),
            known: BTreeMap::new(),
            lists: BTreeMap::new(),
            before,
            after,
        }
    }

    /// From whom to whom what lies in these parts moves; `None` if it stays.
    fn of(&mut self, part: usize, now: usize) -> Option<Arc<Transfer>> {
        let theirs = self.after.numbers_of(now);
        let stays = self
            .before
            .numbers_of(part)
            .map(Some)
            .eq(theirs.map(|number| self.numbers[number as usize]));
        if stays {
            return None;
        }
        let key = (
            self.before.numbers_of(part).collect(),
            self.after.numbers_of(now).collect(),
        );
        if let Some(known) = self.known.get(&key) {
            return Some(Arc::clone(known));
        }
        let from = self.list(self.before, &key.0);
        let to = self.list(self.after, &key.1);
        let transfer = Arc::new(Transfer::new(from, to, &self.strengths));
        self.known.insert(key, Arc::clone(&transfer));
        Some(transfer)
    }

    fn list(&mut self, layout: &Layout, numbers: &[u32]) -> Arc<[NodeId]> {
        let ids = numbers
            .iter()
            .map(|&number| layout.nodes()[number as usize].id().clone());
        let ids: Vec<NodeId> = ids.collect();
        let list = self
            .lists
            .entry(ids)
            .or_insert_with_key(|ids| ids.as_slice().into());
        Arc::clone(list)
    }
}
