//! What moves between two fleets: exact where their routers can be laid side by side, else key by key.

mod bytes;
mod comparison;
mod output;
mod sizes;

pub(crate) use bytes::Bytes;
pub(crate) use comparison::{BYTES_UNKNOWN, Comparison, Side, compare, sender};
pub(crate) use output::{Format, Picked, Report};
pub(crate) use sizes::ByteArgs;
