#![doc = include_str!("../README.md")]
#![no_std]

mod engine;
mod router;

pub use engine::{MAX_BUCKETS, jump_hash};
pub use router::{Jump, JumpHash};

pub use keyroute_core::*;
