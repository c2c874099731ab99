//! [`Cluster`]: a router whose members change while threads route.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use keyroute_core::{AddNode, Node, Rebuild, RemoveNode, RouteError, Router, Walk};

use crate::draft::Draft;
use crate::outbox::Outbox;
use crate::policy::Policy;
use crate::roster::Roster;
use crate::stopwatch::Stopwatch;
use crate::trail::Trail;
#[cfg(feature = "async")]
use crate::watch::{Signal, Watch};
use crate::writer::Writer;
use crate::{
    Batch, ByRebuild, Change, Changes, DEFAULT_SAMPLES, Exact, InSteps, Lease, LeaseStats, Listing,
    OnDown, Reader, Remake, Snapshot, Subscription, Terms, Unavailable, View,
};

/// A router `R` whose members change while threads route, each member with a payload `T`.
///
/// Readers load one [`Snapshot`] for each unit of work: by [`load`](Self::load), or through a
/// [`Reader`] of their own on the hot path. Neither locks; what a reader sees is the list before a change or after it, never
/// a mix.
///
/// Writers apply a [`Batch`], set the whole list, or let time pass; all through `&self`, one at a time. Each is
/// one new snapshot and one epoch. What is refused leaves all as it was; what changes nothing makes no epoch.
///
/// `R` is any router with an order of nodes ([`Walk`]); [`Rehashed`](crate::Rehashed) gives one to those that
/// have none. It is shared by reference or in an `Arc`; when it is dropped, readers keep their last snapshot.
///
/// | n members | cost |
/// | --- | --- |
/// | lookup | the router's, one load of a shared word, one load of the member; see [`Snapshot`] |
/// | change of health, ramp, payload | O(n) copies of pointers; then the sample |
/// | change of nodes | the same, and a new router: see [`Remake`] |
/// | the sample, with each change | 4096 lookups, unless set otherwise ([`with_samples`](Self::with_samples)) |
///
/// ```
/// use keyroute_cluster::{Batch, Cluster, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let members = [(Node::new("cache-1")?, "10.0.0.1:11211"), (Node::new("cache-2")?, "10.0.0.2:11211")];
/// let cluster = Cluster::from_members(VectorRing::new(), members)?;
///
/// std::thread::scope(|scope| {
///     scope.spawn(|| {
///         let mut reader = cluster.reader();
///         for number in 0..1000u32 {
///             let snapshot = reader.snapshot(); // one for each unit of work
///             let pick = snapshot.pick(&number.to_le_bytes()).unwrap();
///             assert!(pick.payload().starts_with("10.0.0."));
///         }
///     });
///     cluster.apply(Batch::new().add(Node::new("cache-3")?, "10.0.0.3:11211").down("cache-1"))
/// })?;
/// assert_eq!(cluster.load().epoch(), 1);
/// # Ok::<(), keyroute_cluster::RouteError>(())
/// ```
pub struct Cluster<R, T> {
    current: Arc<ArcSwap<Snapshot<R, T>>>,
    writer: Mutex<Writer<R, T>>,
    outbox: Arc<Outbox>,
    #[cfg(feature = "async")]
    signal: Arc<Signal>,
    /// Whether a needless move is worth a warning.
    #[cfg(feature = "tracing")]
    promised: bool,
}

impl<R: Walk, T> Cluster<R, T> {
    /// A cluster of this router and its members, which are given payloads here; made anew for each change
    /// ([`ByRebuild`]).
    ///
    /// ```
    /// use keyroute_cluster::Cluster;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |node| format!("{}.cache:80", node.id()));
    /// assert_eq!(*cluster.load().member("a").unwrap().payload(), "a.cache:80");
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn new(router: R, payload: impl FnMut(&Node) -> T) -> Self
    where
        R: Rebuild + Clone,
    {
        Self::with_remake(router, ByRebuild, payload)
    }

    /// The same, where each change is applied to a copy of the router. [`InSteps`] shows one.
    #[must_use]
    pub fn in_steps(router: R, payload: impl FnMut(&Node) -> T) -> Self
    where
        R: AddNode + RemoveNode + Clone,
    {
        Self::with_remake(router, InSteps, payload)
    }

    /// The same, where routers are made in this way. [`ByRebuild`] shows one.
    #[must_use]
    pub fn with_remake(
        router: R,
        remake: impl Remake<R> + Send + 'static,
        mut payload: impl FnMut(&Node) -> T,
    ) -> Self {
        let mut roster = Roster::default();
        for node in router.members().listed_nodes() {
            // A router's members are distinct and not too many.
            let listing = Listing::new(node.clone(), payload(node));
            let listed = roster.list(&listing.shared());
            debug_assert_eq!(listed, Ok(()));
        }
        Self::of(router, roster, Box::new(remake))
    }

    /// A cluster of these members; `router` says how they are routed, and its own members go.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`] for an id listed twice, or what the strategy refuses.
    pub fn from_members(
        router: R,
        members: impl IntoIterator<Item = impl Into<Listing<T>>>,
    ) -> Result<Self, RouteError>
    where
        R: Rebuild + Clone,
    {
        let roster = roster(members)?;
        let mut router = router;
        router.rebuild(&roster.nodes())?;
        Ok(Self::of(router, roster, Box::new(ByRebuild)))
    }

    /// A cluster of these members, whose routers this function makes. [`Remake`] shows one.
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`] for an id listed twice, what the function refuses, and
    /// [`RouteError::Unplaceable`] or [`RouteError::Parameter`] if its router has other members than it was
    /// given.
    pub fn from_factory(
        factory: impl Fn(&[Node]) -> Result<R, RouteError> + Send + 'static,
        members: impl IntoIterator<Item = impl Into<Listing<T>>>,
    ) -> Result<Self, RouteError> {
        let roster = roster(members)?;
        let nodes = roster.nodes();
        let router = factory(&nodes)?;
        crate::remake::check_members(&router, &nodes)?;
        Ok(Self::of(router, roster, Box::new(factory)))
    }

    fn of(router: R, roster: Roster<T>, remake: Box<dyn Remake<R> + Send>) -> Self {
        let writer = Writer::new(&router, roster, remake, DEFAULT_SAMPLES);
        let first = Snapshot::new(0, Arc::new(router), &writer.roster, writer.policy());
        Self {
            current: Arc::new(ArcSwap::from_pointee(first)),
            writer: Mutex::new(writer),
            outbox: Arc::default(),
            #[cfg(feature = "async")]
            signal: Arc::default(),
            #[cfg(feature = "tracing")]
            promised: false,
        }
    }

    /// The same cluster with this policy; [`OnDown::Move`] unless set.
    #[must_use]
    pub fn with_policy(self, on_down: OnDown) -> Self {
        self.set_policy(|policy| policy.on_down = on_down);
        self.lock().trail = Trail::default(); // it was never another
        self
    }

    /// The same cluster, whose members [may hold](Self::acquire) so many leases: at most ε over their share by weight,
    /// rounded up. Unless set, any number.
    ///
    /// ```
    /// use keyroute_cluster::{Cluster, Exact};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let bound = Exact::new(250)?; // ε = 0.25
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ()).with_bound(bound);
    /// assert_eq!(cluster.load().bound(), Some(bound));
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn with_bound(self, bound: Exact) -> Self {
        self.set_bound(Some(bound));
        self.lock().trail = Trail::default(); // it was never another
        self
    }

    /// Sets another bound, or none, from now on. Leases that live keep, and members that hold more than their capacity
    /// now take none until they hold less. No key moves, so it is no change and makes no epoch.
    ///
    /// ```
    /// use keyroute_cluster::{Cluster, Exact};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let leases: Result<Vec<_>, _> = (0..8).map(|_| cluster.acquire(b"hot")).collect();
    /// let leases = leases?;
    /// assert!(leases.iter().all(|lease| lease.is_home())); // all 8 on one node
    ///
    /// cluster.set_bound(Some(Exact::new(250)?));
    /// let next = cluster.acquire(b"hot")?;
    /// assert_eq!((next.is_home(), next.load(), next.capacity()), (false, 1, Some(6)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_bound(&self, bound: Option<Exact>) {
        self.set_policy(|policy| policy.bound = bound);
    }

    fn set_policy(&self, edit: impl FnOnce(&mut Policy)) {
        let old = {
            let mut writer = self.lock();
            let mut policy = writer.policy();
            edit(&mut policy);
            let old = self.current.load_full();
            let router = old.shared_router();
            let new = Snapshot::new(old.epoch(), router, &writer.roster, policy);
            writer.follow(&old, &new);
            writer.set_policy(policy);
            self.current.store(Arc::new(new));
            old
        };
        // Without the lock: payloads may be slow to drop, or ask the cluster.
        drop(old);
    }

    /// The same cluster, whose strategy is promised to move no key needlessly: a change that does is an event at the
    /// level of a warning. Rings and rendezvous promise it, tables do not.
    ///
    /// ```
    /// use keyroute_cluster::Cluster;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ()).warning_of_needless_moves();
    /// # assert_eq!(cluster.load().epoch(), 0);
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[cfg(feature = "tracing")]
    #[must_use]
    pub fn warning_of_needless_moves(mut self) -> Self {
        self.promised = true;
        self
    }

    /// The same cluster with so many sample keys for each change's [`Movement`](crate::Movement);
    /// [`DEFAULT_SAMPLES`] unless set, and 0 asks none.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ()).with_samples(0);
    /// let change = cluster.apply(Batch::new().remove("a"))?.unwrap();
    /// assert_eq!(change.movement().samples(), 0);
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn with_samples(self, samples: u32) -> Self {
        self.lock().set_samples(samples);
        self
    }
}

impl<R, T> Cluster<R, T> {
    /// The cluster as it is now, for one unit of work.
    ///
    /// Takes no lock. The first call on a thread allocates a little, once; keep the answer only briefly, or take
    /// [`snapshot`](Self::snapshot): many kept on one thread make further calls slower.
    #[inline]
    #[must_use]
    pub fn load(&self) -> Loaded<R, T> {
        Loaded(self.current.load())
    }

    /// The cluster as it is now, to keep.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot<R, T>> {
        self.current.load_full()
    }

    /// Places a load of this key on the cluster as it is now: [`Snapshot::acquire`]. A [`Reader`] does it for a little
    /// less.
    ///
    /// # Errors
    ///
    /// As [`Snapshot::acquire`].
    #[inline]
    pub fn acquire(&self, key: &[u8]) -> Result<Lease<T>, Unavailable>
    where
        R: Walk,
    {
        self.load().acquire(key)
    }

    /// What the leases are and have come to. O(n).
    #[must_use]
    pub fn stats(&self) -> LeaseStats
    where
        R: Router,
    {
        self.load().stats()
    }

    /// A handle of one's own, for the hot path.
    #[must_use]
    pub fn reader(&self) -> Reader<R, T> {
        Reader::new(Arc::clone(&self.current))
    }

    /// Calls this function with each change from now on, until the subscription is dropped.
    ///
    /// Changes come in order and one at a time, on the thread of whoever made one; no lock is held, so the
    /// function may read the cluster and change it. While it runs, readers go on, and so do writers: their changes wait, at
    /// most [`BACKLOG`](crate::BACKLOG) of them, beyond which the oldest is dropped. If the function panics, the
    /// panic ends there and is counted ([`panics`](Self::panics)).
    ///
    /// [`Subscription`] shows one.
    pub fn subscribe(&self, call: impl Fn(&Arc<Change>) + Send + Sync + 'static) -> Subscription {
        let subscriber = self.outbox.subscribe(Box::new(call));
        Subscription::new(Arc::clone(&self.outbox), subscriber)
    }

    /// The changes from now on, to be taken when it suits. [`Changes`] shows them.
    pub fn changes(&self) -> Changes {
        Changes::of(&self.outbox)
    }

    /// A future for the next change. [`Watch`] shows one.
    #[cfg(feature = "async")]
    #[must_use]
    pub fn watch(&self) -> Watch<R, T> {
        Watch::new(Arc::clone(&self.current), Arc::clone(&self.signal))
    }

    /// How often a subscriber has panicked.
    ///
    /// ```
    /// use keyroute_cluster::{Batch, Cluster};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b"])?, |_| ());
    /// let subscription = cluster.subscribe(|_| panic!("a subscriber's own fault"));
    /// cluster.apply(Batch::new().remove("b"))?; // done, and whoever asked for it does not notice
    /// assert_eq!(cluster.panics(), 1);
    /// # drop(subscription);
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    #[must_use]
    pub fn panics(&self) -> u64 {
        self.outbox.panics()
    }

    #[cfg(feature = "metrics")]
    pub(crate) fn shared_current(&self) -> Arc<ArcSwap<Snapshot<R, T>>> {
        Arc::clone(&self.current)
    }

    #[cfg(feature = "metrics")]
    pub(crate) fn shared_outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// The list. A factory may have panicked while it was held, but what is behind the lock changes last, and as
    /// a whole.
    fn lock(&self) -> MutexGuard<'_, Writer<R, T>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Walk, T> Cluster<R, T> {
    /// What this client answers by, to be published and compared with other clients'. O(n), and takes the lock for a
    /// moment.
    #[must_use]
    pub fn view(&self) -> View {
        let (now, mut trail) = {
            let writer = self.lock();
            (self.current.load_full(), writer.trail.clone())
        };
        if trail.is_empty() {
            trail.push(now.settled().fingerprint());
        }
        now.view(trail)
    }

    /// Applies these changes together; `None` if they change nothing.
    ///
    /// When it returns, every new lookup sees the change, and subscribers have been told, unless another thread
    /// is telling them.
    ///
    /// # Errors
    ///
    /// [`RouteError::NotMember`] or [`RouteError::AlreadyMember`] of a step, or what the strategy refuses. The
    /// cluster is as it was.
    pub fn apply(&self, batch: Batch<T>) -> Result<Option<Arc<Change>>, RouteError> {
        let batch = batch.shared();
        self.change(|draft, _| draft.apply(&batch))
    }

    /// Makes the list this one: finds who is new, who is missing and what of the others changed, and applies it
    /// on these terms. `None` if nothing did. What discovery calls, as often as it likes.
    ///
    /// Health, drain and ramps of members that stay are not touched. One that is [leaving](Batch::leave) and is
    /// listed again stays. Payloads are compared, and kept where they are equal. The order of the list counts
    /// only where the router reads it.
    ///
    /// Weights are those of the list. Where a balancer sets them (feature `adaptive`), list members that stay with
    /// the weight that they have here, or each call undoes what it has learnt.
    ///
    /// ```
    /// use keyroute_cluster::{Cluster, Listing, Node, Terms};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let list = || Ok::<_, keyroute_cluster::RouteError>([(Node::new("a")?, 80), (Node::new("b")?, 80)]);
    /// let cluster = Cluster::new(VectorRing::new(), |_| 0);
    /// assert_eq!(cluster.set_members(list()?, Terms::at_once())?.unwrap().added(), ["a", "b"]);
    /// assert!(cluster.set_members(list()?, Terms::at_once())?.is_none());
    ///
    /// let change = cluster.set_members([(Node::new("b")?, 81)], Terms::at_once())?.unwrap();
    /// assert_eq!((change.removed()[0].as_str(), change.payloads()[0].as_str()), ("a", "b"));
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RouteError::AlreadyMember`] for an id listed twice, or what the strategy refuses. The cluster is as it
    /// was.
    pub fn set_members(
        &self,
        members: impl IntoIterator<Item = impl Into<Listing<T>>>,
        terms: Terms,
    ) -> Result<Option<Arc<Change>>, RouteError>
    where
        T: PartialEq,
    {
        // Not drawn under the lock: the iterator is the caller's code.
        let members = members.into_iter().map(|it| it.into().shared());
        let members: Vec<Listing<Arc<T>>> = members.collect();
        self.change(|draft, writer| draft.set(&members, terms, writer.ordered()))
    }

    /// Says what time it is: ramps grow, and members whose time of grace is over leave. `None` if nothing
    /// changed.
    ///
    /// The time is counted from wherever the caller likes, as `start.elapsed()` of an [`Instant`] does; one
    /// before an earlier one counts as that. Nothing else here knows a time: between two ticks answers do not
    /// change by themselves.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_cluster::{Batch, Cluster, Node, Ramp};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a", "b", "c"])?, |_| ());
    /// let at = Duration::from_secs;
    /// let ramp = Ramp::new(at(60), 2)?; // a third, two thirds, all
    /// cluster.apply(Batch::new().add(Node::new("d")?, ()).ramp("d", ramp))?;
    ///
    /// assert!(cluster.tick(at(1000))?.is_none()); // the clock starts
    /// assert!(cluster.tick(at(1030))?.unwrap().movement().needless() == 0);
    /// assert!(!cluster.load().member("d").unwrap().status().is_up());
    /// cluster.tick(at(1060))?;
    /// assert!(cluster.load().member("d").unwrap().status().is_up());
    /// # Ok::<(), keyroute_cluster::RouteError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the strategy refuses of the nodes that are left. The cluster is as it was, and the next tick tries
    /// again.
    ///
    /// [`Instant`]: std::time::Instant
    pub fn tick(&self, now: Duration) -> Result<Option<Arc<Change>>, RouteError> {
        {
            let mut writer = self.lock();
            writer.advance(now);
            if writer.timers.are_none() {
                return Ok(None); // most ticks of most clusters
            }
        }
        // Another thread may have brought a later time since.
        self.change(|draft, writer| {
            let now = writer.advance(now);
            // This tick is the first one for clocks that it starts, be it refused or not.
            writer.timers.begin(now);
            draft.tick(now)
        })
    }

    /// Changes the list by this edit of it. What the edit is given outlives the lock: payloads may be slow to drop, or
    /// ask the cluster.
    fn change(
        &self,
        edit: impl FnOnce(&mut Draft<T>, &mut Writer<R, T>) -> Result<(), RouteError>,
    ) -> Result<Option<Arc<Change>>, RouteError> {
        let committed = {
            let mut writer = self.lock();
            let since = Stopwatch::start();
            let mut draft = writer.draft();
            let edited = edit(&mut draft, &mut writer);
            let committed = edited.and_then(|()| writer.commit(draft, since, &self.current));
            committed.map(|commit| {
                commit.map(|(change, retired)| {
                    // Posted under the lock, so that changes come in the order of epochs.
                    let change = Arc::new(change);
                    self.outbox.post(&change);
                    (change, retired)
                })
            })
        };
        #[cfg(feature = "tracing")]
        if let Err(error) = &committed {
            crate::trace::refused(self.load().epoch(), error);
        }
        let Some((change, retired)) = committed? else {
            return Ok(None);
        };
        #[cfg(feature = "tracing")]
        crate::trace::changed(&change, self.promised);
        #[cfg(feature = "async")]
        self.signal.notify();
        self.outbox.deliver();
        // Last: if a payload panics when it is dropped, everybody has been told.
        drop(retired);
        Ok(Some(change))
    }
}

fn roster<T>(
    members: impl IntoIterator<Item = impl Into<Listing<T>>>,
) -> Result<Roster<T>, RouteError> {
    let mut roster = Roster::default();
    for member in members {
        roster.list(&member.into().shared())?;
    }
    Ok(roster)
}

#[cfg(feature = "async")]
impl<R, T> Drop for Cluster<R, T> {
    fn drop(&mut self) {
        self.signal.close();
    }
}

impl<R, T> fmt::Debug for Cluster<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cluster").field(&*self.load()).finish()
    }
}

/// A [`Snapshot`] lent for one unit of work, by [`Cluster::load`]; as [`Snapshot`] shows.
pub struct Loaded<R, T>(Guard<Arc<Snapshot<R, T>>>);

impl<R, T> Deref for Loaded<R, T> {
    type Target = Snapshot<R, T>;

    #[inline]
    fn deref(&self) -> &Snapshot<R, T> {
        &self.0
    }
}

impl<R, T> fmt::Debug for Loaded<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
