//! A barometer of routing strategies: questions put to contestants, ours and other crates', side by side in
//! one process.
//!
//! - [`workload`]: the keys and the fleets.
//! - [`contestant`]: what one contestant can do; [`ours`] and [`peers`] list them, and nothing else does.
//! - [`answers`]: nobody is measured who was not checked.
//! - [`questions`]: what is asked, of whom, at which sizes.
//! - [`rounds`]: how it is timed; [`tail`]: how the slowest picks are found.
//! - [`report`], [`plot`]: what is written down.

pub mod answers;
pub mod contestant;
pub mod ours;
pub mod peers;
pub mod plot;
pub mod questions;
pub mod report;
pub mod rounds;
pub mod tail;
pub mod workload;
