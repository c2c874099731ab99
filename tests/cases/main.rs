//! Failures of other systems as tests: each module reads one file of `data/cases` and follows its
//! `check` list. What a list asks of Maglev, slot tables, payloads, epochs and other machines has no test
//! here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod p01_collisions;
mod p02_sequential_names;
mod p03_labels;
mod p04_small_weights;
mod p05_bystanders;
mod p06_rounding;
mod p07_boundaries;
mod p09_replicas;
mod p10_membership;
mod p11_feasible;
mod p12_removed_load;
mod p13_hashes;
mod p14_degenerate;
mod p15_jump;
