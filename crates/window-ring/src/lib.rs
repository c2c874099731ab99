#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod router;
mod rows;
#[cfg(feature = "serde")]
mod serde;
mod window;

pub use router::WindowRing;
pub use window::{DEFAULT_WINDOW_POINTS, MAX_CANDIDATES, MAX_ROW_ENTRIES, Window};

pub use keyroute_core::*;
