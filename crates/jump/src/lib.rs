#![doc = include_str!("../README.md")]
#![no_std]

// The family: a function each (jump_back_hash is in core, where others begin with it too), and one router
// over all.
mod binomial_hash;
mod flip_hash;
mod jump_batch;
mod jump_hash;
mod level_draws;
mod power_hash;
mod steps;
mod wide;

mod router;

pub use binomial_hash::{binomial_hash, binomial_hash_by, binomial_hash_published};
pub use flip_hash::{flip_hash, flip_hash_by};
pub use jump_hash::jump_hash;
pub use level_draws::LevelDraws;
pub use power_hash::{power_hash, power_hash_by};
pub use router::{
    Binomial, BinomialHash, BinomialPublished, BinomialPublishedHash, Flip, FlipHash, Jump,
    JumpBack, JumpBackHash, JumpHash, Power, PowerHash,
};

pub use keyroute_core::buckets::{MAX_BUCKETS, jump_back_hash};
pub use keyroute_core::*;
