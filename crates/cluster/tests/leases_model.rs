//! Random histories of a cluster and its leases against a model that is one thread, two maps and the definition.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use keyroute_cluster::{
    Batch, Cluster, Exact, Lease, Native, Node, Ramp, RouteError, Snapshot, Weight,
};
use keyroute_core::hash::Xxh3;
use keyroute_vector_ring::VectorRing;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const IDS: [&str; 5] = ["a", "a1", "b", "é", "node"];

#[derive(Clone, Debug)]
enum Step {
    Acquire(u8),
    /// Of the snapshot that is kept.
    AcquireOld(u8),
    Keep,
    Release(usize),
    Add(usize, u32),
    Remove(usize),
    /// In one batch.
    Replace(usize, u32),
    Leave(usize),
    Reweight(usize, u32),
    Down(usize, bool),
    Drain(usize, bool),
    Ramp(usize),
    Tick(u64),
    Bound(Option<u32>),
}

fn step() -> impl Strategy<Value = Step> {
    let (id, weight) = (0..IDS.len(), 1..5u32);
    let weighted = (id.clone(), weight);
    let flagged = (id.clone(), any::<bool>());
    let epsilon = prop_oneof![Just(None), (1..3000u32).prop_map(Some)];
    prop_oneof![
        16 => any::<u8>().prop_map(Step::Acquire),
        4 => any::<u8>().prop_map(Step::AcquireOld),
        1 => Just(Step::Keep),
        10 => any::<usize>().prop_map(Step::Release),
        3 => weighted.clone().prop_map(|(id, weight)| Step::Add(id, weight)),
        1 => id.clone().prop_map(Step::Remove),
        1 => weighted.prop_map(|(id, weight)| Step::Replace(id, weight)),
        1 => id.clone().prop_map(Step::Leave),
        1 => (id.clone(), 0..5u32).prop_map(|(id, weight)| Step::Reweight(id, weight)),
        1 => flagged.clone().prop_map(|(id, down)| Step::Down(id, down)),
        1 => flagged.prop_map(|(id, drained)| Step::Drain(id, drained)),
        1 => id.prop_map(Step::Ramp),
        1 => (0..5u64).prop_map(Step::Tick),
        1 => epsilon.prop_map(Step::Bound),
    ]
}

fn node(id: usize, weight: u32) -> Node {
    let weight = Weight::new(weight).unwrap();
    Node::new(IDS[id]).unwrap().with_weight(weight)
}

type Now = Arc<Snapshot<VectorRing, ()>>;

/// Who is a member, and which of those that had its id: the ids that came back count anew.
type Lives = BTreeMap<String, u32>;

/// What a lease should be.
#[derive(Debug, PartialEq)]
struct Expected {
    id: String,
    load: u64,
    capacity: Option<u64>,
    tried: u32,
    home: bool,
    overflow: bool,
}

impl Expected {
    fn of(lease: &Lease<()>) -> Self {
        Self {
            id: lease.id().to_string(),
            load: lease.load(),
            capacity: lease.capacity(),
            tried: lease.tried(),
            home: lease.is_home(),
            overflow: lease.is_overflow(),
        }
    }
}

#[derive(Default)]
struct Model {
    lives: Lives,
    born: u32,
    /// Each load's member, and which of those with this id.
    loads: Vec<(String, u32)>,
    sums: Sums,
    /// What those gave who had left: told when nobody knows them any more.
    late: BTreeMap<(String, u32), Sums>,
    overflows: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    given: u64,
    away: u64,
    tried: u64,
}

impl Sums {
    fn add(&mut self, more: Self) {
        self.given += more.given;
        self.away += more.away;
        self.tried += more.tried;
    }
}

impl Model {
    fn held(&self, id: &str, life: u32) -> u64 {
        let is = |load: &&(String, u32)| load.0 == id && load.1 == life;
        self.loads.iter().filter(is).count() as u64
    }

    /// The loads of those who are members.
    fn total(&self) -> u64 {
        let counts = |load: &&(String, u32)| self.lives.get(&load.0) == Some(&load.1);
        self.loads.iter().filter(counts).count() as u64
    }

    fn strength(now: &Now, id: &str) -> u128 {
        let member = now.member(id).unwrap();
        let status = member.status();
        let share = match status.ramp() {
            _ if status.is_down() || status.is_drained() => 0,
            Some(share) => share.into(),
            None => 1u128 << 32,
        };
        u128::from(member.weight()) * share
    }

    fn capacity(&self, now: &Now, id: &str) -> Option<u64> {
        let rule = now.bound()?;
        let all: u128 = now
            .all_members()
            .map(|member| Self::strength(now, member.id().as_str()))
            .sum();
        let loads = u128::from(self.total() + 1) * u128::from(1000 + rule.thousandths());
        let share = loads * Self::strength(now, id);
        Some(share.div_ceil(1000 * all.max(1)).try_into().unwrap())
    }

    /// The lease that this key should have; `lives` are those whom the snapshot knows.
    fn next(&self, now: &Now, lives: &Lives, key: &[u8]) -> Option<Expected> {
        let home = now.router().route_id(key)?;
        // In the order in which picks try them.
        let order: Vec<String> = now
            .pick_n(key, IDS.len())
            .iter()
            .map(|pick| pick.id().to_string())
            .collect();
        let held = |id: &String| self.held(id, lives[id]);
        let room = |id: &String| self.capacity(now, id).is_none_or(|most| held(id) < most);
        let (at, tried) = match order.iter().position(room) {
            Some(at) => (at, at + 1),
            // Nobody has, in any of nine laps.
            None => {
                let for_its_weight = |&at: &usize| {
                    let held = u128::from(held(&order[at]));
                    // Strengths that are not 0 divide this.
                    held * (1 << 80) / Self::strength(now, &order[at])
                };
                let least = (0..order.len()).min_by_key(for_its_weight)?;
                (least, 9 * order.len())
            }
        };
        let id = &order[at];
        Some(Expected {
            id: id.clone(),
            load: held(id) + 1,
            capacity: self.capacity(now, id),
            tried: tried.try_into().unwrap(),
            home: *home == *id.as_str(),
            overflow: !room(id),
        })
    }

    fn take(&mut self, lease: &Expected, life: u32) {
        let member = (lease.id.clone(), life);
        let sums = if self.lives.get(&lease.id) == Some(&life) {
            &mut self.sums
        } else {
            self.late.entry(member.clone()).or_default()
        };
        sums.add(Sums {
            given: 1,
            away: u64::from(!lease.home),
            tried: u64::from(lease.tried),
        });
        self.loads.push(member);
        self.overflows += u64::from(lease.overflow);
    }

    /// Who joined and who left.
    fn follow(&mut self, now: &Now, replaced: Option<&str>) {
        self.lives
            .retain(|id, _| now.member(id).is_some() && replaced != Some(id));
        for member in now.all_members() {
            let id = member.id().to_string();
            self.lives.entry(id).or_insert_with(|| {
                self.born += 1;
                self.born
            });
        }
    }

    fn agrees(&mut self, cluster: &Cluster<VectorRing, ()>, kept: &Lives) {
        let loads = &self.loads;
        let told = self.late.extract_if(.., |member, _| {
            kept.get(&member.0) != Some(&member.1) && !loads.contains(member)
        });
        told.for_each(|(_, sums)| self.sums.add(sums));
        let now = cluster.snapshot();
        let stats = cluster.stats();
        assert_eq!(stats.total(), self.total());
        let sums = Sums {
            given: stats.taken(),
            away: stats.away(),
            tried: stats.tried(),
        };
        assert_eq!((sums, stats.overflows()), (self.sums, self.overflows));
        assert_eq!(stats.members().len(), self.lives.len());
        let mut capacities = 0;
        for member in stats.members() {
            let id = member.id().as_str();
            assert_eq!(member.held(), self.held(id, self.lives[id]));
            assert_eq!(member.capacity(), self.capacity(&now, id));
            capacities += member.capacity().unwrap_or(0);
        }
        // Feasible: together they have room for one more.
        let takes = now.pick(b"any").is_ok();
        assert!(now.bound().is_none() || !takes || capacities > self.total());
    }
}

fn batch(step: &Step) -> Option<Batch<()>> {
    let new = Batch::new();
    Some(match *step {
        Step::Add(id, weight) => new.add(node(id, weight), ()),
        Step::Remove(id) => new.remove(IDS[id]),
        Step::Replace(id, weight) => new.remove(IDS[id]).add(node(id, weight), ()),
        Step::Leave(id) => new.leave(IDS[id], Duration::from_secs(6)),
        Step::Reweight(id, weight) => new.reweight(IDS[id], weight),
        Step::Down(id, true) => new.down(IDS[id]),
        Step::Down(id, false) => new.up(IDS[id]),
        Step::Drain(id, true) => new.drain(IDS[id]),
        Step::Drain(id, false) => new.undrain(IDS[id]),
        Step::Ramp(id) => new.ramp(IDS[id], Ramp::new(Duration::from_secs(10), 4).unwrap()),
        _ => return None,
    })
}

fn replay(thousandths: u32, steps: &[Step]) {
    let scheme = Native::new(Xxh3).with_points_per_weight(3).unwrap();
    let ring = VectorRing::with_scheme(scheme);
    let cluster = Cluster::new(ring, |_| ())
        .with_samples(0)
        .with_bound(Exact::new(thousandths).unwrap());
    let mut model = Model::default();
    let mut leases: Vec<Lease<()>> = Vec::new();
    let mut kept = (cluster.snapshot(), Lives::new());
    let mut time = 0;
    for step in steps {
        match *step {
            Step::Acquire(key) | Step::AcquireOld(key) => {
                let (now, lives) = match step {
                    Step::AcquireOld(_) => kept.clone(),
                    _ => (cluster.snapshot(), model.lives.clone()),
                };
                let expected = model.next(&now, &lives, &[key]);
                let lease = now.acquire(&[key]);
                let is_picked = now.pick(&[key]).is_ok();
                assert_eq!((lease.is_ok(), expected.is_some()), (is_picked, is_picked));
                if let (Ok(lease), Some(expected)) = (lease, expected) {
                    assert_eq!(Expected::of(&lease), expected);
                    model.take(&expected, lives[&expected.id]);
                    leases.push(lease);
                }
            }
            Step::Keep => kept = (cluster.snapshot(), model.lives.clone()),
            Step::Release(which) if !leases.is_empty() => {
                let which = which % leases.len();
                drop(leases.swap_remove(which));
                model.loads.swap_remove(which);
            }
            Step::Release(_) => {}
            Step::Tick(seconds) => {
                time += seconds;
                cluster.tick(Duration::from_secs(time)).unwrap();
                model.follow(&cluster.snapshot(), None);
            }
            Step::Bound(thousandths) => {
                cluster.set_bound(thousandths.map(|it| Exact::new(it).unwrap()));
            }
            _ => {
                let applied = cluster.apply(batch(step).unwrap());
                let replaced = match *step {
                    Step::Replace(id, _) if applied.is_ok() => Some(IDS[id]),
                    _ => None,
                };
                let refused = applied.err();
                assert!(matches!(
                    refused,
                    None | Some(RouteError::NotMember { .. } | RouteError::AlreadyMember { .. })
                ));
                model.follow(&cluster.snapshot(), replaced);
            }
        }
        model.agrees(&cluster, &kept.1);
    }
    leases.clear();
    model.loads.clear();
    drop(kept);
    model.agrees(&cluster, &Lives::new());
    assert!(model.late.is_empty());
}

#[test]
fn every_history_agrees_with_the_model() {
    let config = Config {
        cases: 600,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let thousandths = prop_oneof![Just(1), Just(250), Just(1000), Just(3000)];
    let steps = proptest::collection::vec(step(), 1..100);
    TestRunner::new_with_rng(config, rng)
        .run(&(thousandths, steps), |(thousandths, steps)| {
            replay(thousandths, &steps);
            Ok(())
        })
        .unwrap();
}
