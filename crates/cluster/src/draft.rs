//! [`Draft`]: the list as it will be, if the change succeeds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use keyroute_core::{NodeId, RouteError};

use crate::batch::{Edit, Step};
use crate::roster::Roster;
use crate::timers::{Timer, Timers};
use crate::{Batch, Listing, Ramp, Terms};

/// The list and its timers, to be changed and then kept or dropped as a whole.
pub(crate) struct Draft<T> {
    pub(crate) roster: Roster<T>,
    pub(crate) timers: Timers,
}

impl<T> Draft<T> {
    pub(crate) fn apply(&mut self, batch: &Batch<Arc<T>>) -> Result<(), RouteError> {
        for step in &batch.steps {
            match step {
                Step::List(listing) => self.list(listing)?,
                Step::Payload(id, payload) => self
                    .roster
                    .edit(id, |member| member.payload = Arc::clone(payload))?,
                Step::Of(id, edit) => self.edit(id, edit)?,
            }
        }
        Ok(())
    }

    fn list(&mut self, listing: &Listing<Arc<T>>) -> Result<(), RouteError> {
        let id = listing.id.as_str();
        match self.roster.get(id) {
            Some(member) if member.status.leaving => {
                self.stay(id)?;
                self.roster.edit(id, |member| {
                    member.weight = listing.weight;
                    member.zone.clone_from(&listing.zone);
                    member.payload = Arc::clone(&listing.payload);
                })
            }
            _ => self.roster.list(listing),
        }
    }

    fn edit(&mut self, id: &str, edit: &Edit) -> Result<(), RouteError> {
        match *edit {
            Edit::Remove => self.remove(id),
            Edit::Leave(grace) => self.leave(id, grace),
            Edit::Stay => self.stay(id),
            Edit::Reweight(weight) => self.roster.edit(id, |member| member.weight = weight),
            Edit::ReweightFrom(before, after) => match self.roster.get(id) {
                Some(member) if member.weight == before => {
                    self.roster.edit(id, |member| member.weight = after)
                }
                _ => Ok(()),
            },
            Edit::Zone(ref zone) => self.roster.edit(id, |member| member.zone.clone_from(zone)),
            Edit::Down(down) => self.roster.edit(id, |member| member.status.down = down),
            Edit::Drained(drained) => self
                .roster
                .edit(id, |member| member.status.drained = drained),
            Edit::Ramp(Some(ramp)) => self.ramp(id, ramp),
            Edit::Ramp(None) => {
                self.timers.ramps.remove(id);
                self.roster.edit(id, |member| member.status.ramp = None)
            }
        }
    }

    fn remove(&mut self, id: &str) -> Result<(), RouteError> {
        self.timers.forget(id);
        self.roster.remove(id)
    }

    fn leave(&mut self, id: &str, grace: Duration) -> Result<(), RouteError> {
        let member = self.roster.find(id)?;
        if grace.is_zero() {
            return self.remove(id);
        }
        if !member.status.leaving {
            let timer = Timer::new(grace);
            self.timers.leaves.insert(member.id.clone(), timer);
            self.roster
                .edit(id, |member| member.status.leaving = true)?;
        }
        Ok(())
    }

    fn stay(&mut self, id: &str) -> Result<(), RouteError> {
        self.timers.leaves.remove(id);
        self.roster.edit(id, |member| member.status.leaving = false)
    }

    fn ramp(&mut self, id: &str, ramp: Ramp) -> Result<(), RouteError> {
        let id = self.roster.find(id)?.id.clone();
        let share = ramp.share(Duration::ZERO);
        self.roster
            .edit(id.as_str(), |member| member.status.ramp = share)?;
        match share {
            Some(_) => self.timers.ramps.insert(id, Timer::new(ramp)),
            None => self.timers.ramps.remove(&id), // a ramp over no time
        };
        Ok(())
    }

    /// Makes the list this one. `ordered`: whether the order of listing matters.
    pub(crate) fn set(
        &mut self,
        listings: &[Listing<Arc<T>>],
        terms: Terms,
        ordered: bool,
    ) -> Result<(), RouteError>
    where
        T: PartialEq,
    {
        let first = self.roster.is_empty();
        let mut listed = Vec::new();
        let mut known = BTreeSet::new();
        for listing in listings {
            let id = listing.id.clone();
            if !known.insert(id.clone()) {
                return Err(RouteError::AlreadyMember { id });
            }
            if self.roster.get(id.as_str()).is_some() {
                self.update(listing)?;
            } else {
                self.roster.list(listing)?;
                if let (Some(ramp), false) = (terms.ramp, first) {
                    self.ramp(id.as_str(), ramp)?;
                }
            }
            listed.push(id);
        }
        let members = self.roster.seats().map(|seat| seat.member.id.clone());
        let missing: Vec<NodeId> = members.filter(|id| !known.contains(id)).collect();
        for id in missing {
            self.leave(id.as_str(), terms.grace)?;
        }
        if ordered {
            self.roster.reorder(&listed);
        }
        Ok(())
    }

    fn update(&mut self, listing: &Listing<Arc<T>>) -> Result<(), RouteError>
    where
        T: PartialEq,
    {
        let id = listing.id.as_str();
        self.stay(id)?;
        self.roster.edit(id, |member| {
            member.weight = listing.weight;
            member.zone.clone_from(&listing.zone);
            if *member.payload != *listing.payload {
                member.payload = Arc::clone(&listing.payload);
            }
        })
    }

    /// Lets shares grow to where they are at this time, and members leave whose time is over.
    pub(crate) fn tick(&mut self, now: Duration) -> Result<(), RouteError> {
        let mut over = Vec::new();
        for (id, timer) in &mut self.timers.ramps {
            let share = timer.plan.share(timer.elapsed(now));
            self.roster
                .edit(id.as_str(), |member| member.status.ramp = share)?;
            if share.is_none() {
                over.push(id.clone());
            }
        }
        for id in over {
            self.timers.ramps.remove(&id);
        }
        let mut leaving = Vec::new();
        for (id, timer) in &mut self.timers.leaves {
            if timer.elapsed(now) >= timer.plan {
                leaving.push(id.clone());
            }
        }
        for id in leaving {
            self.remove(id.as_str())?;
        }
        Ok(())
    }
}
