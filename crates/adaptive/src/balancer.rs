//! [`Balancer`]: counters, a policy, and the time that they are asked.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use core::time::Duration;

use keyroute_core::{Node, NodeId, RouteError, Weight};

use crate::{
    Counter, DEFAULT_KEYS, HotKeys, Judgement, LoadCounters, NodeLoad, NodeStat, Policy, Stats,
    Target, Verdict, Window,
};

/// How often a policy is asked unless said.
pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(1);

/// Counts requests by node, and asks a policy every so often what to do about them.
///
/// It reads no clock and starts nothing: [`tick`](Self::tick) says what time it is. With the feature `std`,
/// `Background` is a thread that does.
///
/// A node that joins, returns, or is given other points by somebody else is judged only after a whole window; a
/// node that leaves leaves the totals; a node whose [`Counter`] nobody holds is not judged.
///
/// | operation | cost |
/// | --- | --- |
/// | [`Counter::count`] | one relaxed atomic addition |
/// | [`observe`](Self::observe) | O(log k) for k keys kept |
/// | [`decide`](Self::decide) | between intervals O(1); else O(n log n + k log k) and the policy's |
///
/// ```
/// use std::time::Duration;
///
/// use keyroute_adaptive::{Balancer, Node, Steady, Verdict, Weight};
/// use keyroute_vector_ring::{Native, VectorRing, hash::Xxh3};
///
/// let node = |id: &str| Ok::<_, keyroute_adaptive::RouteError>(Node::new(id)?.with_weight(Weight::new(100)?));
/// let scheme = Native::new(Xxh3).with_points_per_weight(1)?;
/// let mut ring = VectorRing::from_nodes_with(scheme, [node("a")?, node("b")?, node("c")?])?;
///
/// let mut balancer = Balancer::new(Steady::default());
/// let counters = balancer.by_slot(ring.members());
/// balancer.tick(Duration::from_secs(0), &mut ring)?; // the first window begins
/// for requests in [(0, 2000), (1, 1000), (2, 1000)] {
///     counters[requests.0].as_ref().unwrap().add(requests.1);
/// }
/// assert!(balancer.tick(Duration::from_millis(999), &mut ring)?.is_none()); // not yet
/// let round = balancer.tick(Duration::from_secs(1), &mut ring)?.unwrap();
/// assert!(matches!(round.judgement.verdict, Verdict::Move(_)));
/// assert!(ring.points() < 300); // "a" has fewer points now
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
#[derive(Debug)]
pub struct Balancer<P> {
    policy: P,
    interval: Duration,
    asked: Option<Duration>,
    counters: LoadCounters,
    keys: HotKeys,
    seen: BTreeMap<NodeId, Seen>,
    excused: BTreeSet<NodeId>,
}

/// A node that was a member at the last tick.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The points it had then, and those that were planned for it.
    points: Weight,
    planned: Weight,
    /// The points it has from somebody else.
    given: Weight,
    /// Where its counter stood when the window began.
    began: u64,
    /// Whether it was there then.
    whole: bool,
}

/// What one tick came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// The shares of the window that was judged.
    pub stats: Stats,
    /// What the policy says.
    pub judgement: Judgement,
}

impl<P> Balancer<P> {
    /// A balancer that asks this policy once a second.
    #[must_use]
    pub fn new(policy: P) -> Self {
        Self {
            policy,
            interval: DEFAULT_INTERVAL,
            asked: None,
            counters: LoadCounters::new(),
            keys: HotKeys::of(DEFAULT_KEYS),
            seen: BTreeMap::new(),
            excused: BTreeSet::new(),
        }
    }

    /// The same balancer, asking this often.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for no time at all.
    pub fn with_interval(mut self, interval: Duration) -> Result<Self, RouteError> {
        if interval.is_zero() {
            return Err(RouteError::Parameter {
                name: "interval",
                given: format!("{interval:?}"),
                accepted: "a time over 0",
            });
        }
        self.interval = interval;
        Ok(self)
    }

    /// The same balancer, watching keys in this list; one of [`DEFAULT_KEYS`] unless set.
    #[must_use]
    pub fn with_hot_keys(mut self, keys: HotKeys) -> Self {
        self.keys = keys;
        self
    }

    /// How often the policy is asked.
    #[must_use]
    pub fn interval(&self) -> Duration {
        self.interval
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &P {
        &self.policy
    }

    /// The counter of this node. Asking twice gives the same one.
    pub fn counter(&mut self, id: &NodeId) -> Counter {
        self.counters.join(id)
    }

    /// The counters of a router's members, as [`LoadCounters::by_slot`].
    pub fn by_slot(&mut self, members: &keyroute_core::Members) -> Vec<Option<Counter>> {
        self.counters.by_slot(members)
    }

    /// A request for the key of this digest went to this node. Of all requests, or of a fair sample; without any, no
    /// key is found to be hot.
    pub fn observe(&mut self, digest: u64, node: &NodeId) {
        self.keys.observe(digest, node);
    }

    /// These nodes do not take all their keys now: they are down, drained, or start slowly. Each call takes the place
    /// of the last one.
    ///
    /// Who is named is not judged, and afterwards only after a whole window; by the points that it was given before,
    /// as it has not left. [`tick`](Self::tick) asks its target for them.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use keyroute_adaptive::{Balancer, Node, NodeId, Steady, Verdict};
    ///
    /// let nodes = [Node::new("a")?, Node::new("b")?];
    /// let mut balancer = Balancer::new(Steady::default());
    /// let counters = nodes.each_ref().map(|node| balancer.counter(node.id()));
    /// balancer.decide(Duration::ZERO, &nodes);
    /// counters[0].add(5000); // "b" is drained, and has no requests
    /// balancer.excuse([NodeId::new("b")?]);
    /// let round = balancer.decide(Duration::from_secs(1), &nodes).unwrap();
    /// assert_eq!(round.judgement.verdict, Verdict::Even);
    /// # Ok::<(), keyroute_adaptive::RouteError>(())
    /// ```
    pub fn excuse(&mut self, ids: impl IntoIterator<Item = NodeId>) {
        self.excused = ids.into_iter().collect();
        for id in &self.excused {
            if let Some(seen) = self.seen.get_mut(id) {
                seen.whole = false;
            }
        }
    }

    /// Each member's share of the requests of this window so far, those without one included; empty before the
    /// first.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::new(self.counters.members().map(|(id, counter)| NodeStat {
            id: id.clone(),
            requests: counter.since(self.seen.get(id).map_or(0, |seen| seen.began)),
        }))
    }

    /// Notices who joined, who left and whose points somebody else has changed.
    fn follow(&mut self, nodes: &[Node]) {
        let mut before = core::mem::take(&mut self.seen);
        for node in nodes {
            let (id, points) = (node.id(), node.weight());
            let known = before
                .remove(id)
                // Ours, or refused.
                .filter(|seen| points == seen.planned || points == seen.points);
            let seen = if let Some(seen) = known {
                Seen {
                    points,
                    planned: points,
                    ..seen
                }
            } else {
                // What it counted before it was seen, maybe long ago, belongs to no window.
                let began = self.counters.get(id.as_str()).map(|(it, _)| it.get());
                Seen {
                    points,
                    planned: points,
                    given: points,
                    began: began.unwrap_or(0),
                    whole: false,
                }
            };
            self.counters.join(id);
            self.seen.insert(id.clone(), seen);
        }
        for id in before.into_keys() {
            self.counters.leave(id.as_str());
        }
    }

    fn loads(&self) -> Vec<NodeLoad> {
        let load = |(id, seen): (&NodeId, &Seen)| {
            let (counter, held) = self.counters.get(id.as_str())?;
            Some(NodeLoad {
                id: id.clone(),
                points: seen.points,
                given: seen.given,
                requests: counter.since(seen.began),
                whole: seen.whole && held,
            })
        };
        self.seen.iter().filter_map(load).collect()
    }

    fn begin_window(&mut self) {
        self.keys.clear();
        for (id, seen) in &mut self.seen {
            if let Some((counter, _)) = self.counters.get(id.as_str()) {
                seen.began = counter.get();
                seen.whole = !self.excused.contains(id);
            }
        }
    }
}

impl<P: Policy> Balancer<P> {
    /// Judges these nodes, if an interval has passed; `None` before. The caller sets the points, or does not: the
    /// next call sees which.
    ///
    /// The time is counted from wherever the caller likes; one before an earlier one is no time passed. The first
    /// call begins the first window, and judges one without requests, whatever was counted before.
    pub fn decide(&mut self, now: Duration, nodes: &[Node]) -> Option<Round> {
        let due = |asked: Duration| now.saturating_sub(asked) >= self.interval;
        if !self.asked.is_none_or(due) {
            return None;
        }
        self.asked = Some(now);
        self.follow(nodes);
        let loads = self.loads();
        let keys = self.keys.top();
        let judgement = self.policy.judge(&Window {
            nodes: &loads,
            keys: &keys,
            keys_seen: self.keys.seen(),
        });
        if let Verdict::Move(plan) = &judgement.verdict {
            for change in plan.changes() {
                if let Some(seen) = self.seen.get_mut(&change.id) {
                    seen.planned = change.to;
                }
            }
        }
        let stats = Stats::new(loads.iter().map(|load| NodeStat {
            id: load.id.clone(),
            requests: load.requests,
        }));
        if judgement.closes || !loads.iter().any(|load| load.whole) {
            self.begin_window();
        }
        Some(Round { stats, judgement })
    }

    /// Judges the target's nodes, if an interval has passed, and sets their points; `None` before.
    ///
    /// # Errors
    ///
    /// What the target refuses; its points are as they were, and the next window is judged by those.
    pub fn tick(
        &mut self,
        now: Duration,
        mut target: impl Target,
    ) -> Result<Option<Round>, RouteError> {
        let nodes = target.nodes();
        self.excuse(target.excused());
        let round = self.decide(now, &nodes);
        if let Some(Verdict::Move(plan)) = round.as_ref().map(|it| &it.judgement.verdict) {
            target.set_points(plan.changes())?;
        }
        Ok(round)
    }
}
