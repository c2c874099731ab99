//! [`Study`]: one fleet, one set of keys, and what each strategy makes of them.

use std::hint::black_box;
use std::time::Duration;

use keyroute::{KeyHasher, Node, Router};

use super::clock::{Beside, median, timed};
use super::{
    Balance, Directions, KeyArena, Loaded, Movement, Numbering, ReplicaChange, Scenario, ratio,
};
use crate::fleet::Settings;
use crate::hashes::AnyHash;
use crate::progress::Progress;
use crate::strategy::{Choice, Refusal, Strategy};

/// At least this many keys are looked up…
const FEWEST_LOOKUPS: usize = 100_000;

/// …and at most this many…
const MOST_LOOKUPS: usize = 1_000_000;

/// …in blocks of this many: long beside the clock's grain, short beside what else a machine does.
const BLOCK: usize = 4096;

/// What is the same for all strategies.
#[derive(Debug)]
pub(crate) struct Study<'a> {
    pub(crate) settings: Settings,
    pub(crate) nodes: &'a [Node],
    pub(crate) keys: &'a KeyArena,
    pub(crate) scenarios: &'a [Scenario],
    /// How many replicas a key has.
    pub(crate) replicas: usize,
    /// Whether to take times, which no two runs share.
    pub(crate) timing: bool,
}

/// What one strategy made of it. `Err` holds the reason of a refusal.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) strategy: Choice,
    pub(crate) balance: Result<Balance, String>,
    pub(crate) loaded: Result<Loaded, String>,
    pub(crate) cost: Result<Cost, String>,
    /// One for each scenario.
    pub(crate) outcomes: Vec<Outcome>,
}

/// What routing costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) heap_bytes: u64,
    pub(crate) times: Option<Times>,
}

/// Medians of several rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    /// Building the router.
    pub(crate) build: Duration,
    /// One lookup, in nanoseconds.
    pub(crate) lookup_ns: f64,
    /// The same, hashing the key being 1.
    pub(crate) lookup_over_hash: f64,
}

/// What a change did.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) movement: Result<Movement, String>,
    pub(crate) replicas: Result<ReplicaChange, String>,
    /// How long the change took, if it was made and times are taken.
    pub(crate) took: Option<Duration>,
}

impl Outcome {
    fn refused(reason: &str) -> Self {
        Self {
            movement: Err(reason.into()),
            replicas: Err(reason.into()),
            took: None,
        }
    }
}

impl Study<'_> {
    /// How many passes over the keys a strategy takes at most, for a progress bar.
    pub(crate) fn passes(&self) -> u64 {
        3 + 2 * self.scenarios.len() as u64
    }

    /// Measures one strategy.
    pub(crate) fn of(&self, strategy: &Choice, progress: &mut Progress) -> Findings {
        match self.build(strategy) {
            Ok(router) => self.measure(strategy, &*router, progress),
            Err(refusal) => {
                progress.advance(self.passes() * self.keys.len() as u64);
                let reason = refusal.to_string();
                Findings {
                    strategy: strategy.clone(),
                    balance: Err(reason.clone()),
                    loaded: Err(reason.clone()),
                    cost: Err(reason.clone()),
                    outcomes: self
                        .scenarios
                        .iter()
                        .map(|_| Outcome::refused(&reason))
                        .collect(),
                }
            }
        }
    }

    fn build(&self, strategy: &Choice) -> Result<Box<dyn Strategy>, Refusal> {
        strategy.build(&self.settings, self.nodes)
    }

    fn measure(
        &self,
        strategy: &Choice,
        router: &dyn Strategy,
        progress: &mut Progress,
    ) -> Findings {
        let all_nodes = self
            .nodes
            .iter()
            .chain(self.scenarios.iter().flat_map(|scenario| &scenario.after));
        let numbering = Numbering::of(all_nodes);
        let pass = self.keys.len() as u64;
        let owners = numbering.owners(router.router(), self.keys);
        progress.advance(pass);
        let cost = self
            .cost(strategy, router)
            .map_err(|refusal| refusal.to_string());
        progress.advance(pass);
        let loaded = self.loaded(strategy, &numbering, &owners);
        progress.advance(pass);
        let outcomes = self
            .scenarios
            .iter()
            .map(|scenario| {
                let outcome = self.outcome(strategy, router, scenario, &numbering, &owners);
                progress.advance(2 * pass);
                outcome
            })
            .collect();
        Findings {
            strategy: strategy.clone(),
            balance: Ok(Balance::of_owners(&owners, self.nodes)),
            loaded,
            cost,
            outcomes,
        }
    }

    /// Fills a router of its own, since what is held stays.
    fn loaded(
        &self,
        strategy: &Choice,
        numbering: &Numbering,
        owners: &[u32],
    ) -> Result<Loaded, String> {
        let router = self
            .build(strategy)
            .map_err(|refusal| refusal.to_string())?;
        let loads = router.as_loads().ok_or("does not bound loads")?;
        Ok(Loaded::fill(
            loads, self.keys, owners, numbering, self.nodes,
        ))
    }

    fn cost(&self, strategy: &Choice, router: &dyn Strategy) -> Result<Cost, Refusal> {
        let times = if self.timing {
            let (lookup_ns, lookup_over_hash) = self.lookup(router.router());
            Some(Times {
                build: median(|| {
                    let (built, took) = timed(|| self.build(strategy));
                    built.map(|_| took)
                })?,
                lookup_ns,
                lookup_over_hash,
            })
        } else {
            None
        };
        Ok(Cost {
            heap_bytes: router.router().heap_bytes() as u64,
            times,
        })
    }

    /// Nanoseconds of a lookup, and how many times as long it takes as hashing its key: medians of blocks
    /// of keys, each hashed and then looked up.
    fn lookup(&self, router: &dyn Router) -> (f64, f64) {
        let lookups = self.keys.len().clamp(FEWEST_LOOKUPS, MOST_LOOKUPS);
        let mut keys = self.keys.iter().cycle();
        let mut block = Vec::with_capacity(BLOCK);
        let hash = self.settings.hash.unwrap_or_default().any();
        let mut beside = Beside::default();
        for _ in 0..lookups / BLOCK {
            block.clear();
            block.extend(keys.by_ref().take(BLOCK));
            let hashed = match hash {
                AnyHash::Narrow(hash) => pass(&block, |key| hash.hash(key)),
                AnyHash::Plain(hash) => pass(&block, |key| hash.hash(key)),
                AnyHash::Wide(hash) => pass(&block, |key| hash.hash(key)),
            };
            beside.round(hashed, pass(&block, |key| router.route(key)));
        }
        let (took, over_hash) = beside.medians();
        let ns = took.as_secs_f64() * 1e9 / ratio(BLOCK as u64, 1u32);
        (ns, over_hash)
    }

    fn outcome(
        &self,
        strategy: &Choice,
        before: &dyn Strategy,
        scenario: &Scenario,
        numbering: &Numbering,
        owners: &[u32],
    ) -> Outcome {
        let change = || -> Result<(Box<dyn Strategy>, Duration), Refusal> {
            let mut router = self.build(strategy)?;
            let (changed, took) = timed(|| {
                scenario
                    .steps
                    .iter()
                    .try_for_each(|step| router.change(step))
            });
            changed.map(|()| (router, took))
        };
        let after = match change() {
            Ok((router, _)) => router,
            Err(refusal) => return Outcome::refused(&refusal.to_string()),
        };
        let directions = Directions::between(numbering, self.nodes, &scenario.after);
        let after_owners = numbering.owners(after.router(), self.keys);
        let replicas = match (before.as_walk(), after.as_walk()) {
            (Some(before), Some(after)) => Ok(ReplicaChange::between(
                before,
                after,
                self.replicas,
                numbering,
                &directions,
                self.keys,
            )),
            _ => Err("no order of replicas".into()),
        };
        let took = self
            .timing
            .then(|| median(|| change().map(|(_, took)| took)).ok())
            .flatten();
        Outcome {
            movement: Ok(Movement::between(owners, &after_owners, &directions)),
            replicas,
            took,
        }
    }
}

/// How long this takes for these keys.
fn pass<T>(keys: &[&[u8]], work: impl Fn(&[u8]) -> T) -> Duration {
    let ((), took) = timed(|| {
        for key in keys {
            black_box(work(key));
        }
    });
    took
}

#[cfg(test)]
mod tests {
    use keyroute::NodeId;

    use super::*;
    use crate::change::{Change, Reweighting};
    use crate::keys::Keys;
    use crate::strategy::StrategyName;

    /// Several changes as one, of different nodes and in an order that mixes them.
    fn scenario(nodes: &[Node]) -> Scenario {
        let node = |id: &str, weight: u32| {
            let weight = weight.try_into().unwrap();
            Node::new(id).unwrap().with_weight(weight)
        };
        let reweight = |id: &str, weight: u32| {
            Change::Reweight(Reweighting {
                id: NodeId::new(id).unwrap(),
                weight: weight.try_into().unwrap(),
            })
        };
        let steps = vec![
            Change::Add(node("x", 3)),
            Change::Remove(nodes[1].id().clone()),
            reweight("n4", 5),
            Change::Add(node("y", 1)),
            reweight("n6", 1),
            Change::Remove(nodes[8].id().clone()),
        ];
        Scenario::new(steps, nodes).unwrap()
    }

    #[test]
    fn rings_move_nothing_needlessly_under_many_changes_at_once() {
        let nodes: Vec<Node> = (0..12u32)
            .map(|i| {
                let weight = (i % 3 + 1).try_into().unwrap();
                Node::new(format!("n{i}")).unwrap().with_weight(weight)
            })
            .collect();
        let keys = KeyArena::read(&mut Keys::sample(20_000)).unwrap();
        for points in [1, 20] {
            let study = Study {
                settings: Settings {
                    points: Some(points),
                    ..Settings::default()
                },
                nodes: &nodes,
                keys: &keys,
                scenarios: &[scenario(&nodes)],
                replicas: 3,
                timing: false,
            };
            let mut progress = Progress::new("test", None);
            let findings = study.of(&Choice::Named(StrategyName::default()), &mut progress);
            let outcome = &findings.outcomes[0];
            let movement = *outcome.movement.as_ref().unwrap();
            assert_eq!(movement.needless, 0);
            assert!(movement.needed > 2000, "{movement:?}");
            let replicas = *outcome.replicas.as_ref().unwrap();
            assert_eq!(replicas.needless, 0);
            assert!(replicas.changed > movement.needed, "{replicas:?}");
            assert!(findings.cost.unwrap().times.is_none());
        }
    }
}
