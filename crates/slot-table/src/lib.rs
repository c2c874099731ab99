#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// In reading order.
mod table;

mod partitioner;
#[cfg(feature = "redis")]
mod redis;

mod fill;

mod assigned_fill;
mod bounded_fill;
mod buraksezer_fill;
mod rendezvous_fill;

mod diff;

#[cfg(feature = "serde")]
mod serde;

pub use assigned_fill::{AssignedFill, Assignment};
pub use bounded_fill::BoundedFill;
pub use buraksezer_fill::BuraksezerFill;
pub use diff::PartitionMove;
pub use fill::{Change, Fill};
pub use partitioner::{ByRange, ByRemainder, DEFAULT_PARTITIONS, MAX_PARTITIONS, Partitioner};
#[cfg(feature = "redis")]
pub use redis::{RedisCrc16, RedisSlots, redis_hashed_part, redis_slot};
pub use rendezvous_fill::RendezvousFill;
pub use table::SlotTable;

pub use keyroute_core::*;
