//! What moves between two fleets: exact where their routers can be laid side by side, else key by key.

mod comparison;
mod output;
mod sizes;

pub(crate) use comparison::{Comparison, Side, compare, sender};
pub(crate) use output::{Format, Picked, Report};
pub(crate) use sizes::ByteArgs;
