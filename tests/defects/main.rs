//! Defects of the source articles' code: each is a test here, or cannot be written down.
//!
//! | row | defect | here |
//! | --- | --- | --- |
//! | C1–C12 | nodes that share points lose them, or own them by order | [`collisions`] |
//! | A1 | a node added twice, removed once: panic | [`membership`], [`cluster`] |
//! | A2 | the balancer waits for the lock that it holds | `a2_…` in `crates/adaptive/tests/seed_defects.rs`; a change made from within a change does not wait for itself either: [`cluster`] |
//! | A3 | nodes change while the balancer ticks: races | `a3_…` there; [`cluster`] |
//! | A4 | nodes that left stay in the total | `a4_…` there |
//! | A5 | a newcomer is taken for an idle node | `a5_…` there |
//! | A6 | one hot key is chased to the bounds | `a6_…` there, and the simulation beside it |
//! | A7 | no replicas, no hash, no configuration | [`membership`], [`cluster`]; a ring without a hasher has no type, a number of points has no sign; the balancer's settings: `a7_…` in `crates/adaptive/tests/seed_defects.rs` |
//! | B1, B3–B6 | bounded loads | [`bounded`] |
//! | B6 | a map that is written while it is read: fatal | [`bounded`], [`cluster`] |
//! | B2 | no constructor, a nil map | there is no way but `Bounded::new` |
//! | B7 | jump answers −1 and wrapped buckets | [`numbers`]; a negative number of buckets has no type |
//! | B8 | nodes without a key left out of the deviation | the balance of `keyroute compare`, which has a test of it |
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

mod bounded;
mod cluster;
mod collisions;
mod membership;
mod numbers;
