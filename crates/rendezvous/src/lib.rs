#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// In reading order.
mod router;
mod score;

mod cost;

pub use router::Rendezvous;

pub use keyroute_core::*;
