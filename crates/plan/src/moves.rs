//! [`Move`]: a range that changes hands.

use std::fmt;
use std::sync::Arc;

use crate::{Space, Transfer};

/// A range that changes hands: the positions after [`after`](Self::after), through [`through`](Self::through).
///
/// Half-open and clockwise, `(after, through]`. Where `after` is the greater it goes round the end; where both are
/// equal it is the whole space. Partitions are positions as hashes are: 512 to 1023 are `(511, 1023]`, and those from 0
/// come after the last.
///
/// [`Plan`](crate::Plan) shows one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub(crate) space: Space,
    pub(crate) after: u128,
    pub(crate) through: u128,
    pub(crate) transfer: Arc<Transfer>,
}

impl Move {
    /// The last position before the range.
    #[must_use]
    pub fn after(&self) -> u128 {
        self.after
    }

    /// The first position of the range.
    #[must_use]
    pub fn first(&self) -> u128 {
        self.space.next(self.after)
    }

    /// The last position of the range.
    #[must_use]
    pub fn through(&self) -> u128 {
        self.through
    }

    /// From which nodes to which.
    #[must_use]
    pub fn transfer(&self) -> &Transfer {
        &self.transfer
    }

    /// Whether the position lies in the range.
    #[must_use]
    pub fn contains(&self, position: u128) -> bool {
        if self.after < self.through {
            self.after < position && position <= self.through
        } else {
            position <= self.space.last() && (position > self.after || position <= self.through)
        }
    }

    /// How many positions it holds, one less where that is all 2^128.
    #[must_use]
    pub fn size(&self) -> u128 {
        if self.after < self.through {
            self.through - self.after
        } else {
            (self.space.last() - self.after)
                .saturating_add(self.through)
                .saturating_add(1)
        }
    }

    /// Its part of the space, above 0 and up to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.space.share(self.size())
    }
}

/// `(00ff, 2a10]: "a" to "b"`, or `512-1023: …` of partitions.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.space.range(self.after, self.through))?;
        holders(f, self.transfer.from())?;
        f.write_str(" to ")?;
        holders(f, self.transfer.to())
    }
}

fn holders(f: &mut fmt::Formatter<'_>, ids: &[keyroute_core::NodeId]) -> fmt::Result {
    if ids.is_empty() {
        return f.write_str("nobody");
    }
    for (place, id) in ids.iter().enumerate() {
        let comma = if place > 0 { ", " } else { "" };
        write!(f, "{comma}{id:?}")?;
    }
    Ok(())
}
