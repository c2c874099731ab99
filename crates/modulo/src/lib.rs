#![doc = include_str!("../README.md")]
#![no_std]

mod router;

pub use router::{Modulo, Remainder};

pub use keyroute_core::{
    AddNode, BucketFunction, Bucketed, Description, Difference, Fingerprint, HasherTag, KeyDigest,
    KeyHasher, Members, Node, NodeId, Rebuild, RemoveLast, RemoveNode, RouteDigest, RouteError,
    Router, Slot, Weight, Zone, hash, hash_fn,
};
