#![doc = include_str!("../README.md")]
#![no_std]

// The family: a function each, and one router over all.
mod binomial_hash;
mod flip_hash;
mod jump_back_hash;
mod jump_hash;
mod power_hash;

mod buckets;
mod router;
mod words;

pub use binomial_hash::{binomial_hash, binomial_hash_published};
pub use buckets::MAX_BUCKETS;
pub use flip_hash::flip_hash;
pub use jump_back_hash::jump_back_hash;
pub use jump_hash::jump_hash;
pub use power_hash::power_hash;
pub use router::{
    Binomial, BinomialHash, Flip, FlipHash, Jump, JumpBack, JumpBackHash, JumpHash, Power,
    PowerHash,
};

pub use keyroute_core::*;
