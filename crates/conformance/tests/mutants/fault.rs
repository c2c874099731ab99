//! [`Mutant`]: a sound router with one fault.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use keyroute_conformance::{Cut, States, Tables};
use keyroute_core::hash::Xxh3;
use keyroute_core::{
    AddNode, Description, Explanation, Fingerprint, HasherTag, KeyDigest, LastListed, Members,
    Native, Node, NodeId, OrderFree, OwnedRange, Partitioned, Partitioning, Ranges, Rebuild,
    RemoveLast, RemoveNode, Reweight, RouteDigest, RouteError, Router, Slot, SlotSet, Walk,
    WalkDigest, WalkRanges, Weight, WithTies,
};
use keyroute_vector_ring::VectorRing;

/// A router that can be made of any list of nodes.
pub(crate) trait Made: Router + Sized {
    fn made(nodes: &[Node]) -> Result<Self, RouteError>;
}

/// A name for a mutant in the table.
pub(crate) trait Wrong {
    type Router: Made + 'static;
}

impl<F: Fault + 'static> Wrong for F {
    type Router = Mutant<F>;
}

/// What mutants are made from. Its ties matter only where its hash is cut.
pub(crate) type Sound = VectorRing<WithTies<Native<Cut<Xxh3>>, LastListed>>;

pub(crate) fn sound(bits: u32, points: u32, nodes: &[Node]) -> Result<Sound, RouteError> {
    let scheme = Native::new(Cut::top(Xxh3, bits)).with_points_per_weight(points)?;
    VectorRing::from_nodes_with(WithTies::new(scheme, LastListed), nodes.iter().cloned())
}

/// One fault: whatever it does not override is as it should be.
pub(crate) trait Fault: Sized {
    /// How much of the hash is kept, and how many points a unit of weight has.
    const BITS: u32 = 64;
    const POINTS: u32 = 16;

    fn made(nodes: &[Node]) -> Result<Sound, RouteError> {
        sound(Self::BITS, Self::POINTS, nodes)
    }

    fn route(it: &Mutant<Self>, key: &[u8]) -> Option<Slot> {
        it.ring.route(key)
    }
    fn route_id<'a>(it: &'a Mutant<Self>, key: &[u8]) -> Option<&'a NodeId> {
        it.members().get(it.route(key)?).map(Node::id)
    }
    fn route_batch(
        it: &Mutant<Self>,
        keys: &[&[u8]],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        if keys.len() != out.len() {
            return it.ring.route_batch(keys, out);
        }
        for (key, out) in keys.iter().zip(out) {
            *out = it.route(key);
        }
        Ok(())
    }
    fn describe(it: &Mutant<Self>) -> Description {
        it.ring.describe()
    }
    fn fingerprint(it: &Mutant<Self>) -> Fingerprint {
        it.describe().fingerprint()
    }
    fn heap_bytes(it: &Mutant<Self>) -> usize {
        it.ring.heap_bytes()
    }

    fn explain_with(it: &Mutant<Self>, key: &[u8], next: usize) -> Explanation {
        it.ring.explain_with(key, next)
    }

    fn add(it: &mut Mutant<Self>, node: Node) -> Result<Slot, RouteError> {
        it.ring.add(node)
    }
    fn remove(it: &mut Mutant<Self>, id: &str) -> Result<Node, RouteError> {
        it.ring.remove(id)
    }
    fn remove_last(it: &mut Mutant<Self>) -> Result<Node, RouteError> {
        let last = it.ring.members().listed().pop();
        let node = last.and_then(|slot| it.ring.members().get(slot)).cloned();
        match node {
            Some(node) => it.remove(node.id().as_str()),
            None => Err(RouteError::NoMembers),
        }
    }
    fn reweight(it: &mut Mutant<Self>, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        it.ring.reweight(id, weight)
    }
    fn rebuild(it: &mut Mutant<Self>, nodes: &[Node]) -> Result<(), RouteError> {
        it.ring.rebuild(nodes)
    }

    fn digest(it: &Mutant<Self>, key: &[u8]) -> u64 {
        it.ring.digest(key).value()
    }
    fn route_digest(it: &Mutant<Self>, digest: KeyDigest<u64>) -> Result<Option<Slot>, RouteError> {
        it.ring.route_digest(digest)
    }
    fn route_digests(
        it: &Mutant<Self>,
        tag: HasherTag,
        values: &[u64],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        it.ring.route_digests(tag, values, out)
    }

    fn walk_with(
        it: &Mutant<Self>,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        it.ring.walk_with(key, seen, visit);
    }
    fn walk_value_with(
        it: &Mutant<Self>,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        it.ring.walk_value_with(value, seen, visit);
    }
    fn ranges(it: &Mutant<Self>) -> Vec<OwnedRange<u64>> {
        it.ring.ranges()
    }
    fn walk_ranges(it: &Mutant<Self>) -> Vec<OwnedRange<u64>> {
        it.ring.walk_ranges()
    }

    fn partition_count(_it: &Mutant<Self>) -> u32 {
        256
    }
    fn partition_of(it: &Mutant<Self>, key: &[u8]) -> u32 {
        it.sound_partition_of(key)
    }
    fn partition_owner(it: &Mutant<Self>, partition: u32) -> Option<Slot> {
        it.sound_partition_owner(partition)
    }

    /// What another router is restored from.
    fn state(it: &Mutant<Self>) -> Vec<Node> {
        let members = it.members();
        let listed = members.listed().into_iter();
        listed
            .filter_map(|slot| members.get(slot).cloned())
            .collect()
    }
    /// A table beside the ring.
    fn entries(it: &Mutant<Self>) -> Vec<Slot> {
        table(it.members())
    }
    /// The share of the entries, rounded up.
    fn cap(it: &Mutant<Self>, slot: Slot) -> u64 {
        let weight = |slot| u64::from(it.members().get(slot).map_or(0, |node| node.weight().get()));
        let all: u64 = it.members().slots().map(weight).sum();
        (ENTRIES * weight(slot)).div_ceil(all)
    }
}

/// The entries of the table.
pub(crate) const ENTRIES: u64 = 501;

/// Entries by weight, as exactly as whole ones allow.
pub(crate) fn table(members: &Members) -> Vec<Slot> {
    let weights: Vec<(Slot, u64)> = members
        .iter()
        .map(|(slot, node)| (slot, node.weight().get().into()))
        .collect();
    let all: u64 = weights.iter().map(|(_, weight)| weight).sum();
    let owner = |entry: u64| {
        let mut upper = 0;
        let covers = weights.iter().find(|(_, weight)| {
            upper += weight;
            entry * all / ENTRIES < upper
        });
        covers.map(|&(slot, _)| slot)
    };
    (0..ENTRIES).filter_map(owner).collect()
}

/// How laws about states and tables ask mutants.
#[derive(Clone, Copy)]
pub(crate) struct Asked;

impl<F: Fault> States<Mutant<F>> for Asked {
    type State = Vec<Node>;

    fn state(router: &Mutant<F>) -> Vec<Node> {
        F::state(router)
    }
    fn restore(state: Vec<Node>) -> Result<Mutant<F>, RouteError> {
        Mutant::made(&state)
    }
}

impl<F: Fault> Tables<Mutant<F>> for Asked {
    fn entries(router: &Mutant<F>) -> Vec<Slot> {
        F::entries(router)
    }
    fn cap(router: &Mutant<F>, slot: Slot) -> u64 {
        F::cap(router, slot)
    }
}

/// No fault at all.
pub(crate) struct Nothing;

impl Fault for Nothing {
    const POINTS: u32 = 160;
}

/// A sound ring with one fault.
pub(crate) struct Mutant<F> {
    pub(crate) ring: Sound,
    /// What some faults count.
    pub(crate) count: Cell<u64>,
    fault: PhantomData<F>,
}

impl<F> Mutant<F> {
    /// A number that is another one each time.
    pub(crate) fn turn(&self) -> u64 {
        self.count.set(self.count.get() + 1);
        self.count.get()
    }
}

impl<F: Fault> Made for Mutant<F> {
    fn made(nodes: &[Node]) -> Result<Self, RouteError> {
        Ok(Self {
            ring: F::made(nodes)?,
            count: Cell::new(0),
            fault: PhantomData,
        })
    }
}

impl<F: Fault> Router for Mutant<F> {
    fn route(&self, key: &[u8]) -> Option<Slot> {
        F::route(self, key)
    }
    fn members(&self) -> &Members {
        self.ring.members()
    }
    fn describe(&self) -> Description {
        F::describe(self)
    }
    fn heap_bytes(&self) -> usize {
        F::heap_bytes(self)
    }
    fn fingerprint(&self) -> Fingerprint {
        F::fingerprint(self)
    }
    fn route_id(&self, key: &[u8]) -> Option<&NodeId> {
        F::route_id(self, key)
    }
    fn route_batch(&self, keys: &[&[u8]], out: &mut [Option<Slot>]) -> Result<(), RouteError> {
        F::route_batch(self, keys, out)
    }
    fn explain_with(&self, key: &[u8], next: usize) -> Explanation {
        F::explain_with(self, key, next)
    }
}

impl<F: Fault> AddNode for Mutant<F> {
    fn add(&mut self, node: Node) -> Result<Slot, RouteError> {
        F::add(self, node)
    }
}

impl<F: Fault> RemoveNode for Mutant<F> {
    fn remove(&mut self, id: &str) -> Result<Node, RouteError> {
        F::remove(self, id)
    }
}

impl<F: Fault> RemoveLast for Mutant<F> {
    fn remove_last(&mut self) -> Result<Node, RouteError> {
        F::remove_last(self)
    }
}

impl<F: Fault> Reweight for Mutant<F> {
    fn reweight(&mut self, id: &str, weight: Weight) -> Result<Weight, RouteError> {
        F::reweight(self, id, weight)
    }
}

impl<F: Fault> Rebuild for Mutant<F> {
    fn rebuild(&mut self, nodes: &[Node]) -> Result<(), RouteError> {
        F::rebuild(self, nodes)
    }
}

impl<F: Fault> RouteDigest for Mutant<F> {
    type Width = u64;

    fn hasher_tag(&self) -> HasherTag {
        self.ring.hasher_tag()
    }
    fn digest(&self, key: &[u8]) -> KeyDigest<u64> {
        KeyDigest::new(self.hasher_tag(), F::digest(self, key))
    }
    fn route_value(&self, value: u64) -> Option<Slot> {
        self.ring.route_value(value)
    }
    fn route_digest(&self, digest: KeyDigest<u64>) -> Result<Option<Slot>, RouteError> {
        F::route_digest(self, digest)
    }
    fn route_digests(
        &self,
        tag: HasherTag,
        values: &[u64],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        F::route_digests(self, tag, values, out)
    }
}

impl<F: Fault> Walk for Mutant<F> {
    fn walk_with(
        &self,
        key: &[u8],
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        F::walk_with(self, key, seen, visit);
    }
}

impl<F: Fault> WalkDigest for Mutant<F> {
    fn walk_value_with(
        &self,
        value: u64,
        seen: &mut SlotSet,
        visit: &mut dyn FnMut(Slot) -> ControlFlow<()>,
    ) {
        F::walk_value_with(self, value, seen, visit);
    }
}

impl<F: Fault> WalkRanges for Mutant<F> {
    fn walk_ranges(&self) -> Vec<OwnedRange<u64>> {
        F::walk_ranges(self)
    }
}

impl<F: Fault> Ranges for Mutant<F> {
    type Width = u64;

    fn ranges(&self) -> Vec<OwnedRange<u64>> {
        F::ranges(self)
    }
}

impl<F: Fault> Mutant<F> {
    /// The digest's first byte: all that a hash of 8 bits has.
    pub(crate) fn sound_partition_of(&self, key: &[u8]) -> u32 {
        u32::from(self.ring.digest(key).value().to_be_bytes()[0])
    }

    pub(crate) fn sound_partition_owner(&self, partition: u32) -> Option<Slot> {
        let digest = u8::try_from(partition).ok()?;
        self.ring.route_value(u64::from(digest) << 56)
    }
}

impl<F: Fault> Partitioned for Mutant<F> {
    fn partitioning(&self) -> Partitioning {
        Partitioning::new(F::partition_count(self), "digests", self.ring.hasher_tag())
    }
    fn partition_of(&self, key: &[u8]) -> u32 {
        F::partition_of(self, key)
    }
    fn partition_owner(&self, partition: u32) -> Option<Slot> {
        F::partition_owner(self, partition)
    }
}

/// What a fault may promise falsely.
impl<F: Fault> OrderFree for Mutant<F> {}
