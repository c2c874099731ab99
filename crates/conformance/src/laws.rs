//! The laws: each a function from a [`Subject`](crate::Subject) to a [`Verdict`](crate::Verdict).
//!
//! A law asks for the capabilities it needs by its bounds, so claiming one that a router cannot even
//! be asked about does not compile. Whether the router keeps it, the test says.
//!
//! Most laws are exact and hold for every input; those about balance are statistical, with a chance
//! of a false alarm of at most 1 in 10^9, and no chance at all under the seed that is fixed.

mod balance;
mod bounded;
mod digests;
mod explanations;
mod fingerprints;
mod growth;
mod histories;
mod lookup;
mod order;
mod partitions;
mod ranges;
mod rebuilding;
mod removal;
mod replicas;
mod tables;
mod tail;
mod walks;
mod weights;
mod zones;

pub use balance::*;
pub use bounded::*;
pub use digests::*;
pub use explanations::*;
pub use fingerprints::*;
pub use growth::*;
pub use histories::*;
pub use lookup::*;
pub use order::*;
pub use partitions::*;
pub use ranges::*;
pub use rebuilding::*;
pub use removal::*;
pub use replicas::*;
pub use tables::*;
pub use tail::*;
pub use walks::*;
pub use weights::*;
pub use zones::*;
