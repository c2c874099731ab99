//! [`Phase`]: a part of a plan that burdens no node too much.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use keyroute_core::NodeId;

use crate::{Flows, Move, Plan, PlanError, Sizes, Transfer};

/// The most phases that a plan is cut into.
pub const MAX_PHASES: usize = 10_000;

/// A part of a plan: no node sends or receives more than the budget in it.
///
/// [`Plan::phases`] makes them. In their order they are the plan: each position that moves lies in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    moves: Vec<Move>,
    bytes: Flows,
}

impl Phase {
    /// The ranges that change hands in it: those of the plan, or pieces of them.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Who sends how many bytes to whom in it.
    #[must_use]
    pub fn bytes(&self) -> &Flows {
        &self.bytes
    }
}

impl Plan {
    /// The plan in phases, in each of which no node sends more than `budget` bytes, nor receives more. As few as
    /// come of filling each phase before the next.
    ///
    /// Ranges are cut where they must be: anywhere, between keys, or between partitions.
    ///
    /// ```
    /// use keyroute_plan::{Layout, Node, Plan, Sizes};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let before = VectorRing::from_ids(["a", "b", "c"])?;
    /// let mut after = before.clone();
    /// after.add(Node::new("d")?)?;
    /// let plan = Plan::between(&Layout::of_ranges(&before), &Layout::of_ranges(&after))?;
    /// let sizes = Sizes::uniform(plan.space(), 300_000);
    ///
    /// let phases = plan.phases(&sizes, 10_000)?; // "d" gets some 75,000 bytes
    /// assert!((7..10).contains(&phases.len()));
    /// assert!(phases.iter().all(|phase| phase.bytes().busiest() <= 10_000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PlanError::Indivisible`] if a key or a partition alone is over the budget,
    /// [`PlanError::TooManyPhases`] over [`MAX_PHASES`].
    pub fn phases(&self, sizes: &Sizes, budget: u64) -> Result<Vec<Phase>, PlanError> {
        // What moves alike waits in one line: it burdens the same nodes.
        let mut lines: BTreeMap<*const Transfer, VecDeque<Move>> = BTreeMap::new();
        let mut order: Vec<Arc<Transfer>> = Vec::new();
        for it in &self.moves {
            let line = lines.entry(Arc::as_ptr(&it.transfer)).or_insert_with(|| {
                order.push(Arc::clone(&it.transfer));
                VecDeque::new()
            });
            line.push_back(it.clone());
        }
        let mut phases: Vec<Phase> = Vec::new();
        while !order.is_empty() {
            if phases.len() == MAX_PHASES {
                return Err(PlanError::TooManyPhases { budget });
            }
            let mut left = Budgets::of(budget);
            let mut moves = Vec::new();
            order.retain(|transfer| {
                let line = lines.entry(Arc::as_ptr(transfer)).or_default();
                while let Some(next) = line.pop_front() {
                    let (taken, rest) = self.take(next, sizes, left.of_transfer(transfer));
                    if let Some(taken) = taken {
                        left.spend(transfer, sizes.of(&taken));
                        moves.push(taken);
                    }
                    if let Some(rest) = rest {
                        line.push_front(rest);
                        break;
                    }
                }
                !line.is_empty()
            });
            if moves.is_empty() {
                return Err(self.indivisible(&lines, sizes, budget));
            }
            moves.sort_by_key(Move::through);
            let mut bytes = Flows::new();
            for it in &moves {
                bytes.count(&it.transfer, sizes.of(it).into());
            }
            phases.push(Phase { moves, bytes });
        }
        Ok(phases)
    }

    /// As much of a move as holds at most so many bytes, and the rest.
    fn take(&self, whole: Move, sizes: &Sizes, most: u64) -> (Option<Move>, Option<Move>) {
        if sizes.of(&whole) <= most {
            return (Some(whole), None);
        }
        let cut = match most {
            0 => None,
            _ => sizes.cut(self.space, whole.after, whole.through, most),
        };
        let Some(cut) = cut else {
            return (None, Some(whole));
        };
        let taken = Move {
            through: cut,
            ..whole.clone()
        };
        if sizes.of(&taken) == 0 {
            return (None, Some(whole)); // nothing is gained by a cut before the first byte
        }
        let rest = Move {
            after: cut,
            ..whole
        };
        (Some(taken), Some(rest))
    }

    /// The first that no budget is enough for.
    fn indivisible(
        &self,
        lines: &BTreeMap<*const Transfer, VecDeque<Move>>,
        sizes: &Sizes,
        budget: u64,
    ) -> PlanError {
        let waiting = self.moves.iter().find_map(|it| {
            let line = lines.get(&Arc::as_ptr(&it.transfer))?;
            line.front()
        });
        let (after, through, bytes, copies) = waiting.map_or((0, 0, 0, 1), |it| {
            // A sender of several copies reads each, so that all must fit. The first byte that is too much lies
            // just past what would still fit.
            let copies = it.transfer.senders_copies();
            let fits = sizes.cut(self.space, it.after, it.through, budget / copies);
            let through = self.space.next(fits.unwrap_or(it.after));
            let bytes = sizes.within(self.space, it.after, through);
            (it.after, through, bytes, copies)
        });
        PlanError::Indivisible {
            space: self.space,
            after,
            through,
            bytes,
            copies,
            budget,
        }
    }
}

/// What nodes may still send and receive in a phase.
struct Budgets {
    each: u64,
    spent: BTreeMap<NodeId, (u64, u64)>,
}

impl Budgets {
    fn of(each: u64) -> Self {
        Self {
            each,
            spent: BTreeMap::new(),
        }
    }

    /// The most bytes that may move like this. Where several copies are read from one node, each counts.
    fn of_transfer(&self, transfer: &Transfer) -> u64 {
        let spent = |id: &NodeId| self.spent.get(id).copied().unwrap_or_default();
        let send = transfer.copies().next().and_then(|copy| copy.from);
        let send = send.map(|id| (self.each - spent(id).0) / transfer.senders_copies());
        let receive = transfer.copies().map(|copy| self.each - spent(copy.to).1);
        receive.chain(send).min().unwrap_or(u64::MAX)
    }

    fn spend(&mut self, transfer: &Transfer, bytes: u64) {
        for copy in transfer.copies() {
            if let Some(from) = copy.from {
                self.spent.entry(from.clone()).or_default().0 += bytes;
            }
            self.spent.entry(copy.to.clone()).or_default().1 += bytes;
        }
    }
}
