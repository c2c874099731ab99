//! [`Tally`]: replicas, counted by node and by zone.

use alloc::vec::Vec;

use keyroute_core::{Members, Slot, SlotSet, Zone};

use crate::{NodeShare, Ownership, ZoneShare};

/// Counts of keys or of positions, by slot and by the number of a zone.
pub(crate) struct Tally<'r> {
    members: &'r Members,
    nodes: Vec<[u128; 2]>,
    zones: Vec<[u128; 3]>,
    whole: u128,
}

impl<'r> Tally<'r> {
    pub(crate) fn new(members: &'r Members) -> Self {
        let numbers = members.slots().filter_map(|slot| members.zone_number(slot));
        let zones = numbers.max().map_or(0, |highest| highest as usize + 1);
        Self {
            members,
            nodes: alloc::vec![[0; 2]; members.slot_bound()],
            zones: alloc::vec![[0; 3]; zones],
            whole: 0,
        }
    }

    /// So many keys or positions have these replicas, the owner first.
    pub(crate) fn count(&mut self, replicas: &[Slot], amount: u128) {
        // On a ring of 128 bits the whole is one more than fits.
        let add = |to: &mut u128| *to = to.saturating_add(amount);
        add(&mut self.whole);
        let mut here = SlotSet::new();
        for (rank, &slot) in replicas.iter().enumerate() {
            let [primary, any] = &mut self.nodes[slot.index() as usize];
            add(any);
            let Some(zone) = self.members.zone_number(slot) else {
                continue;
            };
            let [zone_primary, zone_any, zone_replicas] = &mut self.zones[zone as usize];
            add(zone_replicas);
            if Slot::new(zone).is_some_and(|zone| here.insert(zone)) {
                add(zone_any);
            }
            if rank == 0 {
                add(primary);
                add(zone_primary);
            }
        }
    }

    /// The counts by name.
    pub(crate) fn report(self, replicas: usize) -> Ownership {
        let mut nodes = Vec::with_capacity(self.members.len());
        let mut named: Vec<(Option<Zone>, usize)> = Vec::new();
        let mut seen = SlotSet::new();
        for slot in self.members.by_id() {
            let (Some(node), Some(number)) =
                (self.members.get(slot), self.members.zone_number(slot))
            else {
                continue;
            };
            let [primary, any] = self.nodes[slot.index() as usize];
            nodes.push(NodeShare {
                slot,
                id: node.id().clone(),
                zone: node.zone().cloned(),
                primary,
                any,
            });
            if Slot::new(number).is_some_and(|zone| seen.insert(zone)) {
                named.push((node.zone().cloned(), number as usize));
            }
        }
        named.sort();
        let zones = named.into_iter().map(|(zone, number)| {
            let [primary, any, replicas] = self.zones[number];
            ZoneShare {
                zone,
                primary,
                any,
                replicas,
            }
        });
        Ownership::new(replicas, self.whole, nodes, zones.collect())
    }
}
