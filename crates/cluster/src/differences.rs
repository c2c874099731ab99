//! [`Differences`]: what two lists differ in.

use std::sync::Arc;

use keyroute_core::NodeId;

use crate::roster::Roster;
use crate::{Member, Reweighted, StatusChange};

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
        for seat in after.seats() {
            match before.seat(seat.member.id.as_str()) {
                None => all.added.push(seat.member.id.clone()),
                Some(old) => {
                    all.relisted |= old.place != seat.place;
                    // Most members of most changes are the same.
                    if !Arc::ptr_eq(&old.member, &seat.member) {
                        all.compare(&old.member, &seat.member);
                    }
                }
            }
        }
        for seat in before.seats() {
            if after.get(seat.member.id.as_str()).is_none() {
                all.removed.push(seat.member.id.clone());
            }
        }
        all
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

    /// Whether a node came, went or changed.
    pub(crate) fn are_of_nodes(&self) -> bool {
        !(self.added.is_empty()
            && self.removed.is_empty()
            && self.reweighted.is_empty()
            && self.rezoned.is_empty())
    }

    /// Whether there is nothing to tell; a changed order of listing is told by the router, if it reads it.
    pub(crate) fn are_none(&self) -> bool {
        !self.are_of_nodes() && self.payloads.is_empty() && self.statuses.is_empty()
    }
}
