//! Hostile inputs: what goes wrong in the field, drawn with proptest.
//!
//! Ids are prefixes of each other, end in digits, contain separators, NUL and non-ASCII text, and are
//! long; keys are empty, binary, of every length class, and equal to ids and to labels of points.
//! Names like these find mistakes that random words do not. All are public, for laws of your own.

mod cases;
mod keys;
mod nodes;

pub use cases::cases;
pub use keys::{KeyDraw, keys};
pub(crate) use nodes::odd_nodes;
pub use nodes::{Weights, ids, nodes, weights, zones};
