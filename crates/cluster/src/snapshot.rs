//! [`Snapshot`]: a cluster at one moment.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use keyroute_core::{
    Description, Explanation, Fingerprint, Members, NodeId, Router, Slot, SlotSet, Walk,
};

use crate::admission::{Admission, Gate};
use crate::policy::Policy;
use crate::roster::Roster;
use crate::strength::Strengths;
use crate::tally::{Counter, Fleet};
use crate::{Exact, LeaseStats, Member, OnDown};

/// A cluster at one moment: its router, the members with their payloads, and who admits keys.
///
/// It never changes. Take one for each unit of work, and all that the work asks fits together: the node that is
/// picked, its payload, its replicas are of one epoch.
///
/// **As a [`Router`]** it answers whom [`pick`](Self::pick) picks, and its walk is every node that may serve, in
/// the order in which picks try them. While all are up these are the inner router's answers, under the inner
/// router's description and fingerprint; otherwise the description says who is not.
///
/// | | cost, beside the router's |
/// | --- | --- |
/// | pick, all nodes up | one load of the member |
/// | pick, some node not | one load of its admission; a walk where the owner does not admit the key; in a ramp also a hash |
/// | [`member`](Self::member) | O(log n) comparisons of ids |
/// | [`acquire`](Self::acquire) | seven atomic steps until the lease has ended; a walk where the owner is full |
/// | memory | 8 bytes a slot and a shared member; 16 bytes a slot more while some node is not up |
///
/// Lookups take no lock, and up to 1,024 slots allocate nothing but answers that are lists. Beyond, a
/// [`Reader`](crate::Reader) keeps the memory that a walk needs.
///
/// ```
/// use keyroute_cluster::{Cluster, OnDown};
/// use keyroute_vector_ring::VectorRing;
///
/// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |node| format!("{}:80", node.id()));
/// let snapshot = cluster.load();
/// let pick = snapshot.pick(b"user:1")?;
/// assert_eq!(Some(pick.slot()), snapshot.router().route(b"user:1"));
/// assert_eq!(*pick.payload(), format!("{}:80", pick.id()));
/// assert_eq!(snapshot.epoch(), 0);
/// assert_eq!((snapshot.on_down(), snapshot.bound()), (OnDown::Move, None)); // the policies
/// assert_eq!(snapshot.all_members().count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Snapshot<R, T> {
    epoch: u64,
    router: Arc<R>,
    by_slot: Box<[Option<Arc<Member<T>>>]>,
    aside: Box<[Arc<Member<T>>]>,
    gate: Gate,
    strengths: Strengths,
    policy: Policy,
    fleet: Arc<Fleet>,
}

impl<R, T> Snapshot<R, T> {
    /// Its number: 0 when the cluster is made, one more with each change.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The router, which knows nothing of health: it says where keys are at home.
    #[inline]
    #[must_use]
    pub fn router(&self) -> &R {
        &self.router
    }

    /// What a pick does when a key's node is down.
    #[must_use]
    pub fn on_down(&self) -> OnDown {
        self.policy.on_down
    }

    /// How many leases a member may hold; `None` if any number.
    #[must_use]
    pub fn bound(&self) -> Option<Exact> {
        self.policy.bound
    }

    /// The member in this slot of the router.
    #[inline]
    #[must_use]
    pub fn at(&self, slot: Slot) -> Option<&Member<T>> {
        Some(self.shared_at(slot)?)
    }

    #[inline]
    pub(crate) fn shared_at(&self, slot: Slot) -> Option<&Arc<Member<T>>> {
        let at = slot.index() as usize; // u32 fits
        self.by_slot.get(at)?.as_ref()
    }

    /// All members: those the router knows in the order of its slots, then those of weight 0 in the order of ids.
    pub fn all_members(&self) -> impl Iterator<Item = &Member<T>> {
        let routed = self.by_slot.iter().flatten();
        routed.chain(&self.aside).map(|member| &**member)
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.gate
    }

    #[inline]
    pub(crate) fn strengths(&self) -> Strengths {
        self.strengths
    }

    #[inline]
    pub(crate) fn policy(&self) -> &Policy {
        &self.policy
    }

    #[inline]
    pub(crate) fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    pub(crate) fn shared_router(&self) -> Arc<R> {
        Arc::clone(&self.router)
    }
}

impl<R: Router, T> Snapshot<R, T> {
    pub(crate) fn new(epoch: u64, router: Arc<R>, roster: &Roster<T>, policy: Policy) -> Self {
        let members = router.members();
        let mut by_slot: Vec<Option<Arc<Member<T>>>> = vec![None; members.slot_bound()];
        for (slot, node) in members.iter() {
            if let Some(place) = by_slot.get_mut(slot.index() as usize) {
                *place = roster.get(node.id().as_str()).cloned();
            }
        }
        Self::of(epoch, router, by_slot.into(), roster, policy)
    }

    /// The next one over the same router, where these members are other than before.
    pub(crate) fn renewed<'i>(
        &self,
        ids: impl IntoIterator<Item = &'i NodeId>,
        roster: &Roster<T>,
        policy: Policy,
    ) -> Self {
        let mut by_slot = self.by_slot.clone();
        for id in ids {
            let slot = self.router.members().slot_of(id.as_str());
            if let Some(place) = slot.and_then(|slot| by_slot.get_mut(slot.index() as usize)) {
                *place = roster.get(id.as_str()).cloned();
            }
        }
        let router = Arc::clone(&self.router);
        Self::of(self.epoch + 1, router, by_slot, roster, policy)
    }

    fn of(
        epoch: u64,
        router: Arc<R>,
        by_slot: Box<[Option<Arc<Member<T>>>]>,
        roster: &Roster<T>,
        policy: Policy,
    ) -> Self {
        Self {
            epoch,
            gate: Gate::of(by_slot.iter().map(Option::as_deref)),
            strengths: Strengths::of(by_slot.iter().flatten().map(|member| &**member)),
            by_slot,
            aside: roster.aside().into(),
            router,
            policy,
            fleet: Arc::clone(&roster.fleet),
        }
    }

    /// What the leases of the cluster are and have come to, with these members. O(n), allocates the answer.
    #[must_use]
    pub fn stats(&self) -> LeaseStats {
        LeaseStats::of(self)
    }

    /// The member with this id, be it known to the router or not.
    #[must_use]
    pub fn member(&self, id: &str) -> Option<&Member<T>> {
        if let Some(slot) = self.router.members().slot_of(id) {
            return self.at(slot);
        }
        let aside = self
            .aside
            .binary_search_by(|member| member.id.as_str().cmp(id));
        aside.ok().map(|at| &*self.aside[at])
    }
}

impl<R: Walk, T> Router for Snapshot<R, T> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        Some(self.pick(key).ok()?.slot())
    }

    fn members(&self) -> &Members {
        self.router.members()
    }

    /// The router's; while some node is not up, under the scheme `cluster/1 over …` and with who is not, and why.
    fn describe(&self) -> Description {
        let inner = self.router.describe();
        if self.gate.is_open() {
            return inner;
        }
        let scheme = format!("cluster/1 over {}", inner.scheme());
        let mut description = Description::new(&scheme, inner.order());
        for (name, value) in inner.fields() {
            description.field(name, value);
        }
        description.field("on down", self.on_down().name());
        for (slot, node) in self.router.members().iter() {
            let says = match self.gate.admission(slot) {
                Admission::Every => continue,
                Admission::Down => "nothing, down".to_owned(),
                Admission::Drained => "nothing, drained".to_owned(),
                Admission::Ramp { share, .. } => format!("{share} in 2^32"),
            };
            description.field(&format!("admits {:?}", node.id()), says);
        }
        let order = inner.nodes().iter();
        let slots = order.filter_map(|node| self.router.members().slot_of(node.id().as_str()));
        description.members_in(self.router.members(), slots);
        description
    }

    fn heap_bytes(&self) -> usize {
        let counts = 2 * size_of::<usize>();
        let member = counts + size_of::<Member<T>>() + counts + size_of::<T>() + Counter::BYTES;
        let slots = size_of_val(&*self.by_slot) + size_of_val(&*self.aside);
        self.router.heap_bytes()
            + slots
            + self.gate.heap_bytes()
            + self.all_members().count() * member
    }

    fn fingerprint(&self) -> Fingerprint {
        self.describe().fingerprint()
    }

    fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        Some(&self.at(self.route(key)?)?.id)
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.explain_next(key, next)
    }
}

impl<R: Walk, T> Walk for Snapshot<R, T> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        self.offer(key, seen, &mut |offer| match offer.serving() {
            Some(slot) => visit(slot),
            None => self.on_down().pass(),
        });
    }
}

/// Shows the epoch, the policies and the members, without payloads.
impl<R, T> fmt::Debug for Snapshot<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("epoch", &self.epoch)
            .field("policy", &self.policy)
            .field("members", &self.all_members().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
