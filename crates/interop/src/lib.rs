#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// A system a file.
mod cpp_anchorhash;
pub mod envoy;
mod go_jump;
mod go_maglev;
mod go_mpchash;
mod go_rendezvous;
pub mod haproxy;
pub mod java;
pub mod nginx;

// Engines that only other systems need.
mod closest_probe;
mod highest_score;

pub use closest_probe::{ClosestProbe, Probing};
pub use cpp_anchorhash::CppAnchorHash;
pub use go_jump::{Crc64, go_jump, lithammer_jump};
pub use go_maglev::GoMaglev;
pub use go_mpchash::{GoMpchash, SteppedProbes};
pub use go_rendezvous::{GoRendezvous, Stirred};
pub use highest_score::{HighestScore, Score};

/// hash4j's JumpBackHash (`ConsistentJumpBackBucketHasher` 0.17 to 0.30, over SplitMix64).
pub use keyroute_core::buckets::jump_back_hash as hash4j_jump_back;

pub use keyroute_core::*;
