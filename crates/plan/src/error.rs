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
        /// The last position before it.
        after: u128,
        /// Its last position.
        through: u128,
        /// What it holds.
        bytes: u64,
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
                after,
                through,
                bytes,
                budget,
            } => write!(
                f,
                "{bytes} bytes in ({after:x}, {through:x}] move as a whole, and a node may send or receive \
                 {budget} in a phase: give a budget of {bytes} or more"
            ),
            Self::TooManyPhases { budget } => write!(
                f,
                "with {budget} bytes a node there are more than {} phases: give a greater budget",
                crate::MAX_PHASES
            ),
            Self::Sizes {
                first,
                through,
                problem,
            } => write!(f, "the size of {first:x} to {through:x}: {problem}"),
        }
    }
}

impl std::error::Error for PlanError {}
