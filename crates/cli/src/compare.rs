//! Strategies side by side: what `keyroute compare` measures, and how it is defined.
//!
//! **Balance.** A node of weight w out of W should own w/W of the keys. Its *load* is the keys it owns
//! over the keys it should own; the mean load, each node counted by its weight, is 1. Nodes without a
//! key count too.
//!
//! **Movement.** A change gives some nodes more weight (they join, or are raised) and takes weight
//! from others (they leave, or are lowered); all others are bystanders. A key whose owner changes
//! moved *needfully* if it left a node that lost weight or came to one that gained weight, and
//! *needlessly* if not: between two bystanders, or against the direction of the change. For one node
//! that joins, needful are exactly the newcomer's keys; for one that leaves, the leaver's.
//!
//! A strategy that keeps the laws of adding, removing and reweighting moves no key needlessly, also
//! under several changes at once, provided they name different nodes. For then each step moves a key
//! off a node that loses, or onto one that gains; no later step takes keys from a node that gains; so
//! a key that first moved off a loser is needful whatever follows, and one that first moved onto a
//! gainer leaves it only for another gainer.
//!
//! **Replicas.** The same for a key's set of n replicas, its order aside: each node that left the set
//! is paired with one that entered it, and a pair is needful if either of the two is named by the
//! change in that direction. A set has changed needlessly if the best pairing leaves a needless pair.

mod arena;
mod balance;
mod clock;
mod loaded;
mod movement;
mod replicas;
mod scenario;
mod study;
mod sweep;

pub(crate) mod output;

pub(crate) use arena::KeyArena;
pub(crate) use balance::Balance;
pub(crate) use loaded::Loaded;
pub(crate) use movement::{Directions, Movement, Numbering};
pub(crate) use replicas::ReplicaChange;
pub(crate) use scenario::Scenario;
pub(crate) use study::{Findings, Outcome, Study};
pub(crate) use sweep::{Row, Spread, Sweep};

/// `part / whole`, with one rounding as long as both are below 2^53.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share for people: 53 bits of it are plenty"
)]
pub(crate) fn ratio(part: impl Into<u128>, whole: impl Into<u128>) -> f64 {
    part.into() as f64 / whole.into() as f64
}
