#![doc = include_str!("../README.md")]

// In reading order.
mod plan;

mod layout;
mod space;

mod moves;
mod need;
mod transfer;

mod flows;
mod interval;
mod survey;

mod phases;
mod sizes;

mod error;

#[cfg(feature = "serde")]
mod serde;

pub use error::PlanError;
pub use flows::{Ends, Flow, Flows, NodeFlow};
pub use interval::Interval;
pub use layout::Layout;
pub use moves::Move;
pub use phases::{MAX_PHASES, Phase};
pub use plan::Plan;
pub use sizes::Sizes;
pub use space::Space;
pub use survey::Survey;
pub use transfer::{NewCopy, Transfer};

pub use keyroute_core::*;
