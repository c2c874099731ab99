#![doc = include_str!("../README.md")]

// In reading order.
mod store;

mod entry;
#[cfg(feature = "memcached")]
mod memcached_shard;
mod memory;
#[cfg(feature = "redb")]
mod redb_shard;
#[cfg(feature = "redis")]
mod redis_link;
#[cfg(feature = "redis")]
mod redis_shard;
mod shard;

mod ring;
mod roles;
mod state;
mod to_the_end;

mod addresses;
mod admin;
mod batch;
mod edit;
mod journal;
mod lost;
mod marks;
mod mover;
mod open;
mod plan;
mod scan;
mod upkeep;

mod error;

#[cfg(feature = "resp")]
pub mod resp;

pub use edit::Edit;
pub use entry::{Entry, system_clock};
pub use error::KvError;
pub use journal::{FileJournal, Journal, MemoryJournal};
#[cfg(feature = "memcached")]
pub use memcached_shard::MemcachedShard;
pub use memory::MemoryShard;
pub use mover::{Next, Progress, Rate, Step};
pub use open::StoreBuilder;
pub use plan::Plan;
#[cfg(feature = "redb")]
pub use redb_shard::RedbShard;
#[cfg(feature = "redis")]
pub use redis_shard::RedisShard;
pub use ring::{AnyRouter, MAX_REPLICAS};
pub use shard::{Page, Pending, Purged, Shard, ShardError};
pub use store::{MAX_KEY_LEN, Store};
pub use upkeep::Repaired;

pub use keyroute_core::{Node, NodeId, RouteError, Weight};
pub use keyroute_plan::{Ends, Flow, Flows, Interval, NodeFlow};
