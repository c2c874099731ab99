//! The strategies, chosen at run time.
//!
//! `registry.rs` is the one place that names, describes and builds each of our own, and `presets.rs` those
//! of other systems; `adapter.rs` says at run time what the traits of a router say when a program is
//! compiled.

mod adapter;
mod choice;
mod configured;
mod epsilon;
mod layouts;
mod presets;
mod recipe;
mod registry;
mod remade;
mod setting;

use std::fmt;
use std::str::FromStr;

use keyroute::{Lease, Node, NodeId, RouteError, Router, Slot, Walk};

use crate::change::Change;
use crate::fleet::Settings;

pub use choice::Choice;
pub use configured::Configured;
pub use epsilon::Epsilon;
pub use layouts::{Holders, Mapped};
pub use setting::Setting;

use recipe::Recipe;
use registry::{Listing, STRATEGIES};

/// A strategy, by name.
#[derive(Clone, Copy)]
pub struct StrategyName(&'static Listing);

impl StrategyName {
    /// All of our own, families together.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        STRATEGIES.iter().map(Self)
    }

    /// The presets of other systems that need ids and weights alone, families together.
    pub fn presets() -> impl Iterator<Item = Self> {
        presets::presets().map(Self)
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in a line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.0.summary
    }

    /// The settings it has. All others are passed over.
    #[must_use]
    pub fn settings(self) -> &'static [Setting] {
        self.0.settings
    }

    /// How many partitions its table has, if it has one and these are the settings.
    #[must_use]
    pub fn partitions(self, settings: &Settings) -> u32 {
        settings.partitions.unwrap_or(self.0.partitions)
    }

    /// Whether it is compared where no strategy is named: one or two of each family are.
    #[must_use]
    pub fn is_shown(self) -> bool {
        self.0.shown
    }

    /// The hash function that places keys, if the strategy lets nobody choose.
    #[must_use]
    pub fn own_hash(self) -> Option<&'static str> {
        self.0.own_hash
    }
}

/// The vector ring.
impl Default for StrategyName {
    fn default() -> Self {
        let [first, ..] = &STRATEGIES;
        Self(first)
    }
}

/// Names are what tells strategies apart.
impl PartialEq for StrategyName {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for StrategyName {}

impl fmt::Debug for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StrategyName").field(&self.name()).finish()
    }
}

impl fmt::Display for StrategyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for StrategyName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::all()
            .chain(Self::presets())
            .find(|known| known.name() == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = Self::all().map(Self::name).collect();
            format!(
                "unknown strategy {name:?}: one of {}, or a preset of another system, as `keyroute \
                 strategies` lists them",
                known.join(", ")
            )
        })
    }
}

/// Builds a router of these nodes, joining in their order. Settings that a strategy does not have are
/// passed over.
///
/// # Errors
///
/// [`Refusal`]: what the strategy cannot do with these settings or nodes.
pub fn build(
    name: StrategyName,
    settings: &Settings,
    nodes: &[Node],
) -> Result<Box<dyn Strategy>, Refusal> {
    (name.0.build)(&Recipe {
        settings,
        nodes,
        partitions: name.partitions(settings),
    })
}

/// A router behind a pointer, with what it can do beyond routing asked at run time.
pub trait Strategy: Send + Sync {
    /// The router itself.
    fn router(&self) -> &dyn Router;

    /// Makes one change, where the router stands.
    ///
    /// # Errors
    ///
    /// [`Refusal`]; the router is as it was.
    fn change(&mut self, change: &Change) -> Result<(), Refusal>;

    /// Its preference order, if it has one.
    fn as_walk(&self) -> Option<&dyn Walk>;

    /// The same by itself, without what a strategy has beside it.
    fn into_walk(self: Box<Self>) -> Option<BoxedWalk>;

    /// Its loads, if it bounds them.
    fn as_loads(&self) -> Option<&dyn Loads>;

    /// Its layouts that say who these holders are, the plainest first; none where what moves is known key by
    /// key only.
    fn layouts(&self, holders: Holders) -> Vec<Mapped<'_>>;
}

/// A router with a preference order, behind a pointer.
pub type BoxedWalk = Box<dyn Walk + Send + Sync>;

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
    /// It removes the last of the list, and this one is not.
    #[error("removes only the last node of the list, which is {last:?}")]
    NotLast {
        /// The last node.
        last: NodeId,
    },
    /// It could, but not with this input.
    #[error(transparent)]
    Route(#[from] RouteError),
}
