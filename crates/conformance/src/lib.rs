#![doc = include_str!("../README.md")]

// In reading order.
mod macros;

pub mod laws;

mod subject;
mod violation;

mod case;
pub mod generators;

mod answers;
mod chance;
mod cut;

pub use case::{Case, Step};
pub use cut::Cut;
pub use subject::{Inputs, Subject, hold};
pub use violation::{Verdict, Violation};
