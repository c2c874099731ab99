#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// In reading order.
mod balancer;
mod policy;

mod counters;
mod stats;

mod hot_keys;

mod reachcache;

mod deviation;
mod steady;

mod target;

#[cfg(feature = "std")]
mod background;

#[cfg(feature = "std")]
pub use background::Background;
pub use balancer::{Balancer, DEFAULT_INTERVAL, Round};
pub use counters::{Counter, LoadCounters};
pub use hot_keys::{DEFAULT_KEYS, HotKeys, KeyLoad};
pub use policy::{Change, HotKey, Judgement, NodeLoad, Plan, Policy, Verdict, Window};
pub use reachcache::{ReachCacheConfig, ReachCacheRebalance};
pub use stats::{NodeStat, Stats};
pub use steady::{Steady, SteadyConfig};
pub use target::Target;

pub use keyroute_core::*;
