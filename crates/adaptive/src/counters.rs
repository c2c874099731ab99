//! [`LoadCounters`]: requests by node.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use keyroute_core::{Members, NodeId};

use crate::{NodeStat, Stats};

/// Counts the requests of one node: a handle, to be kept where the node is picked.
///
/// Clones count into the same place, on a cache line of its own. Counting is one relaxed addition: no lock, no
/// search, no memory. The handle of a node that left still counts, and nobody sees it.
///
/// On targets of 32 bits a count wraps at 2^32, which no window notices that holds fewer.
///
/// ```
/// use keyroute_adaptive::{LoadCounters, NodeId};
///
/// let counter = LoadCounters::new().join(&NodeId::new("cache-1")?);
/// std::thread::scope(|scope| {
///     for _ in 0..2 {
///         scope.spawn(|| (0..1000).for_each(|_| counter.count()));
///     }
/// });
/// assert_eq!(counter.get(), 2000);
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Counter(Arc<Line>);

// Twice a line of 64 bytes: processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Line(AtomicUsize);

impl Counter {
    fn new() -> Self {
        Self(Arc::default())
    }

    /// Counts one request.
    #[inline]
    pub fn count(&self) {
        self.add(1);
    }

    /// Counts so many requests.
    #[inline]
    pub fn add(&self, requests: usize) {
        self.0.0.fetch_add(requests, Ordering::Relaxed);
    }

    /// The requests counted so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.0.load(Ordering::Relaxed) as u64
    }

    /// The requests counted since it stood at `before`.
    pub(crate) fn since(&self, before: u64) -> u64 {
        let now = self.0.0.load(Ordering::Relaxed);
        now.wrapping_sub(usize::try_from(before).unwrap_or(0)) as u64
    }

    /// Whether anybody but the registry has it. If nobody does, nobody counts.
    fn is_held(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

/// The counters of the nodes that are members.
///
/// | operation | cost |
/// | --- | --- |
/// | [`Counter::count`] | one relaxed atomic addition |
/// | [`join`](Self::join), [`leave`](Self::leave) | O(log n); a newcomer's 128 bytes |
/// | [`stats`](Self::stats) | O(n) |
///
/// A node that leaves is out of the totals at once. If it returns while somebody still has its handle, that handle
/// counts for it again.
///
/// ```
/// use keyroute_adaptive::{LoadCounters, NodeId};
///
/// let mut counters = LoadCounters::new();
/// let (a, b) = (counters.join(&NodeId::new("a")?), counters.join(&NodeId::new("b")?));
/// assert!(counters.stats().is_empty()); // nothing was asked yet
/// a.add(3);
/// counters.join(&NodeId::new("a")?).count(); // the same counter
/// assert_eq!(counters.stats().share("a"), Some(1.0));
/// assert_eq!(counters.stats().share("b"), Some(0.0));
/// counters.leave("a");
/// b.count();
/// assert_eq!(counters.stats().total(), 1);
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
#[derive(Debug, Default)]
pub struct LoadCounters {
    nodes: BTreeMap<NodeId, Entry>,
}

#[derive(Debug)]
struct Entry {
    counter: Counter,
    member: bool,
}

impl LoadCounters {
    /// No counters.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The counter of this node, which joins if it is not there: joining twice is joining once.
    pub fn join(&mut self, id: &NodeId) -> Counter {
        let entry = self.nodes.entry(id.clone()).or_insert_with(|| Entry {
            counter: Counter::new(),
            member: true,
        });
        entry.member = true;
        entry.counter.clone()
    }

    /// The counters of a router's members by the index of their slots; `None` where a slot is free.
    ///
    /// ```
    /// use keyroute_adaptive::LoadCounters;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let ring = VectorRing::from_ids(["a", "b"])?;
    /// let mut counters = LoadCounters::new();
    /// let by_slot = counters.by_slot(ring.members());
    /// let slot = ring.route(b"user:1").unwrap();
    /// by_slot[slot.index() as usize].as_ref().unwrap().count();
    /// assert_eq!(counters.stats().total(), 1);
    /// # Ok::<(), keyroute_adaptive::RouteError>(())
    /// ```
    pub fn by_slot(&mut self, members: &Members) -> Vec<Option<Counter>> {
        let mut counters = Vec::new();
        counters.resize_with(members.slot_bound(), || None);
        for (slot, node) in members.iter() {
            counters[slot.index() as usize] = Some(self.join(node.id()));
        }
        counters
    }

    /// The node leaves the totals. Gives whether it was a member; leaving twice is leaving once.
    pub fn leave(&mut self, id: &str) -> bool {
        let Some(entry) = self.nodes.get_mut(id) else {
            return false;
        };
        let was = core::mem::replace(&mut entry.member, false);
        // Handles may count on, for a node that returns: their place is kept as long as there is one.
        self.nodes
            .retain(|_, entry| entry.member || entry.counter.is_held());
        was
    }

    /// What was counted of each member since its counter began, those without a request too; empty before the first
    /// request.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::new(self.members().map(|(id, counter)| NodeStat {
            id: id.clone(),
            requests: counter.get(),
        }))
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = (&NodeId, &Counter)> {
        let members = self.nodes.iter().filter(|(_, entry)| entry.member);
        members.map(|(id, entry)| (id, &entry.counter))
    }

    /// The counter of a member, and whether anybody counts with it.
    pub(crate) fn get(&self, id: &str) -> Option<(&Counter, bool)> {
        let entry = self.nodes.get(id).filter(|entry| entry.member)?;
        Some((&entry.counter, entry.counter.is_held()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: &str) -> NodeId {
        NodeId::new(id).unwrap()
    }

    #[test]
    fn joining_and_leaving_twice_is_once() {
        let mut counters = LoadCounters::new();
        let first = counters.join(&id("a"));
        let second = counters.join(&id("a"));
        first.count();
        second.count();
        assert_eq!(counters.stats().total(), 2);
        assert!(counters.leave("a"));
        assert!(!counters.leave("a"));
        assert!(!counters.leave("stranger"));
        assert!(counters.stats().is_empty());
        first.count(); // no panic, and nobody sees it
        assert!(counters.stats().is_empty());
    }

    #[test]
    fn a_handle_that_is_kept_counts_for_a_node_that_returns() {
        let mut counters = LoadCounters::new();
        let kept = counters.join(&id("a"));
        counters.leave("a");
        counters.join(&id("a"));
        kept.count();
        assert_eq!(counters.stats().total(), 1);
    }

    #[test]
    fn nodes_that_left_take_no_memory_once_their_handles_are_gone() {
        let mut counters = LoadCounters::new();
        for number in 0..100 {
            let node = id(&alloc::format!("n{number}"));
            drop(counters.join(&node));
            counters.leave(node.as_str());
        }
        assert_eq!(counters.nodes.len(), 0);
    }

    #[test]
    fn differences_survive_wrapping() {
        let counter = Counter::new();
        counter.add(usize::MAX);
        let before = counter.get();
        counter.add(5);
        assert_eq!(counter.since(before), 5);
    }
}
