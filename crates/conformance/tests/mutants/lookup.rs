//! Faults of single answers, of batches, and of what is reported.

use std::sync::atomic::{AtomicU64, Ordering};

use keyroute_core::hash::mix64;
use keyroute_core::{Node, NodeId, RouteDigest, RouteError, Router, Slot};

use crate::fault::{Fault, Mutant, Sound, sound};

/// The member at this place among the slots, wrapping round.
pub(crate) fn member(it: &impl Router, number: u64) -> Option<Slot> {
    let members = it.members();
    let place = number.checked_rem(members.len() as u64)?;
    members.slots().nth(usize::try_from(place).ok()?)
}

/// `None` for the key that looks like no key.
pub(crate) struct RefusesTheEmptyKey;

impl Fault for RefusesTheEmptyKey {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        if key.is_empty() {
            None
        } else {
            it.ring.route(key)
        }
    }
}

/// Off by one in the table of slots.
pub(crate) struct GivesFreeSlots;

impl Fault for GivesFreeSlots {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        Slot::new(it.ring.route(key)?.index() + 1)
    }
}

/// A table that is never empty.
pub(crate) struct InventsAnOwner;

impl Fault for InventsAnOwner {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        it.ring.route(key).or_else(|| Slot::new(0))
    }
}

/// `n - 1` where n is meant.
pub(crate) struct NeedsTwoNodes;

impl Fault for NeedsTwoNodes {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        it.ring.route(key).filter(|_| it.members().len() > 1)
    }
}

/// Keeps ids and weights only.
pub(crate) struct ForgetsZones;

impl Fault for ForgetsZones {
    fn made(nodes: &[Node]) -> Result<Sound, RouteError> {
        let zoneless = |node: &Node| Node::from(node.id().clone()).with_weight(node.weight());
        let nodes: Vec<_> = nodes.iter().map(zoneless).collect();
        sound(64, Self::POINTS, &nodes)
    }
}

/// Sorts a list whose order it says to matter.
pub(crate) struct SortsItsList;

impl Fault for SortsItsList {
    fn made(nodes: &[Node]) -> Result<Sound, RouteError> {
        let mut nodes = nodes.to_vec();
        nodes.sort();
        sound(64, Self::POINTS, &nodes)
    }
}

/// Round robin.
pub(crate) struct TakesTurns;

impl Fault for TakesTurns {
    fn route(it: &Mutant<Self>, _key: &[u8]) -> Option<Slot> {
        member(it, it.turn())
    }
}

/// A seed for each router, as the standard library's hash maps have.
pub(crate) struct DrawsItsSeed;

static SEEDS: AtomicU64 = AtomicU64::new(1);

impl Fault for DrawsItsSeed {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        if it.count.get() == 0 {
            it.count.set(SEEDS.fetch_add(1, Ordering::Relaxed));
        }
        member(
            it,
            mix64(it.ring.digest(key).value() ^ mix64(it.count.get())),
        )
    }
}

/// The id of the first member, whatever the slot.
pub(crate) struct NamesTheFirst;

impl Fault for NamesTheFirst {
    fn route_id<'a>(it: &'a Mutant<Self>, key: &[u8]) -> Option<&'a NodeId> {
        it.ring.route(key)?;
        let first = it.members().by_id().next()?;
        it.members().get(first).map(Node::id)
    }
}

/// The third and the fourth answer in each other's place.
pub(crate) struct SwapsTwo;

impl Fault for SwapsTwo {
    fn route_batch(
        it: &Mutant<Self>,
        keys: &[&[u8]],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        it.ring.route_batch(keys, out)?;
        if out.len() > 3 {
            out.swap(2, 3);
        }
        Ok(())
    }
}

/// Writes no `None`.
pub(crate) struct LeavesOldAnswers;

impl Fault for LeavesOldAnswers {
    fn route_batch(
        it: &Mutant<Self>,
        keys: &[&[u8]],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        if it.members().is_empty() {
            return Ok(());
        }
        it.ring.route_batch(keys, out)
    }
}

/// Stops at the shorter of both.
pub(crate) struct AnswersWhatFits;

impl Fault for AnswersWhatFits {
    fn route_batch(
        it: &Mutant<Self>,
        keys: &[&[u8]],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        let fits = keys.len().min(out.len());
        it.ring.route_batch(&keys[..fits], &mut out[..fits])
    }
}

/// Counts when all is written.
pub(crate) struct WritesBeforeItRefuses;

impl Fault for WritesBeforeItRefuses {
    fn route_batch(
        it: &Mutant<Self>,
        keys: &[&[u8]],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        for (key, out) in keys.iter().zip(out.iter_mut()) {
            *out = it.ring.route(key);
        }
        it.ring.route_batch(keys, out)
    }
}

/// Hashes where it stands in memory.
pub(crate) struct RoutesByItsAddress;

impl Fault for RoutesByItsAddress {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        let address = std::ptr::from_ref(it).addr() as u64;
        member(it, mix64(it.ring.digest(key).value() ^ mix64(address)))
    }
}

/// Only itself.
pub(crate) struct CountsNoHeap;

impl Fault for CountsNoHeap {
    fn heap_bytes(_it: &Mutant<Self>) -> usize {
        size_of::<Mutant<Self>>()
    }
}
