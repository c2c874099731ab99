#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod router;

pub use router::Rendezvous;

pub use keyroute_core::*;
