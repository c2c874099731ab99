//! [`Differences`]: what two lists differ in.

use std::cmp::Ordering;
use std::sync::Arc;

use keyroute_core::NodeId;

use crate::roster::Roster;
use crate::{Member, Reweighted, Status, StatusChange};

/// What differs between the list before and after, each in the order of ids.
#[derive(Clone, Debug, Default)]
pub(crate) struct Differences {
    pub(crate) added: Vec<NodeId>,
    pub(crate) removed: Vec<NodeId>,
    pub(crate) reweighted: Vec<Reweighted>,
    pub(crate) rezoned: Vec<NodeId>,
    pub(crate) payloads: Vec<NodeId>,
    pub(crate) statuses: Vec<StatusChange>,
    /// Whether a member that stays has another place in the list.
    pub(crate) relisted: bool,
}

impl Differences {
    pub(crate) fn between<T>(before: &Roster<T>, after: &Roster<T>) -> Self {
        let mut all = Self::default();
        let (mut old, mut new) = (before.seats().peekable(), after.seats().peekable());
        // Both come in the order of ids.
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return all,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(old), Some(new)) => old.member.id.cmp(&new.member.id),
            };
            let old = old.next_if(|_| order.is_le());
            let new = new.next_if(|_| order.is_ge());
            match (old, new) {
                (Some(old), Some(new)) => {
                    all.relisted |= old.place != new.place;
                    // Most members of most changes are the same.
                    if !Arc::ptr_eq(&old.member, &new.member) {
                        all.compare(&old.member, &new.member);
                    }
                }
                (Some(old), None) => all.removed.push(old.member.id.clone()),
                (None, Some(new)) => all.added.push(new.member.id.clone()),
                (None, None) => {}
            }
        }
    }

    fn compare<T>(&mut self, old: &Member<T>, new: &Member<T>) {
        if old.weight != new.weight {
            self.reweighted.push(Reweighted {
                id: new.id.clone(),
                before: old.weight,
                after: new.weight,
            });
        }
        if old.zone != new.zone {
            self.rezoned.push(new.id.clone());
        }
        if !Arc::ptr_eq(&old.payload, &new.payload) {
            self.payloads.push(new.id.clone());
        }
        if old.status != new.status {
            self.statuses.push(StatusChange {
                id: new.id.clone(),
                before: old.status,
                after: new.status,
            });
        }
    }

    /// The members that stayed and have another payload or status, some of them twice.
    pub(crate) fn renewed(&self) -> impl Iterator<Item = &NodeId> {
        let statuses = self.statuses.iter().map(|change| &change.id);
        self.payloads.iter().chain(statuses)
    }

    /// Whether a node came, went or changed.
    pub(crate) fn are_of_nodes(&self) -> bool {
        !(self.added.is_empty()
            && self.removed.is_empty()
            && self.reweighted.is_empty()
            && self.rezoned.is_empty())
    }

    /// Whether somebody went down, came up, or was drained or not any more.
    pub(crate) fn are_of_health(&self) -> bool {
        let health = |status: Status| (status.is_down(), status.is_drained());
        let mut statuses = self.statuses.iter();
        statuses.any(|change| health(change.before) != health(change.after))
    }

    /// Whether there is nothing to tell; a changed order of listing is told by the router, if it reads it.
    pub(crate) fn are_none(&self) -> bool {
        !self.are_of_nodes() && self.payloads.is_empty() && self.statuses.is_empty()
    }
}
