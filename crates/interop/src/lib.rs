#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// A system a file.
mod go_rendezvous;
pub mod java;

// An engine that only other systems need.
mod highest_score;

pub use go_rendezvous::{GoRendezvous, Stirred};
pub use highest_score::{HighestScore, Score};

pub use keyroute_core::*;
