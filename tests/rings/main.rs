//! What spans both ring containers: the same answers, and those that the definitions give.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod brute_force;
mod long_walks;
mod lookups_and_ties;
mod one_mapping;
