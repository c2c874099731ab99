//! [`Snapshot::pick`]: the first node of a key's order that admits the key. Health, drain and ramp are this one
//! idea.

use std::fmt;
use std::ops::ControlFlow;

use keyroute_core::{NodeId, Slot, SlotSet, Walk, WalkExt};

use crate::admission::{Admission, RampKey};
use crate::{Member, OnDown, Snapshot, Unavailable};

/// The node that was picked for a key.
///
/// ```
/// use keyroute_cluster::{Batch, Cluster};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |node| format!("{}:80", node.id()));
/// let first = cluster.load().pick(b"user:1")?.id().clone();
///
/// cluster.apply(Batch::new().down(first.as_str()))?;
/// let snapshot = cluster.load();
/// let second = snapshot.pick(b"user:1")?;
/// assert!(!second.is_home() && *second.id() != first);
/// println!("{} at {}", second.id(), second.payload());
///
/// cluster.apply(Batch::new().up(first.as_str()))?;
/// assert_eq!(*cluster.load().pick(b"user:1")?.id(), first);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pick<'s, T> {
    slot: Slot,
    home: bool,
    member: &'s Member<T>,
}

impl<'s, T> Pick<'s, T> {
    /// Its slot in the snapshot's router.
    #[inline]
    #[must_use]
    pub fn slot(&self) -> Slot {
        self.slot
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &'s NodeId {
        &self.member.id
    }

    /// Its payload.
    #[inline]
    #[must_use]
    pub fn payload(&self) -> &'s T {
        &self.member.payload
    }

    /// The whole member.
    #[must_use]
    pub fn member(&self) -> &'s Member<T> {
        self.member
    }

    /// Whether it is the key's owner, as if all nodes were up.
    #[must_use]
    pub fn is_home(&self) -> bool {
        self.home
    }
}

impl<T> Clone for Pick<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Pick<'_, T> {}

impl<T> fmt::Debug for Pick<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pick")
            .field("slot", &self.slot)
            .field("home", &self.home)
            .field("member", &self.member)
            .finish()
    }
}

/// A node that a key comes to, in the order in which keys come to nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// It admits the key.
    Serves(Slot),
    /// It does not yet, being in a ramp; but somebody must, and those who do were offered before.
    Reserve(Slot),
    /// It is down.
    Down(Slot),
}

impl Offer {
    /// The node, if it can serve.
    pub(crate) fn serving(self) -> Option<Slot> {
        match self {
            Self::Serves(slot) | Self::Reserve(slot) => Some(slot),
            Self::Down(_) => None,
        }
    }
}

impl<R: Walk, T> Snapshot<R, T> {
    /// The first node of the key's order that admits it.
    ///
    /// A node admits every key; none while it is down or drained; in a ramp, the keys whose hash with the node
    /// is below its share. Every node is tried once. Where nobody admits the key but some node is in a ramp, the
    /// one whose hash with the key is least takes it: that is the first of them that will.
    ///
    /// Nothing is written and nothing is rebuilt, so a node that goes down and comes up again finds all keys as
    /// they were, and a key whose nodes are up does not move.
    ///
    /// # Errors
    ///
    /// [`Unavailable`]: no members; the node is down and the policy is to fail; or nobody is left.
    #[inline(always)]
    pub fn pick(&self, key: &[u8]) -> Result<Pick<'_, T>, Unavailable> {
        if let Some(home) = self.pick_home(key) {
            return Ok(home);
        }
        let mut why = Unavailable::NoOwner;
        self.pick_any(key, &mut why).ok_or(why)
    }

    /// As [`pick`](Self::pick), with a set that the caller lends: over 1,024 slots nothing is allocated then
    /// either. A [`Reader`](crate::Reader) lends its own.
    ///
    /// ```
    /// use keyroute_cluster::{Cluster, SlotSet};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let snapshot = cluster.load();
    /// let mut seen = SlotSet::new(); // to be kept between picks
    /// assert_eq!(snapshot.pick_with(b"user:1", &mut seen)?.id(), snapshot.pick(b"user:1")?.id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`pick`](Self::pick).
    #[inline(always)]
    pub fn pick_with(&self, key: &[u8], seen: &mut SlotSet) -> Result<Pick<'_, T>, Unavailable> {
        if let Some(home) = self.pick_home(key) {
            return Ok(home);
        }
        let mut why = Unavailable::NoOwner;
        self.pick_beyond(key, seen, &mut why).ok_or(why)
    }

    /// The first `n` nodes that [`pick`](Self::pick) would try and that can serve, each once: replicas.
    ///
    /// Under [`OnDown::FailFast`] a node that is down keeps its place and is left out, so there are fewer; under
    /// [`OnDown::Move`] the next ones take it. Allocates the answer.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |_| ());
    /// let snapshot = cluster.load();
    /// let replicas: Vec<_> = snapshot.pick_n(b"user:1", 2).iter().map(|pick| pick.id().clone()).collect();
    ///
    /// cluster.apply(Batch::new().down(replicas[0].as_str()))?;
    /// assert_eq!(*cluster.load().pick_n(b"user:1", 2)[0].id(), replicas[1]);
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn pick_n(&self, key: &[u8], n: usize) -> Vec<Pick<'_, T>> {
        let home = self.router().route(key);
        let mut picks = Vec::with_capacity(n.min(self.router().members().len()));
        self.places(key, n, &mut SlotSet::new(), &mut |slot| {
            picks.extend(self.picked(slot, home == Some(slot)));
            ControlFlow::Continue(())
        });
        picks
    }

    /// As [`pick_n`](Self::pick_n), as many as `out` has room for, as slots; gives how many. Allocates nothing
    /// up to 1,024 slots.
    ///
    /// ```
    /// use keyroute_cluster::Cluster;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |_| ());
    /// let snapshot = cluster.load();
    /// let mut places = [snapshot.pick(b"user:1")?.slot(); 2]; // any slot: they are overwritten
    /// assert_eq!(snapshot.pick_into(b"user:1", &mut places), 2);
    /// assert_eq!(snapshot.at(places[1]).unwrap().id(), snapshot.pick_n(b"user:1", 2)[1].id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pick_into(&self, key: &[u8], out: &mut [Slot]) -> usize {
        if self.gate().is_open() {
            let count = self.router().replicas_into(key, out);
            // Otherwise some nodes are in no order, and come behind.
            if count == out.len().min(self.router().members().len()) {
                return count;
            }
        }
        let mut count = 0;
        let room = out.len();
        self.places(key, room, &mut SlotSet::new(), &mut |slot| {
            if let Some(place) = out.get_mut(count) {
                *place = slot;
                count += 1;
            }
            ControlFlow::Continue(())
        });
        count
    }

    /// The key's owner, if it admits every key: all that most lookups need.
    ///
    /// Always inlined, as is all that leads here. Left to itself the compiler takes a pick for a large function, for
    /// what it does with keys whose node is not up, and calls it: the pick goes through memory, and a lookup costs
    /// half as much again.
    #[inline(always)]
    fn pick_home(&self, key: &[u8]) -> Option<Pick<'_, T>> {
        let slot = self.router().route(key)?;
        if self.admits_every_key(slot) {
            self.picked(slot, true)
        } else {
            None
        }
    }

    #[inline]
    pub(crate) fn admits_every_key(&self, slot: Slot) -> bool {
        self.gate().is_open() || self.gate().admission(slot) == Admission::Every
    }

    /// Apart, so that a lookup that needs no set does not make room for one.
    #[cold]
    #[inline(never)]
    fn pick_any(&self, key: &[u8], why: &mut Unavailable) -> Option<Pick<'_, T>> {
        self.pick_beyond(key, &mut SlotSet::new(), why)
    }

    /// The pick of a key whose owner may not admit it; without one, says why.
    ///
    /// The reason goes its own way: a result with it in would be handed over in memory, by every lookup.
    #[cold]
    #[inline(never)]
    fn pick_beyond(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        why: &mut Unavailable,
    ) -> Option<Pick<'_, T>> {
        let home = self.router().route(key)?;
        let nodes = self.router().members().len();
        *why = Unavailable::NoneAdmits { nodes };
        let mut found = None;
        self.offer(key, seen, &mut |offer| match offer {
            Offer::Serves(slot) | Offer::Reserve(slot) => {
                found = self.picked(slot, home == slot);
                ControlFlow::Break(())
            }
            Offer::Down(slot) => {
                if let (OnDown::FailFast, Some(member)) = (self.on_down(), self.at(slot)) {
                    let id = member.id.clone();
                    *why = Unavailable::Down { id };
                }
                self.on_down().pass()
            }
        });
        found
    }

    #[inline]
    pub(crate) fn picked(&self, slot: Slot, home: bool) -> Option<Pick<'_, T>> {
        let member = self.at(slot)?;
        Some(Pick { slot, home, member })
    }

    /// The nodes in the first `n` places of the key's order that can serve. Under [`OnDown::FailFast`] a node
    /// that is down has a place.
    pub(crate) fn places(
        &self,
        key: &[u8],
        n: usize,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        let mut left = n;
        if left == 0 {
            return;
        }
        self.offer(key, seen, &mut |offer| {
            let takes_a_place = offer.serving().is_some() || self.on_down() == OnDown::FailFast;
            left -= usize::from(takes_a_place);
            if let Some(slot) = offer.serving() {
                visit(slot)?;
            }
            match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
    }

    /// Offers the key to each node once: in its order, leaving out those that are drained and those in a ramp
    /// that do not admit it yet; then to these, in the order in which they will.
    ///
    /// Nodes that own no keys, and so are in no order, come before the latter, by id.
    pub(crate) fn offer(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Offer) -> ControlFlow<()>,
    ) {
        let members = self.router().members();
        let mut ramp_key = RampKey::new(key);
        let mut met = 0;
        let mut flow = ControlFlow::Continue(());
        self.router().walk_with(key, seen, &mut |slot| {
            met += 1;
            if let Some(offer) = self.offered(slot, &mut ramp_key) {
                flow = visit(offer);
            }
            flow
        });
        // Without an owner there is nobody to pass the key on.
        if flow.is_break() || met == 0 {
            return;
        }
        if met < members.len() {
            let mut in_order = SlotSet::new();
            self.router().walk(key, &mut |slot| {
                in_order.insert(slot);
                ControlFlow::Continue(())
            });
            for slot in members.by_id().filter(|&slot| !in_order.contains(slot)) {
                if let Some(offer @ Offer::Serves(_)) = self.offered(slot, &mut ramp_key)
                    && visit(offer).is_break()
                {
                    return;
                }
            }
        }
        self.offer_reserve(&mut ramp_key, visit);
    }

    /// What the node in this slot is for the key; `None` to pass over it.
    fn offered(&self, slot: Slot, key: &mut RampKey<'_>) -> Option<Offer> {
        match self.gate().admission(slot) {
            Admission::Every => Some(Offer::Serves(slot)),
            Admission::Ramp { share, seed } => {
                (key.toward(seed) < share).then_some(Offer::Serves(slot))
            }
            Admission::Drained => None,
            Admission::Down => Some(Offer::Down(slot)),
        }
    }

    /// Offers the key to the nodes in a ramp that do not admit it yet, the least hash first; equal ones by id.
    ///
    /// Each time it looks for the next one, which wants no memory: it is for fleets most of which is new.
    fn offer_reserve(
        &self,
        key: &mut RampKey<'_>,
        visit: &mut dyn FnMut(Offer) -> ControlFlow<()>,
    ) {
        if self.gate().is_open() {
            return;
        }
        let members = self.router().members();
        let mut last = None;
        loop {
            let mut next: Option<((u32, &NodeId), Slot)> = None;
            for (slot, node) in members.iter() {
                let Admission::Ramp { share, seed } = self.gate().admission(slot) else {
                    continue;
                };
                let hash = key.toward(seed);
                let rank = (hash, node.id());
                let is_next = hash >= share && last.is_none_or(|last| rank > last);
                if is_next && next.is_none_or(|(best, _)| rank < best) {
                    next = Some((rank, slot));
                }
            }
            let Some((rank, slot)) = next else { return };
            last = Some(rank);
            if visit(Offer::Reserve(slot)).is_break() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use keyroute_vector_ring::VectorRing;

    use super::*;
    use crate::{Batch, Cluster, Ramp};

    /// Below the share is not at it: what `docs/hashing.md` says, at the one hash where it shows.
    #[test]
    fn a_key_whose_hash_is_the_share_is_not_admitted_yet() {
        let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ());
        let ramp = |steps| Ramp::new(Duration::from_secs(9), steps).unwrap();
        cluster.apply(Batch::new().ramp("a", ramp(1))).unwrap();
        let slot = cluster.load().router().members().slot_of("a").unwrap();
        let Admission::Ramp { seed, .. } = cluster.load().gate().admission(slot) else {
            panic!("it is in a ramp");
        };
        let snapshot = cluster.snapshot();
        let mut keys = (0..u32::MAX).map(u32::to_le_bytes);
        // Small enough to be the first share of some number of steps.
        let is_share = |hash| (1 << 13..1 << 16).contains(&hash);
        let key = keys.find(|key| {
            is_share(RampKey::new(key).toward(seed)) && snapshot.router().route(key) == Some(slot)
        });
        let key = key.unwrap();
        let hash = RampKey::new(&key).toward(seed);
        let steps = u32::try_from((1u64 << 32) / u64::from(hash)).unwrap() - 1;
        let has = |steps| {
            cluster.apply(Batch::new().ramp("a", ramp(steps))).unwrap();
            cluster.load().pick(&key).unwrap().slot() == slot
        };
        assert_eq!(ramp(steps).share(Duration::ZERO), Some(hash));
        assert!(!has(steps));
        assert!(has(steps - steps / 64)); // a larger share
    }
}
