//! [`Policy`]: what a snapshot does with a key beside its list.

use keyroute_bounded::Exact;

use crate::OnDown;

/// What is set for a whole cluster and every snapshot of it carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Policy {
    pub(crate) on_down: OnDown,
    /// How many leases a member may hold; without one, any number.
    pub(crate) bound: Option<Exact>,
}
