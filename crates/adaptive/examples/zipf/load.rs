//! A fleet under a load that is known to the request, and what a policy makes of it.

use std::collections::BTreeSet;
use std::time::Duration;

use keyroute_adaptive::{Balancer, Change, Node, Policy, RouteError, Verdict, Weight};
use keyroute_vector_ring::{Native, VectorRing, hash::Xxh3};

use crate::random::SplitMix;

/// How often each key is asked for, over all keys; the most frequent first.
pub(crate) struct Load {
    weights: Vec<u64>,
    up_to: Vec<u64>,
}

impl Load {
    /// Key r, from 1, has 1/r of the first one's requests.
    pub(crate) fn zipf(keys: u64) -> Self {
        Self::of((1..=keys).map(|rank| (1 << 40) / rank).collect())
    }

    /// One key has half of all requests; the others share the rest evenly.
    pub(crate) fn one_hot(keys: u64) -> Self {
        let others = (1..keys).map(|_| 1 << 20);
        Self::of(std::iter::once((keys - 1) << 20).chain(others).collect())
    }

    fn of(weights: Vec<u64>) -> Self {
        let up_to = weights
            .iter()
            .scan(0, |sum, weight| {
                *sum += weight;
                Some(*sum)
            })
            .collect();
        Self { weights, up_to }
    }

    fn total(&self) -> u64 {
        self.up_to[self.up_to.len() - 1]
    }

    fn keys(&self) -> usize {
        self.weights.len()
    }

    fn draw(&self, random: &mut SplitMix) -> usize {
        let at = random.next() % self.total();
        self.up_to.partition_point(|&up_to| up_to <= at)
    }

    /// What counts of each key as its node's load, by the rule of `Steady`: nothing of those that have over a quarter
    /// of what a node should have, all of those below an eighth, less and less between.
    fn counted(&self, nodes: u64) -> Vec<u64> {
        let mut rest = self.total();
        let count = |&weight: &u64| {
            let counts = weight.min((rest / (4 * nodes)).saturating_sub(weight));
            rest -= weight - counts;
            counts
        };
        self.weights.iter().map(count).collect()
    }
}

/// How a run goes.
pub(crate) struct Setting {
    pub(crate) nodes: u32,
    pub(crate) points: u32,
    pub(crate) rounds: u32,
    pub(crate) requests: u32,
    pub(crate) seed: u64,
}

/// What became of one round.
pub(crate) struct Step {
    pub(crate) verdict: Verdict,
    /// The digests of keys that were reported as hot: their numbers, from 0.
    pub(crate) hot: Vec<u64>,
    /// The points of each node after it.
    pub(crate) points: Vec<u32>,
    /// The requests that each node is to expect after it, over its fair share, 1 is even: of the most loaded one.
    pub(crate) peak: f64,
    /// The same of what counts: see [`Load::counted`].
    pub(crate) counted_peak: f64,
    /// The part of all keys that moved.
    pub(crate) moved_keys: f64,
    /// The part of all requests whose keys moved.
    pub(crate) moved_requests: f64,
}

impl Step {
    pub(crate) fn moves(&self) -> bool {
        matches!(self.verdict, Verdict::Move(_))
    }
}

/// A run, and its state before the first round.
pub(crate) struct Run {
    pub(crate) peak_before: f64,
    pub(crate) counted_peak_before: f64,
    pub(crate) steps: Vec<Step>,
}

impl Run {
    /// The rounds until the last that moved anything, that one included.
    pub(crate) fn settled_after(&self) -> usize {
        self.steps
            .iter()
            .rposition(Step::moves)
            .map_or(0, |it| it + 1)
    }

    pub(crate) fn moving_rounds(&self) -> usize {
        self.steps.iter().filter(|step| step.moves()).count()
    }

    pub(crate) fn moved_keys(&self) -> f64 {
        self.steps.iter().map(|step| step.moved_keys).sum()
    }

    pub(crate) fn moved_requests(&self) -> f64 {
        self.steps.iter().map(|step| step.moved_requests).sum()
    }

    pub(crate) fn last(&self) -> &Step {
        &self.steps[self.steps.len() - 1]
    }
}

/// The owner of each key.
type Owners = Vec<usize>;

fn owners(ring: &VectorRing<Native<Xxh3>>, load: &Load) -> Owners {
    let owner = |key: usize| {
        let slot = ring.route(&(key as u64).to_le_bytes());
        slot.expect("the ring has nodes").index() as usize
    };
    (0..load.keys()).map(owner).collect()
}

/// The load of the most loaded node over the fair share, of keys with these weights.
fn peak(owners: &Owners, weights: &[u64], nodes: u32) -> f64 {
    let mut of_node = vec![0u64; nodes as usize];
    for (&owner, weight) in owners.iter().zip(weights) {
        of_node[owner] += weight;
    }
    let all: u64 = of_node.iter().sum();
    let most = of_node.iter().max().copied().unwrap_or(0);
    most as f64 * f64::from(nodes) / all as f64
}

fn moved(before: &Owners, after: &Owners, load: &Load) -> (f64, f64) {
    let changed = |&key: &usize| before[key] != after[key];
    let keys: Vec<usize> = (0..load.keys()).filter(changed).collect();
    let requests: u64 = keys.iter().map(|&key| load.weights[key]).sum();
    (
        keys.len() as f64 / load.keys() as f64,
        requests as f64 / load.total() as f64,
    )
}

/// Lets this policy balance a ring under this load.
pub(crate) fn run<P: Policy>(policy: P, load: &Load, setting: &Setting) -> Result<Run, RouteError> {
    let points = Weight::new(setting.points)?;
    let nodes: Result<Vec<Node>, RouteError> = (0..setting.nodes)
        .map(|number| Ok(Node::new(format!("node-{number:02}"))?.with_weight(points)))
        .collect();
    let nodes = nodes?;
    let scheme = Native::new(Xxh3).with_points_per_weight(1)?;
    let mut ring = VectorRing::from_nodes_with(scheme, nodes.clone())?;
    let mut balancer = Balancer::new(policy);
    let counters = balancer.by_slot(ring.members());
    let mut random = SplitMix(setting.seed);
    let counted = load.counted(setting.nodes.into());
    let mut owner = owners(&ring, load);
    let mut run = Run {
        peak_before: peak(&owner, &load.weights, setting.nodes),
        counted_peak_before: peak(&owner, &counted, setting.nodes),
        steps: Vec::new(),
    };
    balancer.tick(Duration::ZERO, &mut ring)?;
    for round in 1..=setting.rounds {
        for _ in 0..setting.requests {
            let key = load.draw(&mut random);
            if let Some(counter) = &counters[owner[key]] {
                counter.count();
            }
            balancer.observe(key as u64, nodes[owner[key]].id());
        }
        let now = Duration::from_secs(round.into());
        let Some(done) = balancer.tick(now, &mut ring)? else {
            continue;
        };
        let judgement = done.judgement;
        let (mut moved_keys, mut moved_requests) = (0.0, 0.0);
        if matches!(judgement.verdict, Verdict::Move(_)) {
            let after = owners(&ring, load);
            (moved_keys, moved_requests) = moved(&owner, &after, load);
            owner = after;
        }
        run.steps.push(Step {
            verdict: judgement.verdict,
            hot: judgement.hot.iter().map(|key| key.digest).collect(),
            points: ring
                .members()
                .iter()
                .map(|(_, it)| it.weight().get())
                .collect(),
            peak: peak(&owner, &load.weights, setting.nodes),
            counted_peak: peak(&owner, &counted, setting.nodes),
            moved_keys,
            moved_requests,
        });
    }
    Ok(run)
}

/// The different nodes that a run's plans changed.
pub(crate) fn touched(run: &Run) -> usize {
    let plans = run.steps.iter().filter_map(|step| match &step.verdict {
        Verdict::Move(plan) => Some(plan.changes()),
        _ => None,
    });
    let ids: BTreeSet<&str> = plans
        .flatten()
        .map(|change: &Change| change.id.as_str())
        .collect();
    ids.len()
}
