#![doc = include_str!("../README.md")]
#![no_std]

mod router;

pub use router::{Modulo, Remainder};

pub use keyroute_core::*;
