//! [`Space`]: what a plan's ranges are ranges of.

use std::fmt;

use keyroute_core::{HasherTag, Partitioning};

/// What a layout's ranges are ranges of: hashes of keys, or partitions. Positions in it are numbers from 0 to
/// [`last`](Self::last); those of hashes go round the end.
///
/// Two layouts can be compared range by range if they have one space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// The hashes of keys.
    Hashes {
        /// Their width.
        bits: u32,
        /// Who makes them.
        hasher: HasherTag,
    },
    /// The partitions of a table.
    Partitions(Partitioning),
}

impl Space {
    /// The last position.
    ///
    /// ```
    /// use keyroute_plan::Layout;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b"])?;
    /// assert_eq!(Layout::of_ranges(&ring).space().last(), u64::MAX.into());
    /// # Ok::<(), keyroute_plan::RouteError>(())
    /// ```
    #[must_use]
    pub fn last(self) -> u128 {
        match self {
            Self::Hashes { bits, .. } => u128::MAX >> (128 - bits.clamp(1, 128)),
            Self::Partitions(partitioning) => u128::from(partitioning.count.max(1)) - 1,
        }
    }

    /// The position after this one, 0 after the last.
    pub(crate) fn next(self, position: u128) -> u128 {
        if position >= self.last() {
            0
        } else {
            position + 1
        }
    }

    /// How many positions there are; of the 2^128 of the widest hashes one is not counted.
    #[must_use]
    pub fn size(self) -> u128 {
        self.last().saturating_add(1)
    }

    /// The positions after `after`, through `through`, as people read them: `(00ff, 2a10]`, or `512-1023` of
    /// partitions.
    pub(crate) fn range(self, after: u128, through: u128) -> impl fmt::Display {
        ShownRange(self, after, through)
    }

    /// The part that so many positions are, 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn share(self, positions: u128) -> f64 {
        positions as f64 / self.size() as f64
    }

    /// A position as people read it: a hash in hexadecimal digits, the number of a partition.
    #[must_use]
    pub fn shown(self, position: u128) -> impl fmt::Display {
        Shown(self, position)
    }
}

/// `64-bit hashes of 0123456789abcdef`.
impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hashes { bits, hasher } => write!(f, "{bits}-bit hashes of {hasher}"),
            Self::Partitions(it) => {
                write!(f, "{} partitions, {} of {}", it.count, it.rule, it.hasher)
            }
        }
    }
}

struct Shown(Space, u128);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Space::Hashes { bits, .. } => {
                let digits = bits.div_ceil(4) as usize;
                write!(f, "{:0digits$x}", self.1)
            }
            Space::Partitions(_) => write!(f, "{}", self.1),
        }
    }
}

struct ShownRange(Space, u128, u128);

impl fmt::Display for ShownRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(space, after, through) = self;
        let through = space.shown(through);
        match space {
            Space::Partitions(_) => write!(f, "{}-{through}", space.shown(space.next(after))),
            Space::Hashes { .. } => write!(f, "({}, {through}]", space.shown(after)),
        }
    }
}
