#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod allocation;
mod release;
mod router;
#[cfg(feature = "serde")]
mod serde;

pub use router::{DEFAULT_TOKENS_PER_WEIGHT, TokenRing};

pub use keyroute_core::*;
