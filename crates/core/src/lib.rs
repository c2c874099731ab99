#![doc = include_str!("../README.md")]
#![no_std]
#![warn(
    clippy::std_instead_of_core,
    clippy::std_instead_of_alloc,
    clippy::alloc_instead_of_core
)]

extern crate alloc;

// In reading order.
mod router;

mod error;
mod limits;
mod members;
mod node;
mod node_list;
mod slot_set;
mod walk;
mod zone_order;
mod zones;

mod digest;
pub mod hash;

mod description;
mod explanation;
mod fingerprint;
mod quoted;

mod bucketed;
pub mod buckets;
mod candidates;
mod cost;
mod equal_parts;
mod node_label;

mod inherent;
mod labelled;
mod lookup;
mod named_ring;
mod native;
mod owned_range;
mod partitioned;
mod point_table;
mod points_per_weight;
mod probes;
mod ring;
mod scheme;
mod tokens;

#[cfg(feature = "serde")]
mod serde;

pub use bucketed::{BucketFunction, Bucketed, Renumbers};
pub use candidates::Candidates;
pub use description::{Description, Difference, MemberOrder};
pub use digest::{HasherTag, KeyDigest, RouteDigest};
pub use equal_parts::EqualParts;
pub use error::RouteError;
pub use explanation::{
    ArcPlace, Contender, DrawnPlace, EXPLAINED_NEXT, EntryPlace, Explanation, Fact, HashValue,
    Place, PointPlace, ProbePlace, Role, Weighed, WindowPlace,
};
pub use fingerprint::{Fingerprint, ParseFingerprintError};
pub use hash::{KeyHasher, Position, hash_fn};
pub use labelled::{Labelled, Template};
pub use limits::{MAX_ID_LEN, MAX_NODES, MAX_POINTS};
pub use lookup::{After, ArcLookup, AtOrAfter, AtOrBefore, Lookup, Nearest, OneWay, Probed};
pub use members::Members;
pub use native::{DefaultScheme, Native};
pub use node::{Node, NodeId, Slot, Weight, Zone};
pub use node_label::NodeLabel;
pub use node_list::NodeList;
pub use owned_range::{OwnedRange, Ranges};
pub use partitioned::{Partitioned, Partitioning};
pub use point_table::{Edge, PointTable};
pub use points_per_weight::{DEFAULT_POINTS_PER_WEIGHT, PointsPerWeight};
pub use probes::{MAX_PROBES, ProbeDistance, Probes, closest, closest_probe};
pub use quoted::Quoted;
pub use ring::{Estimate, Ring};
pub use router::{AddNode, OrderFree, Rebuild, RemoveLast, RemoveNode, Reweight, Router};
pub use scheme::{
    ById, FirstListed, LastListed, PointScheme, Scheme, TieOrder, WithLookup, WithTies,
};
pub use slot_set::SlotSet;
pub use tokens::Tokens;
pub use walk::{Walk, WalkDigest, WalkExt, WalkRanges};
pub use zone_order::zone_order;

// What the exported macros name: a crate that uses them need not depend on these itself.
#[doc(hidden)]
pub mod __private {
    pub use alloc::vec::Vec;
    #[cfg(feature = "serde")]
    pub use serde;
}
