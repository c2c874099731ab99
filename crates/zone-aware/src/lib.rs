#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// In reading order.
mod router;

mod placement;
mod spread;

mod ownership;
mod tally;

#[cfg(feature = "serde")]
mod serde;

pub use ownership::{NodeShare, Ownership, ZoneShare};
pub use placement::Placement;
pub use router::ZoneAware;
pub use spread::Spread;

pub use keyroute_core::*;
