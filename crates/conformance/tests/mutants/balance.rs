//! Faults of balance.

use keyroute_core::hash::mix64;
use keyroute_core::{Node, RouteDigest, RouteError, Router, Slot, Weight};

use crate::fault::{Fault, Mutant, Sound, sound};
use crate::lookup::member;

/// Even, but for one key in a hundred.
pub(crate) struct FavoursOne;

impl Fault for FavoursOne {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        let hash = mix64(it.ring.digest(key).value());
        let even = member(it, hash >> 8);
        if hash.is_multiple_of(100) {
            member(it, 0)
        } else {
            even
        }
    }
}

/// More even than chance: what counting keys instead of hashing them gives.
pub(crate) struct DealsInTurn;

impl Fault for DealsInTurn {
    fn route(it: &Mutant<Self>, _key: &[u8]) -> Option<Slot> {
        member(it, it.turn())
    }
}

/// A ring with this many points, whatever it says.
pub(crate) struct Points<const N: u32>;

impl<const N: u32> Fault for Points<N> {
    const POINTS: u32 = N;
}

/// A good ring, but for one node.
pub(crate) struct StarvesOne;

impl Fault for StarvesOne {
    const POINTS: u32 = 160;

    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        it.ring.first_where(key, |slot| slot.index() != 7)
    }
}

/// One node, one share.
pub(crate) struct IgnoresWeights;

impl Fault for IgnoresWeights {
    fn made(nodes: &[Node]) -> Result<Sound, RouteError> {
        let even = |node: &Node| node.clone().with_weight(Weight::ONE);
        let nodes: Vec<_> = nodes.iter().map(even).collect();
        sound(64, 160, &nodes)
    }
}

/// A node has ⌊40 × n × w / W⌋ points, and none is a number too.
pub(crate) struct RoundsSharesDown;

impl Fault for RoundsSharesDown {
    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        let members = it.members();
        let (n, total) = (members.len() as u64, members.total_weight());
        it.ring.first_where(key, |slot| {
            let weight = members.get(slot).map_or(0, |node| node.weight().get());
            40 * n * u64::from(weight) >= total
        })
    }
}
