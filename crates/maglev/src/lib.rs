#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// In reading order.
mod owners;
mod router;

mod engine;
mod turns;

mod movement;
mod table_size;

#[cfg(feature = "serde")]
mod serde;

pub use engine::{Permutation, fill};
pub use movement::Movement;
pub use router::Maglev;
pub use table_size::TableSize;
pub use turns::{Turns, turns};

pub use keyroute_core::*;
