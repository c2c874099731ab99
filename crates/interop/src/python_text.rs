//! [`EMPTY_NAME`]: the name that Python systems have and ids have not.

use keyroute_core::{NodeId, RouteError};

/// The id of a node whose name is the empty text, which is a name in uhashring and `hash_ring` and no id
/// here: two apostrophes, as Python writes it. A node that is really named so is refused beside it.
pub const EMPTY_NAME: &str = "''";

/// The name that this id stands for.
pub(crate) fn name_of(id: &NodeId) -> &str {
    let text = id.as_str();
    if text == EMPTY_NAME { "" } else { text }
}

/// The id of a node of this name.
///
/// # Errors
///
/// [`RouteError::Parameter`] for the name that stands for the empty one, and as [`NodeId::new`].
pub fn python_name(name: &str) -> Result<NodeId, RouteError> {
    match name {
        "" => NodeId::new(EMPTY_NAME),
        EMPTY_NAME => Err(RouteError::Parameter {
            name: "a node's name",
            given: name.into(),
            accepted: "any text but two apostrophes, which stand for the empty name",
        }),
        _ => NodeId::new(name),
    }
}
