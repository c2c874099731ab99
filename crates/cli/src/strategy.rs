//! The strategies, chosen at run time.

mod build;
mod epsilon;
mod routers;

use std::fmt;
use std::str::FromStr;

use keyroute::{RouteError, Router, Walk};

use crate::change::Change;

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
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::VectorRing, "vector-ring"),
        (Self::BTreeRing, "btree-ring"),
        (Self::Ketama, "ketama"),
        (Self::Libketama, "libketama"),
        (Self::Jump, "jump"),
        (Self::Modulo, "modulo"),
    ];
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
