#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(loom)]
extern crate std;

// In reading order.
mod router;

mod acquire;
mod lease;

mod admission;
mod capacity;
mod exact;
mod explain;
mod forwarding;
mod overflow;
mod truncated;

mod count;
pub mod counters;
mod life;
mod loads;

pub use admission::{Admission, AtOrBelow, Below};
pub use capacity::{CapacityRule, Demand};
pub use count::{Count, LocalCount, SharedCount};
pub use exact::{Exact, MAX_EPSILON_THOUSANDTHS};
pub use forwarding::{Forwarding, InWalkOrder};
pub use lease::Lease;
pub use overflow::{Candidate, NoOverflow, Overflow, ToLeastLoaded, ToOwner};
pub use router::Bounded;
pub use truncated::{MAX_EPSILON, TruncatedAverage};

pub use keyroute_core::*;
