//! What the benchmarks share: the keys and fleets they run on, who is measured, the answers that must
//! come out, and criterion's settings.
//!
//! A benchmark never holds a router that was not checked: [`contestants`] builds each, compares its
//! answers with the [`expected`] ones, and only then lends it. So a benchmark of a wrong router fails,
//! also in the one-iteration run of the checks.

pub mod change;
pub mod contestants;
pub mod expected;
pub mod peers;
pub mod settings;
pub mod workload;
