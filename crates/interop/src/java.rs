//! The Java collection `SUPSI-DTI-ISIN/java-consistent-hashing-algorithms` (commit 68803f8, OpenJDK 17,
//! Guava 31.1, commons-codec 1.15): the code of several papers' authors, and others'.
//!
//! Engines answer bucket numbers, or nodes by name; keys are the UTF-8 bytes of a text, and the empty
//! one is refused. All go through one hash layer, [`enum@Hash`], whose 32 bits are few: the answers of an
//! engine here are seldom those of another library for the same algorithm.
//!
//! | engine | buckets | which may leave |
//! | --- | --- | --- |
//! | [`JumpEngine`], [`JumpBackEngine`], [`FlipEngine`], [`PowerEngine`], [`BinomialEngine`] | a number | the last |
//! | [`AnchorEngine`], [`MementoEngine`], [`DxEngine`] | a set | any |
//! | [`RingEngine`], [`RendezvousEngine`], [`MultiProbeEngine`] | nodes by name | any |

mod hash;

mod sized;

mod binomial;
mod flip;
mod jump;
mod jump_back;
mod power;

mod removal;

mod anchor;
mod dx;
mod memento;

mod multi_probe;
mod rendezvous;
mod ring;

pub use anchor::AnchorEngine;
pub use binomial::{Binomial, BinomialEngine};
pub use dx::{DxEngine, StackedDx};
pub use flip::{Flip, FlipEngine};
pub use hash::Hash;
pub use jump::{Jump, JumpEngine, jump};
pub use jump_back::{JumpBack, JumpBackEngine};
pub use memento::MementoEngine;
pub use multi_probe::{MultiProbeEngine, SeededProbes};
pub use power::{Power, PowerEngine};
pub use removal::{KeyedBuckets, RemovalEngine};
pub use rendezvous::{Rendezvous, RendezvousEngine};
pub use ring::RingEngine;
pub use sized::{SizedEngine, SizedFunction};
