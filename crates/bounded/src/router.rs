//! [`Bounded`]: a strategy whose nodes never hold much more than their share.

use core::fmt;
use core::marker::PhantomData;

use keyroute_core::{
    AddNode, Description, Explanation, Members, Node, NodeId, OrderFree, Rebuild, RemoveNode,
    Reweight, RouteError, Router, Slot, Walk, Weight,
};

use crate::loads::{Loads, NodeLoad};
use crate::{
    Admission, Below, Candidate, CapacityRule, Count, Demand, Exact, Forwarding, InWalkOrder,
    LocalCount, SharedCount,
};

/// Bounded loads over any strategy that has a preference order: a load whose node is full goes to the
/// next one that is not.
///
/// [`acquire`](Self::acquire) places a load and gives a [`Lease`](crate::Lease); while it lives, the
/// node holds the load. Nothing is ever moved. An idle router answers as the plain strategy.
///
/// Four parameters: the capacity rule `C` ([`Exact`] unless said), the admission test `A`
/// ([`Below`]), the forwarding order `O` ([`InWalkOrder`]), and how loads are counted, `K` ([`SharedCount`]).
///
/// It is `Sync` where `R` is: any number of threads acquire and release through `&self`, without a
/// lock. Members change through `&mut self`; nodes that stay keep their counts, the load of a node that
/// leaves leaves the total with it, and a node that comes back starts at 0.
///
/// **As a [`Router`]** it says where the next load *would* go: that changes with the loads, and two
/// routers with one fingerprint answer alike only while they hold alike. Route with `acquire`.
///
/// | | cost, beside the inner strategy's |
/// | --- | --- |
/// | acquire | 2 atomic steps (total, node), a capacity for each node offered; where the owner is full also a walk |
/// | release | 2 atomic steps |
/// | the same [for one thread](Self::for_one_thread) | no atomic step |
/// | add, remove, reweight | O(1) |
/// | rebuild | O(n log n) |
/// | memory | about 90 bytes a node |
///
/// Source: Mirrokni, Thorup and Zadimoghaddam, *Consistent Hashing with Bounded Loads*, 2016; the
/// online form, for requests that come and go.
///
/// ```
/// use keyroute_bounded::{Bounded, Exact, Node};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b", "c"])?;
/// let mut router = Bounded::new(ring, Exact::new(250)?); // at most 25 % over the fair share
///
/// let lease = router.acquire(b"user:1").unwrap();
/// assert_eq!(router.load(lease.slot()), Some(1));
///
/// router.remove(lease.node().as_str())?; // its load leaves the total
/// assert_eq!(router.total(), 0);
/// drop(lease); // and ending the lease changes nothing
/// assert_eq!(router.total(), 0);
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
pub struct Bounded<R, C = Exact, A = Below, O = InWalkOrder, K: Count = SharedCount> {
    pub(crate) router: R,
    pub(crate) rule: C,
    pub(crate) admission: PhantomData<fn() -> A>,
    pub(crate) forwarding: O,
    pub(crate) loads: Loads<K>,
}

impl<R: Router, C: CapacityRule> Bounded<R, C> {
    /// An idle router over this one, under this rule.
    #[must_use]
    pub fn new(router: R, rule: C) -> Self {
        Self {
            loads: Loads::new(router.members()),
            router,
            rule,
            admission: PhantomData,
            forwarding: InWalkOrder,
        }
    }
}

impl<R: Router, C: CapacityRule, A, O, K: Count> Bounded<R, C, A, O, K> {
    /// The same router with another admission test.
    #[must_use]
    pub fn with_admission<B: Admission>(self, _test: B) -> Bounded<R, C, B, O, K> {
        Bounded {
            router: self.router,
            rule: self.rule,
            admission: PhantomData,
            forwarding: self.forwarding,
            loads: self.loads,
        }
    }

    /// The same router with another forwarding order.
    #[must_use]
    pub fn with_forwarding<P: Forwarding<R>>(self, order: P) -> Bounded<R, C, A, P, K> {
        Bounded {
            router: self.router,
            rule: self.rule,
            admission: PhantomData,
            forwarding: order,
            loads: self.loads,
        }
    }

    /// The same router, idle, for one thread: its loads are counted in plain memory, which costs a third of the
    /// atomic counts. It is not `Sync`, and its leases stay on its thread.
    ///
    /// For a thread that counts its own loads, as one of a program with a router a core. Leases that still live end
    /// without effect on it.
    ///
    /// ```
    /// use keyroute_bounded::{Bounded, Exact, Lease, LocalCount};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b", "c"])?;
    /// let router = Bounded::new(ring, Exact::new(250)?).for_one_thread();
    /// let lease: Lease<LocalCount> = router.acquire(b"user:1").unwrap();
    /// assert_eq!(router.load(lease.slot()), Some(1));
    /// # Ok::<(), keyroute_bounded::RouteError>(())
    /// ```
    ///
    /// ```compile_fail,E0277
    /// # use keyroute_bounded::{Bounded, Exact};
    /// # use keyroute_vector_ring::VectorRing;
    /// # let ring = VectorRing::from_ids(["a"]).unwrap();
    /// let router = Bounded::new(ring, Exact::new(250).unwrap()).for_one_thread();
    /// std::thread::scope(|scope| scope.spawn(|| router.acquire(b"user:1").is_some()).join());
    /// ```
    #[must_use]
    pub fn for_one_thread(self) -> Bounded<R, C, A, O, LocalCount> {
        Bounded {
            loads: Loads::new(self.router.members()),
            router: self.router,
            rule: self.rule,
            admission: PhantomData,
            forwarding: self.forwarding,
        }
    }

    /// The plain router.
    #[must_use]
    pub fn get_ref(&self) -> &R {
        &self.router
    }

    /// Gives the plain router back. Leases that still live end without effect on it.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.router
    }

    /// The capacity rule.
    #[must_use]
    pub fn rule(&self) -> &C {
        &self.rule
    }

    /// The forwarding order.
    #[must_use]
    pub fn forwarding(&self) -> &O {
        &self.forwarding
    }

    /// The nodes and their slots.
    #[must_use]
    pub fn members(&self) -> &Members {
        self.router.members()
    }

    /// How many loads there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.loads.fleet().total()
    }

    /// How many loads the node in this slot holds.
    #[must_use]
    pub fn load(&self, slot: Slot) -> Option<u64> {
        Some(self.loads.node(slot)?.held())
    }

    /// How many loads each node holds, idle ones included, in the order of the slots. Each count is
    /// right at the moment when it is read.
    pub fn loads(&self) -> impl Iterator<Item = (Slot, u64)> + '_ {
        let slots = self.router.members().slots();
        slots.filter_map(|slot| Some((slot, self.load(slot)?)))
    }

    /// How many loads the node in this slot may hold, if the next one is placed now.
    #[must_use]
    pub fn capacity(&self, slot: Slot) -> Option<u64> {
        let (_, candidate) = self.candidate(slot, self.total())?;
        Some(candidate.capacity)
    }

    /// How many loads were placed on a node that did not admit them, since the router was made.
    #[must_use]
    pub fn overflows(&self) -> u64 {
        self.loads.fleet().overflows()
    }

    /// How far over the fair share the nodes together may be loaded now: the sum of the capacities over
    /// the number of loads, the next one included, less 1. `None` without members.
    ///
    /// Capacities are whole numbers, so it is above the ε that was asked for while there are few loads:
    /// at one a node, every ε up to 1 acts as 1. O(n).
    ///
    /// ```
    /// use keyroute_bounded::{Bounded, Exact};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let router = Bounded::new(VectorRing::from_ids(["a", "b", "c", "d"])?, Exact::new(50)?);
    /// let leases: Vec<_> = (0..3).filter_map(|_| router.acquire(b"hot")).collect();
    /// assert_eq!(router.effective_epsilon(), Some(1.0));
    /// # drop(leases);
    /// # Ok::<(), keyroute_bounded::RouteError>(())
    /// ```
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn effective_epsilon(&self) -> Option<f64> {
        let total = self.total();
        let capacities: u128 = self
            .members()
            .slots()
            .filter_map(|slot| self.candidate(slot, total))
            .map(|(_, candidate)| u128::from(candidate.capacity))
            .sum();
        let loads = u128::from(total) + 1;
        (!self.members().is_empty()).then(|| capacities as f64 / loads as f64 - 1.0)
    }

    /// The node in this slot with what decides its admission, when `total` loads are held.
    #[inline]
    pub(crate) fn candidate(&self, slot: Slot, total: u64) -> Option<(&NodeLoad<K>, Candidate)> {
        let (node, weight) = self.loads.weighed(slot)?;
        let capacity = self.rule.capacity(&Demand {
            total,
            nodes: self.router.members().len() as u64,
            weight,
            total_weight: self.loads.total_weight(),
        });
        let candidate = Candidate {
            slot,
            load: node.held(),
            capacity,
            weight,
        };
        Some((node, candidate))
    }

    /// Adds a node; it holds nothing.
    ///
    /// # Errors
    ///
    /// As the inner router. This one is as it was.
    pub fn add(&mut self, node: Node) -> Result<Slot, RouteError>
    where
        R: AddNode,
    {
        let slot = self.router.add(node)?;
        if let Some(node) = self.router.members().get(slot) {
            self.loads.join(slot, node);
        }
        Ok(slot)
    }

    /// Removes a node; the loads it holds leave the total with it.
    ///
    /// # Errors
    ///
    /// As the inner router. This one is as it was.
    pub fn remove(&mut self, id: &str) -> Result<Node, RouteError>
    where
        R: RemoveNode,
    {
        let slot = self.router.members().find(id)?;
        let node = self.router.remove(id)?;
        self.loads.leave(slot);
        Ok(node)
    }

    /// Changes a node's weight; it keeps its loads. Gives the old weight.
    ///
    /// # Errors
    ///
    /// As the inner router. This one is as it was.
    pub fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError>
    where
        R: Reweight,
    {
        let slot = self.router.members().find(id)?;
        let old = self.router.reweight(id, weight)?;
        self.loads.reweight(slot, weight);
        Ok(old)
    }

    /// Replaces the members; nodes that stay keep their loads.
    ///
    /// # Errors
    ///
    /// As the inner router. This one is as it was.
    pub fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError>
    where
        R: Rebuild,
    {
        self.router.rebuild(nodes)?;
        self.loads.follow(self.router.members());
        Ok(())
    }
}

impl<R, C, A, O, K> Bounded<R, C, A, O, K>
where
    R: Router,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    /// The slot of the node that the next load of this key would go to; `None` without members.
    #[must_use]
    pub fn route(&self, key: &[u8]) -> Option<Slot> {
        self.next(key)
    }

    /// The id of the node that the next load of this key would go to; `None` without members.
    #[must_use]
    pub fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        Router::route_id(self, key)
    }

    /// Why the next load of this key would go where it would: loads and capacities of the nodes in forwarding order.
    ///
    /// ```
    /// use keyroute_bounded::{Bounded, Exact};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let router = Bounded::new(VectorRing::from_ids(["a", "b", "c"])?, Exact::new(250)?);
    /// let lease = router.acquire(b"hot").unwrap();
    /// let why = router.explain(b"hot");
    /// assert_eq!(why.passed().next().unwrap().slot, lease.slot()); // it holds 1 of 1
    /// assert_eq!(why.owner(), router.route(b"hot"));
    /// # Ok::<(), keyroute_bounded::RouteError>(())
    /// ```
    #[must_use]
    pub fn explain(&self, key: &[u8]) -> Explanation {
        Router::explain(self, key)
    }
}

impl<R, C, A, O, K> Router for Bounded<R, C, A, O, K>
where
    R: Router,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    fn route(&self, key: &[u8]) -> Option<Slot> {
        self.next(key)
    }

    fn members(&self) -> &Members {
        self.router.members()
    }

    fn describe(&self) -> Description {
        let inner = self.router.describe();
        let scheme = alloc::format!("bounded/1 over {}", inner.scheme());
        let mut description = Description::new(&scheme, inner.order());
        for (name, value) in inner.fields() {
            description.field(name, value);
        }
        self.rule.describe(&mut description);
        description.field("admission", A::NAME);
        description.field("forwarding", O::NAME);
        description.members(self.router.members());
        description
    }

    fn heap_bytes(&self) -> usize {
        self.router.heap_bytes() + self.loads.heap_bytes()
    }

    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        self.explained(key, next)
    }
}

impl<R, C, A, O, K> AddNode for Bounded<R, C, A, O, K>
where
    R: AddNode,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        self.add(node)
    }
}

impl<R, C, A, O, K> RemoveNode for Bounded<R, C, A, O, K>
where
    R: RemoveNode,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        self.remove(id)
    }
}

impl<R, C, A, O, K> Reweight for Bounded<R, C, A, O, K>
where
    R: Reweight,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        self.reweight(id, weight)
    }
}

impl<R, C, A, O, K> Rebuild for Bounded<R, C, A, O, K>
where
    R: Rebuild,
    C: CapacityRule,
    A: Admission,
    O: Forwarding<R>,
    K: Count,
{
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        self.rebuild(nodes)
    }
}

// Other forwarding orders may read the order of listing.
impl<R, C, A, K> OrderFree for Bounded<R, C, A, InWalkOrder, K>
where
    R: OrderFree + Walk,
    C: CapacityRule,
    A: Admission,
    K: Count,
{
}

impl<R: fmt::Debug, C: fmt::Debug, A, O, K: Count> fmt::Debug for Bounded<R, C, A, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounded")
            .field("router", &self.router)
            .field("rule", &self.rule)
            .field("loads", &self.loads)
            .finish_non_exhaustive()
    }
}
