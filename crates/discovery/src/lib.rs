#![doc = include_str!("../README.md")]

// In reading order.
mod discovery;

mod membership;
mod peer;
mod sighting;
mod skipped;

mod entry;
mod file;
mod file_content;
mod source;
mod static_list;

mod damper;
mod damping;
mod feed;
mod picker;
mod report;

#[cfg(feature = "etcd")]
mod backoff;
#[cfg(feature = "etcd")]
mod etcd;

pub use damper::{Damper, Outcome};
pub use damping::{DEFAULT_GATHER, DEFAULT_GRACE, DEFAULT_MAX_PEERS, Damping};
pub use discovery::{Discovery, Event, Release};
#[cfg(feature = "etcd")]
pub use etcd::{
    Claim, DEFAULT_TTL, Etcd, EtcdConfig, EtcdError, Registration, RegistrationError, Standing,
};
pub use feed::Feed;
pub use file::{DEFAULT_INTERVAL, FileFormat, MAX_FILE_LEN, WatchedFile};
pub use membership::Membership;
pub use peer::{MAX_ADDRESS_LEN, Peer};
pub use picker::{ClientPicker, Picked};
pub use report::Report;
pub use sighting::Sighting;
pub use skipped::{MAX_ENTRY_LEN, SkipReason, Skipped};
pub use source::{News, Source, SourceError};
pub use static_list::StaticList;

pub use keyroute_cluster::Cluster;
pub use keyroute_core::{NodeId, RouteError, Zone};
