//! [`PlanError`]: why there is no such plan, and what to do instead.

use std::fmt;

use crate::Space;

/// Why there is no such plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Two layouts of different spaces.
    Spaces {
        /// The one before.
        before: Space,
        /// The one after.
        after: Space,
    },
    /// A range that cannot be cut is more than a node may send or receive in a phase.
    Indivisible {
        /// The space.
        space: Space,
        /// The last position before it.
        after: u128,
        /// Its last position.
        through: u128,
        /// What it holds.
        bytes: u64,
        /// How many copies of it one node sends at once.
        copies: u64,
        /// The most for a node in a phase.
        budget: u64,
    },
    /// More phases than [`MAX_PHASES`](crate::MAX_PHASES).
    TooManyPhases {
        /// The most for a node in a phase.
        budget: u64,
    },
    /// Sizes of ranges that overlap, are out of order or leave the space.
    Sizes {
        /// The space.
        space: Space,
        /// The first position of the range.
        first: u128,
        /// The last position of the range.
        through: u128,
        /// What is wrong.
        problem: &'static str,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spaces { before, after } => write!(
                f,
                "{before} before, {after} after: ranges of the one are none of the other; compare the two by \
                 keys instead"
            ),
            Self::Indivisible {
                space,
                after,
                through,
                bytes,
                copies,
                budget,
            } => {
                let range = space.range(*after, *through);
                write!(f, "{bytes} bytes in {range} move as a whole")?;
                if *copies > 1 {
                    write!(f, ", in {copies} copies from one node")?;
                }
                let least = u128::from(*bytes) * u128::from(*copies);
                write!(
                    f,
                    ", and a node may send or receive {budget} in a phase: give a budget of {least} or more"
                )
            }
            Self::TooManyPhases { budget } => write!(
                f,
                "with {budget} bytes a node there are more than {} phases: give a greater budget",
                crate::MAX_PHASES
            ),
            Self::Sizes {
                space,
                first,
                through,
                problem,
            } => write!(
                f,
                "the size of {} to {}: {problem}; positions are 0 to {}, each range after the one before it",
                space.shown(*first),
                space.shown(*through),
                space.shown(space.last())
            ),
        }
    }
}

impl std::error::Error for PlanError {}
