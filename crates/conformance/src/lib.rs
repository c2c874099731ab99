#![doc = include_str!("../README.md")]

// In reading order.
mod macros;

pub mod laws;

mod inputs;
mod subject;
mod violation;

mod case;
pub mod generators;

mod answers;
mod chance;
mod cut;
mod loads;
mod states;
mod tables;

pub use case::{Case, Step};
pub use cut::Cut;
pub use inputs::Inputs;
pub use loads::Loads;
pub use states::States;
pub use subject::{Subject, hold};
pub use tables::Tables;
pub use violation::{Verdict, Violation};
