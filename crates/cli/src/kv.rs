//! A key-value store over the nodes of a fleet: where its nodes come from, what their addresses mean, and its server.

mod address;
mod bar;
mod nodes;
pub(crate) mod serve;
