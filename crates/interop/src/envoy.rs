//! Envoy's `RING_HASH` and `MAGLEV`: a [`Cluster`] of [`Host`]s, and a [`RingHash`] or [`Maglev`] over it.
//!
//! Source: `source/extensions/load_balancing_policies/{ring_hash/ring_hash_lb, maglev/maglev_lb,
//! common/thread_aware_lb_impl}.cc`, `source/common/common/hash.cc`, 1.40.
//!
//! Shares are computed in doubles, in one order of operations; that order is kept here. Both algorithms look at all
//! hosts together: **a host that joins or leaves moves keys between others** under Maglev, and under
//! the ring once it changes how many points others have.
//!
//! ```
//! use keyroute_interop::{Router, envoy};
//!
//! let hosts = [
//!     envoy::Host::new("10.0.0.1:80")?,
//!     envoy::Host::new("10.0.0.2:80")?.with_weight(2)?,
//! ];
//! let cluster = envoy::Cluster::new(hosts)?;
//! let sizes = envoy::RingSizes { minimum: 8, ..Default::default() };
//! let ring = envoy::RingHash::new(&cluster, sizes, envoy::HashFunction::XxHash)?;
//! assert_eq!(ring.route_id(b"user-1").unwrap(), "10.0.0.2:80");
//! let maglev = envoy::Maglev::new(&cluster, 11)?;
//! assert_eq!(maglev.route_id(b"").unwrap(), "10.0.0.1:80");
//! # Ok::<(), keyroute_interop::RouteError>(())
//! ```

mod balance;
mod cluster;
mod host;
mod maglev;
mod request;
mod ring_hash;

pub use balance::HashBalance;
pub use cluster::Cluster;
pub use host::{Host, Locality};
pub use maglev::Maglev;
pub use request::{RequestHash, header_hash};
pub use ring_hash::{HashFunction, Points, RingHash, RingSizes};
