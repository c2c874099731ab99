//! [`Placement`]: a key's replicas, and how far they are apart.

use alloc::vec::Vec;

use keyroute_core::{Members, Node, NodeId, RouteError, Slot, Zone};

use crate::Spread;

/// A key's replicas in order, the owner first, and whether they are as many and as far apart as asked for.
///
/// What [`ZoneAware::place`](crate::ZoneAware::place) gives. The first [`spread().zones`](Spread::zones) of
/// them stand in different zones; those behind, if any, share a zone with one of them.
#[derive(Clone, Debug)]
pub struct Placement<'r> {
    members: &'r Members,
    slots: Vec<Slot>,
    spread: Spread,
}

impl<'r> Placement<'r> {
    pub(crate) fn new(members: &'r Members, slots: Vec<Slot>, asked: usize) -> Self {
        let spread = Spread {
            asked,
            nodes: slots.len(),
            zones: zones(members, &slots),
        };
        Self {
            members,
            slots,
            spread,
        }
    }

    /// The slots of the replicas, the owner first.
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The replicas' nodes, the owner first.
    pub fn nodes(&self) -> impl Iterator<Item = &'r Node> + '_ {
        let members = self.members;
        self.slots.iter().filter_map(|&slot| members.get(slot))
    }

    /// The replicas' ids, the owner first.
    pub fn ids(&self) -> impl Iterator<Item = &'r NodeId> + '_ {
        self.nodes().map(Node::id)
    }

    /// How far they reach.
    #[must_use]
    pub fn spread(&self) -> Spread {
        self.spread
    }

    /// The same placement, if it has as many replicas as asked for.
    ///
    /// # Errors
    ///
    /// [`RouteError::TooFewNodes`].
    pub fn complete(self) -> Result<Self, RouteError> {
        self.spread.check_complete()?;
        Ok(self)
    }

    /// The same placement, if it has as many replicas as asked for, each in a zone of its own.
    ///
    /// # Errors
    ///
    /// [`RouteError::TooFewNodes`], or [`RouteError::TooFewZones`].
    pub fn apart(self) -> Result<Self, RouteError> {
        self.spread.check_apart()?;
        Ok(self)
    }

    /// The replicas in this zone, in order; for `None` those without a zone.
    pub fn in_zone<'a>(&'a self, zone: Option<&'a Zone>) -> impl Iterator<Item = Slot> + 'a {
        self.split(zone, true)
    }

    /// All replicas, those in this zone first: the order in which to read from a zone. Order is kept on
    /// both sides, so without a replica here it is that of the placement.
    pub fn local_first<'a>(&'a self, zone: Option<&'a Zone>) -> impl Iterator<Item = Slot> + 'a {
        self.split(zone, true).chain(self.split(zone, false))
    }

    fn split<'a>(&'a self, zone: Option<&'a Zone>, here: bool) -> impl Iterator<Item = Slot> + 'a {
        let stands = move |slot: &Slot| self.members.get(*slot).map(Node::zone) == Some(zone);
        let slots = self.slots.iter().copied();
        slots.filter(move |slot| stands(slot) == here)
    }
}

/// In how many zones these nodes stand.
pub(crate) fn zones(members: &Members, slots: &[Slot]) -> usize {
    let mut seen = keyroute_core::SlotSet::new();
    let numbers = slots.iter().filter_map(|&slot| members.zone_number(slot));
    numbers
        .filter_map(Slot::new)
        .filter(|&zone| seen.insert(zone))
        .count()
}
