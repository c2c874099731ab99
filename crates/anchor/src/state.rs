//! [`BucketState`]: what clients of a router over numbered buckets must share.

use alloc::vec::Vec;

use keyroute_core::Node;

/// All that decides the answers of a [`Numbered`](crate::Numbered) router beside its strategy and its
/// hasher: which node is on which bucket, and what is left of those that went.
///
/// Clients that apply the same changes in the same order have equal states; one that joins later, or
/// missed a change, takes the state of another. With the feature `serde` it can be stored. Reading one
/// back goes through the same checks as building it: [`Numbered::from_state`](crate::Numbered::from_state)
/// refuses a state that no history gives.
///
/// ```
/// use keyroute_anchor::{BucketState, GrowableAnchor, Node};
///
/// let mut router = GrowableAnchor::from_ids(["a", "b", "c", "d"])?;
/// router.remove("c")?;
/// router.remove("a")?;
/// let state = router.state();
/// assert_eq!(state.nodes, [Node::new("b")?, Node::new("d")?]);
/// assert_eq!(state.removed, [2, 0]);
///
/// let copy = GrowableAnchor::from_state(state.clone())?;
/// assert_eq!(copy.state(), state);
///
/// let impossible = BucketState { removed: vec![9], ..state };
/// assert_eq!(
///     GrowableAnchor::from_state(impossible).unwrap_err().to_string(),
///     "removed is 9: give the buckets that left as a router's state lists them",
/// );
/// # Ok::<(), keyroute_anchor::RouteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BucketState {
    /// The most buckets that can have a node; `None` for strategies that grow.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub capacity: Option<u32>,
    /// The nodes, in the order of their buckets: those from 0 on that `removed` does not list.
    pub nodes: Vec<Node>,
    /// The buckets below others in use that have no node: of a history-dependent strategy in the order in
    /// which they left, else ascending.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub removed: Vec<u32>,
}
