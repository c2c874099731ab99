//! [`States`]: how laws ask a router that depends on its history for what decides its answers.

use std::fmt;

use keyroute_core::{RouteError, Router};

/// How laws export and import the state of a router of type `R`, which remembers more than its members:
/// implemented by a type of yours, beside the claim.
///
/// ```
/// use keyroute_anchor::{BucketState, GrowableAnchor, RouteError};
/// use keyroute_conformance::{States, hold, laws};
///
/// #[derive(Clone, Copy)]
/// struct ByBuckets;
///
/// impl States<GrowableAnchor> for ByBuckets {
///     type State = BucketState;
///
///     fn state(router: &GrowableAnchor) -> BucketState { router.state() }
///     fn restore(state: BucketState) -> Result<GrowableAnchor, RouteError> {
///         GrowableAnchor::from_state(state)
///     }
/// }
///
/// hold(
///     |nodes| GrowableAnchor::from_nodes(nodes.iter().cloned()),
///     |subject| laws::a_state_is_all_that_matters(subject, ByBuckets),
/// );
/// ```
pub trait States<R: Router>: Copy {
    /// What clients must share to answer alike.
    type State: PartialEq + fmt::Debug;

    /// The router's state.
    fn state(router: &R) -> Self::State;

    /// The router whose state this is.
    ///
    /// # Errors
    ///
    /// What the strategy refuses.
    fn restore(state: Self::State) -> Result<R, RouteError>;
}
