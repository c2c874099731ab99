#![doc = include_str!("../README.md")]

// In reading order.
mod cluster;
mod snapshot;

mod on_down;
mod pick;
mod reader;
mod sharers;
mod unavailable;

mod acquire;
mod lease;
mod stats;
mod strength;
mod tally;

mod batch;
mod member;
mod ramp;
mod status;
mod terms;

mod rehashed;
mod remake;

mod agreement;
mod fleet;
mod trail;
mod view;

#[cfg(feature = "adaptive")]
mod balanced;
#[cfg(feature = "metrics")]
mod meter;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "tracing")]
mod trace;

mod balance;
mod change;
mod changes;
mod movement;
mod subscription;
#[cfg(feature = "async")]
mod watch;

mod admission;
mod differences;
mod draft;
mod explain;
mod outbox;
mod policy;
mod roster;
mod stopwatch;
mod timers;
mod writer;

pub use agreement::{Agreement, Side};
pub use balance::{Balance, MemberKeys};
pub use batch::Batch;
pub use change::{Change, Reweighted, StatusChange};
pub use changes::Changes;
pub use cluster::{Cluster, Loaded};
pub use fleet::{Fleet, FleetClient, FleetGroup};
pub use lease::Lease;
pub use member::{Listing, Member};
#[cfg(feature = "metrics")]
pub use meter::{METERED_SAMPLES, Meter};
pub use movement::{DEFAULT_SAMPLES, Movement, sample_key};
pub use on_down::OnDown;
pub use pick::Pick;
pub use ramp::{MAX_RAMP_STEPS, Ramp};
pub use reader::Reader;
pub use rehashed::Rehashed;
pub use remake::{ByRebuild, InSteps, Remake};
pub use sharers::Sharers;
pub use snapshot::Snapshot;
pub use stats::{LeaseStats, MemberStats};
pub use status::Status;
pub use subscription::{BACKLOG, Subscription};
pub use terms::Terms;
pub use trail::TRAIL;
pub use unavailable::Unavailable;
pub use view::View;
#[cfg(feature = "async")]
pub use watch::Watch;

pub use keyroute_bounded::{Exact, MAX_EPSILON_THOUSANDTHS};
pub use keyroute_core::*;
