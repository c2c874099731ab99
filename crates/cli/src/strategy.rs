//! The strategies, chosen at run time.

mod build;
mod epsilon;
mod routers;

use std::fmt;
use std::str::FromStr;

use keyroute::{Lease, RouteError, Router, Slot, Walk};

use crate::change::Change;
use crate::hashes::HashName;

pub use build::build;
pub use epsilon::Epsilon;

/// The strategies by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StrategyName {
    /// The sorted-array ring.
    #[default]
    VectorRing,
    /// The same ring in an ordered map.
    BTreeRing,
    /// Bounded loads over the sorted-array ring. It routes as that ring does while nothing is held.
    Bounded,
    /// The ketama continuum, native: any node may join or leave.
    Ketama,
    /// The ketama continuum with the arithmetic of the C library, made anew at each change.
    Libketama,
    /// Jump consistent hash.
    Jump,
    /// Hash modulo the number of nodes.
    Modulo,
}

impl StrategyName {
    /// All of them, with the names they are called by.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::VectorRing, "vector-ring"),
        (Self::BTreeRing, "btree-ring"),
        (Self::Bounded, "bounded"),
        (Self::Ketama, "ketama"),
        (Self::Libketama, "libketama"),
        (Self::Jump, "jump"),
        (Self::Modulo, "modulo"),
    ];
}

impl StrategyName {
    /// The hash function that places keys, if the strategy lets nobody choose.
    #[must_use]
    pub fn own_hash(self) -> Option<HashName> {
        match self {
            // The first of the four words.
            Self::Ketama | Self::Libketama => Some(HashName::Md5),
            _ => None,
        }
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL
            .into_iter()
            .find(|(strategy, _)| strategy == self)
            .map_or("", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for StrategyName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|&(_, known)| known == name);
        found.map(|(strategy, _)| strategy).ok_or_else(|| {
            let known = Self::ALL.map(|(_, name)| name).join(", ");
            format!("unknown strategy {name:?}: one of {known}")
        })
    }
}

/// A router behind a pointer, with what it can do beyond routing asked at run time.
pub trait Strategy: Router + Send + Sync {
    /// Makes one change.
    ///
    /// # Errors
    ///
    /// [`Refusal`]; the router is as it was.
    fn change(&mut self, change: &Change) -> Result<(), Refusal>;

    /// Its preference order, if it has one.
    fn as_walk(&self) -> Option<&dyn Walk>;

    /// Its loads, if it bounds them.
    fn as_loads(&self) -> Option<&dyn Loads> {
        None
    }
}

/// Routers that hold loads and bound them.
pub trait Loads: Router {
    /// Places a load of this key; `None` without members.
    fn acquire(&self, key: &[u8]) -> Option<Lease>;

    /// The most loads this node may hold, the next one included.
    fn capacity(&self, slot: Slot) -> Option<u64>;
}

/// Why a strategy will not do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It cannot, whatever the nodes are.
    #[error("{0}")]
    Unable(&'static str),
    /// It could, but not with this input.
    #[error(transparent)]
    Route(#[from] RouteError),
}
