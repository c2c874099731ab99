//! [`Zones`]: numbers for the zones of a router's members.

use alloc::collections::{BTreeMap, BTreeSet};
use core::mem::size_of;

use crate::Zone;

/// The zones in which members stand, each with a number as long as one does. Members without a zone stand
/// together in a nameless one.
#[derive(Clone, Default)]
pub(crate) struct Zones {
    by_name: BTreeMap<Option<Zone>, Held>,
    free: BTreeSet<u32>,
}

#[derive(Clone)]
struct Held {
    number: u32,
    members: u32,
}

impl Zones {
    /// How many there are, the nameless one included.
    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// A member comes to this zone: its number.
    pub(crate) fn join(&mut self, zone: Option<&Zone>) -> u32 {
        let zone = zone.cloned();
        if let Some(held) = self.by_name.get_mut(&zone) {
            held.members += 1;
            return held.number;
        }
        // Numbers in use are as many as zones, which are no more than members.
        let next = self.by_name.len() + self.free.len();
        let number = self
            .free
            .pop_first()
            .unwrap_or_else(|| u32::try_from(next).unwrap_or(u32::MAX));
        self.by_name.insert(zone, Held { number, members: 1 });
        number
    }

    /// A member leaves this zone.
    pub(crate) fn leave(&mut self, zone: Option<&Zone>) {
        let zone = zone.cloned();
        let Some(held) = self.by_name.get_mut(&zone) else {
            return;
        };
        held.members -= 1;
        if held.members == 0 {
            self.free.insert(held.number);
            self.by_name.remove(&zone);
            if self.by_name.is_empty() {
                self.free.clear();
            }
        }
    }

    /// An estimate, names aside: they are the nodes'.
    pub(crate) fn heap_bytes(&self) -> usize {
        let map = self.by_name.len() * size_of::<(Option<Zone>, Held)>();
        (map + self.free.len() * size_of::<u32>()) * 3 / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_keeps_its_number_while_a_member_stands_in_it() {
        let (a, b) = (Zone::new("a").unwrap(), Zone::new("b").unwrap());
        let mut zones = Zones::default();
        assert_eq!(
            [Some(&a), None, Some(&b), Some(&a)].map(|zone| zones.join(zone)),
            [0, 1, 2, 0]
        );
        assert_eq!(zones.len(), 3);
        zones.leave(Some(&a));
        assert_eq!(zones.join(Some(&a)), 0);
        zones.leave(None);
        assert_eq!(zones.len(), 2);
        let c = Zone::new("c").unwrap();
        assert_eq!(zones.join(Some(&c)), 1, "the free number");
        for zone in [&a, &a, &b, &c, &c] {
            zones.leave(Some(zone)); // the last is one too many, and nobody's
        }
        assert_eq!(zones.len(), 0);
        assert_eq!(zones.join(Some(&b)), 0);
    }
}
