//! [`Roster`]: who is listed, and in which order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use keyroute_core::{MAX_NODES, Node, NodeId, RouteError};

use crate::tally::Fleet;
use crate::{Listing, Member};

/// The members by id, each with its place in the list.
pub(crate) struct Roster<T> {
    seats: BTreeMap<NodeId, Seat<T>>,
    listings: u64,
    /// What the members' leases are counted in.
    pub(crate) fleet: Arc<Fleet>,
}

pub(crate) struct Seat<T> {
    pub(crate) place: u64,
    pub(crate) member: Arc<Member<T>>,
}

impl<T> Default for Roster<T> {
    fn default() -> Self {
        Self {
            seats: BTreeMap::new(),
            listings: 0,
            fleet: Arc::default(),
        }
    }
}

impl<T> Clone for Roster<T> {
    fn clone(&self) -> Self {
        Self {
            seats: self.seats.clone(),
            listings: self.listings,
            fleet: Arc::clone(&self.fleet),
        }
    }
}

impl<T> Clone for Seat<T> {
    fn clone(&self) -> Self {
        Self {
            place: self.place,
            member: Arc::clone(&self.member),
        }
    }
}

impl<T> Roster<T> {
    pub(crate) fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Arc<Member<T>>> {
        Some(&self.seats.get(id)?.member)
    }

    /// The seats, in the order of ids.
    pub(crate) fn seats(&self) -> impl Iterator<Item = &Seat<T>> {
        self.seats.values()
    }

    pub(crate) fn find(&self, id: &str) -> Result<&Arc<Member<T>>, RouteError> {
        self.get(id).ok_or_else(|| not_member(id))
    }

    /// Lists a newcomer at the end.
    pub(crate) fn list(&mut self, listing: &Listing<Arc<T>>) -> Result<(), RouteError> {
        if self.seats.contains_key(&listing.id) {
            let id = listing.id.clone();
            return Err(RouteError::AlreadyMember { id });
        }
        if self.seats.len() >= MAX_NODES {
            return Err(RouteError::TooManyNodes {
                limit: MAX_NODES as u64,
            });
        }
        let seat = Seat {
            place: self.listings,
            member: Arc::new(Member::new(listing, &self.fleet)),
        };
        self.listings += 1;
        self.seats.insert(seat.member.id.clone(), seat);
        Ok(())
    }

    pub(crate) fn remove(&mut self, id: &str) -> Result<(), RouteError> {
        let seat = self.seats.remove(id);
        seat.map(drop).ok_or_else(|| not_member(id))
    }

    /// Changes a member; the one that readers see stays as it is.
    pub(crate) fn edit(
        &mut self,
        id: &str,
        edit: impl FnOnce(&mut Member<T>),
    ) -> Result<(), RouteError> {
        let seat = self.seats.get_mut(id).ok_or_else(|| not_member(id))?;
        edit(Arc::make_mut(&mut seat.member));
        Ok(())
    }

    /// Lists the members in this order. Those it lacks (they are leaving) stay behind whom they stood behind.
    pub(crate) fn reorder(&mut self, ids: &[NodeId]) {
        let listed: BTreeSet<&NodeId> = ids.iter().collect();
        let mut order = ids.to_vec();
        let mut before: Option<NodeId> = None;
        for id in self.ids_in_order() {
            if !listed.contains(&id) {
                let place = order
                    .iter()
                    .position(|other| Some(other) == before.as_ref());
                order.insert(place.map_or(0, |place| place + 1), id.clone());
            }
            before = Some(id);
        }
        for (place, id) in (0..).zip(&order) {
            if let Some(seat) = self.seats.get_mut(id) {
                seat.place = place;
            }
        }
        self.listings = order.len() as u64;
    }

    /// What the router is given: the members of a weight, in the order of listing.
    pub(crate) fn nodes(&self) -> Vec<Node> {
        let seats = self.in_order();
        seats.iter().filter_map(|seat| seat.member.node()).collect()
    }

    /// The members that the router is not given.
    pub(crate) fn aside(&self) -> Vec<Arc<Member<T>>> {
        let seats = self.seats.values().filter(|seat| seat.member.weight == 0);
        seats.map(|seat| Arc::clone(&seat.member)).collect()
    }

    fn ids_in_order(&self) -> Vec<NodeId> {
        let seats = self.in_order();
        seats.iter().map(|seat| seat.member.id.clone()).collect()
    }

    fn in_order(&self) -> Vec<&Seat<T>> {
        let mut seats: Vec<&Seat<T>> = self.seats.values().collect();
        seats.sort_by_key(|seat| seat.place);
        seats
    }
}

pub(crate) fn not_member(id: &str) -> RouteError {
    RouteError::NotMember { id: id.into() }
}
