#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod router;

#[cfg(feature = "serde")]
mod serde;

pub use router::Rendezvous;

pub use keyroute_core::*;
