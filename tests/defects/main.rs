//! Defects of the source articles' code: each is a test here, or cannot be written down.
//!
//! | row | defect | here |
//! | --- | --- | --- |
//! | C1–C12 | nodes that share points lose them, or own them by order | [`collisions`] |
//! | A1 | a node added twice, removed once: panic | [`membership`], [`cluster`] |
//! | A2 | the balancer waits for the lock that it holds | [`balancing`]; a change made from within a change does not wait for itself either: [`cluster`] |
//! | A3 | nodes change while the balancer ticks: races | [`balancing`], [`cluster`] |
//! | A4 | nodes that left stay in the total | [`balancing`] |
//! | A5 | a newcomer is taken for an idle node | [`balancing`] |
//! | A6 | one hot key is chased to the bounds | [`balancing`], and the simulation in `crates/adaptive` |
//! | A7 | no replicas, no hash, no configuration | [`membership`], [`cluster`]; a ring without a hasher has no type, a number of points has no sign; the balancer's settings: `a7_…` in `crates/adaptive/tests/seed_defects.rs` |
//! | B1–B6 | bounded loads: an empty ring, no constructor, ε, capacities, loads that end, sharing | [`bounded`] |
//! | B6 | a map that is written while it is read: fatal | [`bounded`], [`cluster`] |
//! | B7 | jump answers −1 and wrapped buckets | [`numbers`]; a negative number of buckets has no type |
//! | B8 | nodes without a key left out of the deviation | [`deviation`] |
//! | D1 | a node added twice doubles the ring | [`membership`] |
//! | D2 | labels without a separator | [`collisions`], and case p03 |
//! | D3 | no removal | [`membership`] |
//! | E1 | the hash depends on the sign of `char` | [`numbers`] |
//! | E2 | equal points | [`collisions`] |
//! | E3, E4 | two ways of construction; nodes wired into one | [`membership`] |
//! | E5 | a read past the digest | [`numbers`] |
//! | E6 | sums overflow | [`numbers`] |
//! | E7 | an empty ring answers "" and prints | [`membership`] |
//! | K | the store | not part of this library yet |
//!
//! A test of the rows A and B bears its row's number. The rows A are held without a cluster, too, in
//! `crates/adaptive/tests/seed_defects.rs`.

mod balancing;
mod bounded;
mod cluster;
mod collisions;
mod deviation;
mod membership;
mod numbers;
