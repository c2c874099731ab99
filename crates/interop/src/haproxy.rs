//! HAProxy's hash balancing: a [`Backend`] of [`Server`]s under a [`HashType`].
//!
//! Source: `src/lb_chash.c`, `src/lb_map.c`, `src/backend.c`, `src/hash.c`, 2.6 to 3.5, which route alike; but
//! 3.0.0 to 3.2 before October 2025 put other points where a server is known by its id
//! ([`Server::with_id_hashed_twice`]).
//!
//! | `hash-type` | table | who moves when a server leaves |
//! | --- | --- | --- |
//! | `consistent` | a ring of 16 points a unit of weight, *nearest* point | its keys, if ids are explicit |
//! | `map-based` | turns by weight | nearly all keys |
//!
//! What of a request is the key is said by `balance`: [`Balanced`] is a backend under such a line.
//!
//! A server is known by its id alone, unless `hash-key` says otherwise. Ids that are not written are positions
//! in the file: **deleting a line renumbers all below it** and moves most of their keys.
//!
//! ```
//! use keyroute_interop::{Router, haproxy};
//!
//! let backend = haproxy::Backend::new(
//!     "consistent".parse()?,
//!     ["s1 10.0.0.1:80".parse()?, "s2 10.0.0.2:80 weight 2".parse()?],
//! )?;
//! assert_eq!(backend.route_id(b"alpha").unwrap(), "s2");
//! # Ok::<(), keyroute_interop::RouteError>(())
//! ```

mod backend;
mod balance;
mod balanced;
mod expression;
mod harmless;
mod hash_type;
mod map_based;
mod points;
mod request;
mod server;

pub use backend::Backend;
pub use balance::Balance;
pub use balanced::Balanced;
pub use hash_type::{Function, HashType, KeyHash, Method, mix};
pub use map_based::map_based_table;
pub use points::Points;
pub use request::{UriPart, first_header_value, last_header_value};
pub use server::{HashKey, Server};
