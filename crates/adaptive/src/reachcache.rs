//! [`ReachCacheRebalance`]: the rule of another system, as it was meant.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use keyroute_core::{RouteError, Weight};

use crate::{Change, Judgement, Plan, Policy, Verdict, Window};

/// The settings of [`ReachCacheRebalance`], under that system's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReachCacheConfig {
    /// How far a node may be off, over the average: 0.25. Exactly that is accepted.
    pub threshold: f64,
    /// How many requests it takes: 1000.
    pub min_samples: u64,
    /// The fewest points a node may have: 10.
    pub min_replicas: u32,
    /// The most points a node may have: 200.
    pub max_replicas: u32,
    /// The points of a node that joins: 50.
    pub default_replicas: u32,
}

impl Default for ReachCacheConfig {
    fn default() -> Self {
        Self {
            threshold: 0.25,
            min_samples: 1000,
            min_replicas: 10,
            max_replicas: 200,
            default_replicas: 50,
        }
    }
}

/// The rule of `vernmorn/reachcache`: a node that has r times the average goes to `points / r` if r is over 1,
/// to `points × (2 − r)` otherwise, whenever some node is off by more than the threshold.
///
/// For fleets that must agree with that system, and to compare with. It settles only by luck, takes a newcomer for
/// an idle node and drives a hot key's node to its bounds; [`Steady`](crate::Steady) does not.
///
/// Nodes that left are not in a window, so they leave the average too (there they stay in the total). It does not
/// lock up, since it knows no lock.
///
/// The arithmetic is that system's: IEEE doubles, `+ − × ÷` and truncation, the same on every machine.
///
/// Source: `consistenthash/consistenthash.go`, v0.0.2.
///
/// ```
/// use keyroute_adaptive::{NodeId, NodeLoad, Policy, ReachCacheRebalance, Verdict, Weight, Window};
///
/// let fifty = Weight::new(50)?;
/// let node = |id: &str, requests| Ok::<_, keyroute_adaptive::RouteError>(NodeLoad {
///     id: NodeId::new(id)?, points: fifty, given: fifty, requests, whole: true,
/// });
/// let nodes = [node("a", 2000)?, node("b", 500)?, node("c", 500)?];
/// let window = Window { nodes: &nodes, keys: &[], keys_seen: 0 };
/// let Verdict::Move(plan) = ReachCacheRebalance::default().judge(&window).verdict else { unreachable!() };
/// let to: Vec<u32> = plan.changes().iter().map(|change| change.to.get()).collect();
/// assert_eq!(to, [25, 75, 75]);
/// # Ok::<(), keyroute_adaptive::RouteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReachCacheRebalance {
    config: ReachCacheConfig,
}

impl ReachCacheRebalance {
    /// The rule under these settings.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a threshold that is not a positive number, for 0 samples, for 0 points, or
    /// where the points do not stand in the order minimum, default, maximum.
    pub fn new(config: ReachCacheConfig) -> Result<Self, RouteError> {
        let refuse = |name, given, accepted| {
            Err(RouteError::Parameter {
                name,
                given,
                accepted,
            })
        };
        let ReachCacheConfig {
            threshold,
            min_samples,
            min_replicas,
            max_replicas,
            default_replicas,
        } = config;
        // Not `<= 0`: NaN is neither.
        if !(threshold > 0.0 && threshold.is_finite()) {
            return refuse("threshold", format!("{threshold:?}"), "a number over 0");
        }
        if min_samples == 0 {
            return refuse("min_samples", min_samples.to_string(), "1 or more");
        }
        if min_replicas == 0 {
            return refuse("min_replicas", min_replicas.to_string(), "1 or more");
        }
        if max_replicas < min_replicas {
            let given = format!("{max_replicas}, under min_replicas {min_replicas}");
            return refuse("max_replicas", given, "min_replicas or more");
        }
        if !(min_replicas..=max_replicas).contains(&default_replicas) {
            let given = format!("{default_replicas}, outside {min_replicas} to {max_replicas}");
            return refuse(
                "default_replicas",
                given,
                "from min_replicas to max_replicas",
            );
        }
        Ok(Self { config })
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &ReachCacheConfig {
        &self.config
    }

    /// The points of a node that joins.
    #[must_use]
    pub fn default_points(&self) -> Weight {
        // Refused unless it is at least 1.
        Weight::new(self.config.default_replicas).unwrap_or_default()
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "toward zero, as there; never negative, and clamped"
    )]
    fn points(&self, now: Weight, ratio: f64) -> Weight {
        let now = f64::from(now.get());
        let wanted = if ratio > 1.0 {
            now / ratio
        } else {
            now * (2.0 - ratio)
        };
        let points = (wanted as u32).clamp(self.config.min_replicas, self.config.max_replicas);
        Weight::new(points).unwrap_or_default()
    }
}

impl Policy for ReachCacheRebalance {
    #[expect(
        clippy::cast_precision_loss,
        reason = "doubles, as there: exact below 2^53"
    )]
    fn judge(&mut self, window: &Window<'_>) -> Judgement {
        let nodes = window.nodes;
        let samples = nodes
            .iter()
            .fold(0, |sum: u64, node| sum.saturating_add(node.requests));
        let goes_on = |verdict| Judgement {
            verdict,
            hot: Vec::new(),
            closes: false,
        };
        let needed = self.config.min_samples;
        if samples < needed {
            return goes_on(Verdict::TooFew { samples, needed });
        }
        let average = samples as f64 / nodes.len() as f64;
        let off = |requests: u64| {
            let off = requests as f64 - average;
            (if off < 0.0 { -off } else { off }) / average
        };
        if !nodes
            .iter()
            .any(|node| off(node.requests) > self.config.threshold)
        {
            return goes_on(Verdict::Even);
        }
        let changes: Vec<Change> = nodes
            .iter()
            .map(|node| Change {
                id: node.id.clone(),
                from: node.points,
                to: self.points(node.points, node.requests as f64 / average),
            })
            .filter(|change| change.from != change.to)
            .collect();
        let verdict = if changes.is_empty() {
            Verdict::Stuck
        } else {
            let points = nodes.iter().map(|node| u64::from(node.points.get())).sum();
            Verdict::Move(Plan::new(changes, points))
        };
        Judgement {
            verdict,
            hot: Vec::new(),
            closes: true,
        }
    }
}
