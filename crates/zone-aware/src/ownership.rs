//! [`Ownership`]: what each node and each zone holds, as the placement has it.

use alloc::vec::Vec;

use keyroute_core::{NodeId, Slot, SlotSet, Walk, WalkDigest, WalkRanges, Zone};

use crate::ZoneAware;
use crate::router::first;
use crate::tally::Tally;

/// What each node and each zone holds at a number of replicas: counted with the placement itself, so that it
/// agrees with [`ZoneAware::place`] for every key.
///
/// Amounts are keys, or positions of the ring; [`share`](Self::share) makes them parts of the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ownership {
    replicas: usize,
    whole: u128,
    nodes: Vec<NodeShare>,
    zones: Vec<ZoneShare>,
}

/// What one node holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeShare {
    /// Its slot.
    pub slot: Slot,
    /// Its id.
    pub id: NodeId,
    /// Its zone.
    pub zone: Option<Zone>,
    /// How much it owns: the first replica is here.
    pub primary: u128,
    /// How much it holds: a replica is here, the first or another.
    pub any: u128,
}

/// What the nodes of one zone hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneShare {
    /// The zone; `None` are the nodes without one.
    pub zone: Option<Zone>,
    /// How much it owns: the first replica is here.
    pub primary: u128,
    /// How much it holds at least once: what can be read while all other zones are down.
    pub any: u128,
    /// How many replicas it holds: more than `any` where replicas share the zone.
    pub replicas: u128,
}

impl Ownership {
    pub(crate) fn new(
        replicas: usize,
        whole: u128,
        nodes: Vec<NodeShare>,
        zones: Vec<ZoneShare>,
    ) -> Self {
        Self {
            replicas,
            whole,
            nodes,
            zones,
        }
    }

    /// The number of replicas that it is about.
    #[must_use]
    pub fn replicas(&self) -> usize {
        self.replicas
    }

    /// All keys that were counted, or all positions of the ring; 2^128 − 1 for a ring of 128 bits, which has
    /// one more.
    #[must_use]
    pub fn whole(&self) -> u128 {
        self.whole
    }

    /// What each node holds, by id; nodes that hold nothing too.
    #[must_use]
    pub fn nodes(&self) -> &[NodeShare] {
        &self.nodes
    }

    /// What each zone holds, by name; the nodes without a zone first.
    #[must_use]
    pub fn zones(&self) -> &[ZoneShare] {
        &self.zones
    }

    /// An amount as a part of the whole, 0 to 1 (of [`ZoneShare::replicas`] more); 0 of nothing.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a report, not a route")]
    pub fn share(&self, amount: u128) -> f64 {
        if self.whole == 0 {
            0.0
        } else {
            amount as f64 / self.whole as f64
        }
    }
}

impl<R: Walk> ZoneAware<R> {
    /// What each node and zone holds of these keys, with `n` replicas. For any strategy. O(keys × n).
    ///
    /// ```
    /// use keyroute_vector_ring::{Node, VectorRing, Zone};
    /// use keyroute_zone_aware::ZoneAware;
    ///
    /// let node = |id: &str, zone: &str| Ok::<_, keyroute_zone_aware::RouteError>(Node::new(id)?.with_zone(Zone::new(zone)?));
    /// let ring = VectorRing::from_nodes([node("a1", "a")?, node("b1", "b")?, node("b2", "b")?])?;
    /// let ownership = ZoneAware::new(ring).ownership_of((0..1000).map(|n| format!("user:{n}")), 2);
    ///
    /// // A replica in each zone: a1 holds all, b1 and b2 share.
    /// let [a1, b1, b2] = ownership.nodes() else { unreachable!() };
    /// assert_eq!((a1.any, b1.any + b2.any), (1000, 1000));
    /// # Ok::<(), keyroute_zone_aware::RouteError>(())
    /// ```
    #[must_use]
    pub fn ownership_of(
        &self,
        keys: impl IntoIterator<Item = impl AsRef<[u8]>>,
        n: usize,
    ) -> Ownership {
        let mut tally = Tally::new(self.members());
        let (mut seen, mut replicas) = (SlotSet::new(), Vec::new());
        for key in keys {
            replicas.clear();
            let mut walk =
                |visit: &mut dyn FnMut(Slot) -> _| self.walk_with(key.as_ref(), &mut seen, visit);
            first(n, &mut walk, &mut |slot| replicas.push(slot));
            tally.count(&replicas, 1);
        }
        tally.report(n)
    }
}

impl<R: WalkRanges> ZoneAware<R> {
    /// What each node and zone holds of all positions, with `n` replicas: exact, without keys. For rings that
    /// search in one direction. O(points × the walk to n replicas).
    ///
    /// ```
    /// use keyroute_core::{Node, Tokens, Zone, hash_fn};
    /// use keyroute_vector_ring::VectorRing;
    /// use keyroute_zone_aware::ZoneAware;
    ///
    /// let tokens = Tokens::new(hash_fn(|key: &[u8]| key.len() as u32))
    ///     .with("in-a", [1000, 20_000, 300_000])?
    ///     .with("in-b", [1001, 20_001, 300_001])?;
    /// let nodes = [("in-a", "a"), ("in-b", "b")].map(|(id, zone)| {
    ///     Ok(Node::new(id)?.with_zone(Zone::new(zone)?))
    /// });
    /// let nodes = nodes.into_iter().collect::<Result<Vec<_>, keyroute_core::RouteError>>()?;
    /// let router = ZoneAware::new(VectorRing::from_nodes_with(tokens, nodes)?);
    ///
    /// let ownership = router.ownership(2);
    /// let [a, b] = ownership.nodes() else { unreachable!() };
    /// assert_eq!((a.primary, b.primary), ((1 << 32) - 3, 3)); // by first replica b is idle …
    /// assert_eq!((a.any, b.any), (1 << 32, 1 << 32));         // … but each zone holds everything
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn ownership(&self, n: usize) -> Ownership {
        let mut tally = Tally::new(self.members());
        let (mut seen, mut replicas) = (SlotSet::new(), Vec::new());
        for range in self.walk_ranges() {
            replicas.clear();
            let mut walk = |visit: &mut dyn FnMut(Slot) -> _| {
                self.walk_value_with(range.through, &mut seen, visit);
            };
            first(n, &mut walk, &mut |slot| replicas.push(slot));
            tally.count(&replicas, range.size().unwrap_or(u128::MAX));
        }
        tally.report(n)
    }
}
