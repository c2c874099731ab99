#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

// In reading order: a strategy a file, the engine on integers beneath its router.
mod ranking;

mod dx;

mod anchor;
mod growable;
mod memento;

mod engine;
mod numbered;
mod state;

mod bitmap;
mod draws;
mod layers;
mod removals;
mod table;

#[cfg(feature = "serde")]
mod serde;

pub use anchor::{Anchor, AnchorBuckets};
pub use draws::{Draws, JumpBackWords, Recorded, Words};
pub use dx::{Dx, DxBuckets};
pub use engine::{Buckets, HistoryFree, Preset};
pub use growable::{GrowableAnchor, GrowableBuckets};
pub use memento::{Memento, MementoBuckets};
pub use numbered::Numbered;
pub use ranking::{RankedBuckets, Ranking};
pub use state::BucketState;

pub use keyroute_core::*;
