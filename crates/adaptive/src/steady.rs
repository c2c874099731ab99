//! [`Steady`]: evens out nodes, and then rests.

mod config;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use keyroute_core::{NodeId, RouteError, Weight};

use crate::deviation::{Deviation, Fleet};
use crate::{Change, HotKey, Judgement, NodeLoad, Plan, Policy, Verdict, Window};

pub use config::SteadyConfig;

/// The smallest step is a 64th of what is missing.
const MAX_DAMPING: u32 = 6;

/// Evens out nodes in few, ever smaller steps, and then leaves them alone.
///
/// - **Fair share.** Of the requests of all judged nodes, in proportion to the points that each was *given*.
///   Newcomers and nodes that nobody counts for are not judged, and are in no average.
/// - **Hot keys** are reported, and count for nothing in their nodes' loads: no number of points divides one key.
///   Keys of half that frequency and less count in full, those between in part.
/// - **Chance.** A node is off only if it is further off than [`certainty`](SteadyConfig::certainty) standard
///   deviations of a binomial count. Until then the window goes on.
/// - **Hysteresis.** It begins where a node is off by more than [`threshold`](SteadyConfig::threshold), and goes on
///   until all are within [`settled`](SteadyConfig::settled), but for chance.
/// - **Damping.** A step is half of what is missing, and half as much again each time a node swings to the other
///   side of its share.
/// - **An end.** When the step that is due is less than a point, nodes stand at their bounds, or the worst node has
///   not come closer for [`patience`](SteadyConfig::patience) rounds, it ends too. Whatever the end, what is left is
///   accepted, and it begins anew only when a node has drifted from that by more than `threshold − settled` and chance together.
/// - **Movement.** The points that come and go in a round are at most [`movement`](SteadyConfig::movement) of all
///   points; the nodes that are furthest off go first.
///
/// All in integers. A judgement takes O(n log n + k log n) for n nodes and k keys.
///
/// ```
/// use keyroute_adaptive::{NodeId, NodeLoad, Policy, Steady, Verdict, Weight, Window};
///
/// let hundred = Weight::new(100)?;
/// let node = |id: &str, requests| Ok::<_, keyroute_adaptive::RouteError>(NodeLoad {
///     id: NodeId::new(id)?, points: hundred, given: hundred, requests, whole: true,
/// });
/// let nodes = [node("a", 2000)?, node("b", 1000)?, node("c", 1000)?, node("d", 1000)?];
/// let mut steady = Steady::default();
/// let Verdict::Move(plan) = steady.judge(&Window { nodes: &nodes, keys: &[], keys_seen: 0 }).verdict else {
///     unreachable!()
/// };
/// // a has 1.6 times its share: 62 points would be right, half the way is 81.
/// assert_eq!((plan.changes()[0].id.as_str(), plan.changes()[0].to.get()), ("a", 81));
/// assert!(plan.movement_thousandths() <= 100);
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Steady {
    config: SteadyConfig,
    /// `None` at rest.
    moving: Option<Moving>,
    nodes: BTreeMap<NodeId, History>,
}

/// How the evening out has gone so far.
#[derive(Clone, Copy, Debug)]
struct Moving {
    rounds: u32,
    /// How far the worst node was off at best, in thousandths, and for how many rounds none was better.
    best: u64,
    stale: u32,
}

impl Moving {
    const BEGIN: Self = Self {
        rounds: 0,
        best: u64::MAX,
        stale: 0,
    };

    /// One more round, in which the worst node is off by so much.
    fn next(self, worst: u64) -> Self {
        let better = worst < self.best;
        Self {
            rounds: self.rounds.saturating_add(1),
            best: self.best.min(worst),
            stale: if better { 0 } else { self.stale + 1 },
        }
    }
}

/// What is remembered of a node between windows.
#[derive(Clone, Copy, Debug, Default)]
struct History {
    /// How often the step was halved beyond the first time.
    damping: u32,
    /// The side of its share on which it was moved last: −1, 0 (never), 1.
    side: i64,
    /// How far it was off when it was last accepted.
    accepted: Option<i64>,
}

/// A node that is judged.
struct Judged<'a> {
    node: &'a NodeLoad,
    deviation: Deviation,
}

impl Steady {
    /// The policy under these settings.
    ///
    /// # Errors
    ///
    /// As [`SteadyConfig::check`].
    pub fn new(config: SteadyConfig) -> Result<Self, RouteError> {
        config.check()?;
        Ok(Self {
            config,
            ..Self::default()
        })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &SteadyConfig {
        &self.config
    }

    /// Whether it is evening out, rather than at rest.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.moving.is_some()
    }

    fn is_over_threshold(&self, judged: &Judged<'_>) -> bool {
        judged.deviation.thousandths.unsigned_abs() > self.config.threshold.into()
    }

    /// Whether a deviation this large calls for a beginning.
    fn calls(&self, judged: &Judged<'_>) -> bool {
        let drift = u64::from(self.config.threshold - self.config.settled);
        let drift = drift.saturating_add(judged.deviation.chance);
        let accepted = self.history(&judged.node.id).accepted;
        let off = judged.deviation.thousandths;
        self.is_over_threshold(judged)
            && accepted.is_none_or(|accepted| off.abs_diff(accepted) > drift)
    }

    /// Whether a deviation this large is to be worked at, once begun.
    fn remains(&self, judged: &Judged<'_>) -> bool {
        judged.deviation.thousandths.unsigned_abs() > self.config.settled.into()
    }

    fn history(&self, id: &NodeId) -> History {
        self.nodes.get(id).copied().unwrap_or_default()
    }

    /// What to do about nodes that are off. `judged` by id.
    fn verdict(&mut self, judged: &[Judged<'_>], points: u64) -> Verdict {
        self.nodes
            .retain(|id, _| judged.binary_search_by(|it| it.node.id.cmp(id)).is_ok());
        let worth = |it: &&Judged<'_>| match self.moving {
            Some(_) => self.remains(it),
            None => self.calls(it),
        };
        let off: Vec<&Judged<'_>> = judged.iter().filter(worth).collect();
        let certain = off.iter().any(|it| it.deviation.significant);
        if !certain && off.iter().any(|it| self.is_over_threshold(it)) {
            return Verdict::Unclear;
        }
        // What is left within the threshold may be chance: no reason to go on.
        if !certain {
            if self.moving.is_some() {
                self.accept(judged);
            }
            return Verdict::Even;
        }
        if self.moving.is_none() {
            self.nodes.clear();
        }
        let worst =
            |worst: u64, it: &Judged<'_>| worst.max(it.deviation.thousandths.unsigned_abs());
        let moving = self.moving.unwrap_or(Moving::BEGIN);
        let moving = moving.next(judged.iter().fold(0, worst));
        let gives_up =
            moving.rounds > self.config.max_rounds || moving.stale >= self.config.patience;
        let changes = if gives_up {
            Vec::new()
        } else {
            self.steps(judged, points)
        };
        if changes.is_empty() {
            self.accept(judged);
            return Verdict::Stuck;
        }
        self.moving = Some(moving);
        Verdict::Move(Plan::new(changes, points))
    }

    /// The steps that are due, by id, within the movement of a round.
    fn steps(&mut self, judged: &[Judged<'_>], points: u64) -> Vec<Change> {
        let mut off: Vec<&Judged<'_>> = judged
            .iter()
            .filter(|it| self.remains(it) && it.deviation.significant)
            .collect();
        off.sort_by_key(|it| {
            let off = it.deviation.thousandths.unsigned_abs();
            (Reverse(off), &it.node.id)
        });
        let budget = u128::from(points) * u128::from(self.config.movement) / 1000;
        let mut budget = u64::try_from(budget).unwrap_or(u64::MAX);
        let mut changes = Vec::new();
        for it in off {
            let from = it.node.points.get();
            let step = self.step(it);
            let granted = u64::from(step.abs_diff(from)).min(budget);
            budget -= granted;
            let granted = u32::try_from(granted).unwrap_or(u32::MAX);
            let to = if step > from {
                from.saturating_add(granted)
            } else {
                from - granted
            };
            // Bounds are at least 1.
            if let (Ok(to), true) = (Weight::new(to), to != from) {
                changes.push(Change {
                    id: it.node.id.clone(),
                    from: it.node.points,
                    to,
                });
            }
        }
        changes.sort_by(|a, b| a.id.cmp(&b.id));
        changes
    }

    /// The points that a node should have next. A swing to the other side damps it.
    fn step(&mut self, it: &Judged<'_>) -> u32 {
        let side = it.deviation.thousandths.signum();
        let history = self.nodes.entry(it.node.id.clone()).or_default();
        if history.side == -side {
            history.damping = (history.damping + 1).min(MAX_DAMPING);
        }
        history.side = side;
        let now = i64::from(it.node.points.get());
        // Its load over its share; one round at most halves or doubles.
        let ratio = it.deviation.thousandths.clamp(-500, 1000) + 1000;
        let missing = now * 1000 / ratio - now;
        let next = now + missing / (2 << history.damping);
        let (least, most) = self.config.bounds(it.node.given);
        u32::try_from(next).unwrap_or(u32::MAX).clamp(least, most)
    }

    /// Comes to rest with what is left.
    fn accept(&mut self, judged: &[Judged<'_>]) {
        self.moving = None;
        self.nodes.clear();
        for it in judged {
            let accepted = History {
                accepted: Some(it.deviation.thousandths),
                ..History::default()
            };
            self.nodes.insert(it.node.id.clone(), accepted);
        }
    }

    /// Takes what does not count of the hottest keys out of `requests`, which are the nodes' by place, and gives the
    /// hot ones, hottest first.
    fn take_hot(
        &self,
        window: &Window<'_>,
        fleet: &mut Fleet,
        requests: &mut [u64],
    ) -> Vec<HotKey> {
        let requests_of = |sum: u64, node: &NodeLoad| sum.saturating_add(node.requests);
        let all = u128::from(window.nodes.iter().fold(0, requests_of));
        let certain = u64::from(self.config.certainty) * u64::from(self.config.certainty);
        let mut hot = Vec::new();
        for key in window.keys {
            let found = window.nodes.binary_search_by(|it| it.id.cmp(&key.node));
            let Ok(place) = found else { continue };
            let node = &window.nodes[place];
            if !node.whole || key.requests < certain {
                continue;
            }
            // Of a sample, as much of the window.
            let load = u128::from(key.requests) * all / u128::from(window.keys_seen.max(1));
            let load = u64::try_from(load).unwrap_or(u64::MAX).min(requests[place]);
            let limit = fleet.part_of_fair(node.given.get(), self.config.hot_key);
            let uncounted = load - counted(load, limit);
            requests[place] -= uncounted;
            fleet.requests -= uncounted;
            if load > limit {
                hot.push(HotKey {
                    digest: key.digest,
                    node: key.node.clone(),
                    requests: load,
                });
            }
        }
        hot
    }
}

/// How much of a key counts as its node's load: all up to half of the limit, and from there on less and less, down to
/// nothing at the limit. Without a step: chance moves a key about the limit to and fro, and must not move its node.
fn counted(load: u64, limit: u64) -> u64 {
    load.min(limit.saturating_sub(load))
}

impl Policy for Steady {
    fn judge(&mut self, window: &Window<'_>) -> Judgement {
        let whole = || window.nodes.iter().filter(|node| node.whole);
        let mut fleet = Fleet {
            requests: whole().fold(0, |sum, node| sum.saturating_add(node.requests)),
            given: whole().map(|node| u64::from(node.given.get())).sum(),
            certainty: self.config.certainty,
        };
        let (samples, needed) = (fleet.requests, self.config.min_samples);
        if samples < needed {
            return Judgement {
                verdict: Verdict::TooFew { samples, needed },
                hot: Vec::new(),
                closes: false,
            };
        }
        let mut requests: Vec<u64> = window.nodes.iter().map(|node| node.requests).collect();
        let hot = self.take_hot(window, &mut fleet, &mut requests);
        let judged: Vec<Judged<'_>> = window
            .nodes
            .iter()
            .zip(&requests)
            .filter(|(node, _)| node.whole)
            .map(|(node, &requests)| Judged {
                node,
                deviation: fleet.deviation(requests, node.given.get()),
            })
            .collect();
        let points = window.nodes.iter().map(|it| u64::from(it.points.get()));
        let verdict = self.verdict(&judged, points.sum());
        let closes = verdict != Verdict::Unclear;
        Judgement {
            verdict,
            hot,
            closes,
        }
    }
}
