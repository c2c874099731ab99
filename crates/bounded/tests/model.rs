//! Random histories against a model that is one thread, two maps and the definition.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use keyroute_bounded::{Below, Bounded, Count, Exact, InWalkOrder, Lease, Node, Walk, Weight};
use keyroute_core::Native;
use keyroute_core::hash::Xxh3;
use keyroute_vector_ring::VectorRing;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const IDS: [&str; 6] = ["a", "a1", "b", "a-1", "é", "node"];

#[derive(Clone, Debug)]
enum Step {
    Acquire(u8),
    Release(usize),
    Add(usize, u32),
    Remove(usize),
    Reweight(usize, u32),
    Rebuild(Vec<(usize, u32)>),
}

fn step() -> impl Strategy<Value = Step> {
    let (id, weight) = (0..IDS.len(), 1..5u32);
    prop_oneof![
        12 => any::<u8>().prop_map(Step::Acquire),
        8 => any::<usize>().prop_map(Step::Release),
        2 => (id.clone(), weight.clone()).prop_map(|(id, weight)| Step::Add(id, weight)),
        1 => id.clone().prop_map(Step::Remove),
        1 => (id.clone(), weight.clone()).prop_map(|(id, weight)| Step::Reweight(id, weight)),
        1 => proptest::collection::vec((id, weight), 0..6).prop_map(Step::Rebuild),
    ]
}

fn node(id: usize, weight: u32) -> Node {
    let weight = Weight::new(weight).unwrap();
    Node::new(IDS[id]).unwrap().with_weight(weight)
}

fn ring(nodes: &BTreeMap<usize, u32>) -> VectorRing {
    let scheme = Native::new(Xxh3).with_points_per_weight(3).unwrap();
    let nodes = nodes.iter().map(|(&id, &weight)| node(id, weight));
    VectorRing::from_nodes_with(scheme, nodes).unwrap()
}

/// The members' weights; and each load's node, unless it left since.
#[derive(Default)]
struct Model {
    weights: BTreeMap<usize, u32>,
    loads: Vec<Option<usize>>,
}

impl Model {
    fn held(&self, id: usize) -> u64 {
        self.loads.iter().filter(|&&load| load == Some(id)).count() as u64
    }

    fn total(&self) -> u64 {
        self.loads.iter().flatten().count() as u64
    }

    fn capacity(&self, id: usize, thousandths: u32) -> u64 {
        let all: u64 = self.weights.values().map(|&weight| u64::from(weight)).sum();
        let share = u64::from(1000 + thousandths) * (self.total() + 1);
        (share * u64::from(self.weights[&id])).div_ceil(1000 * all)
    }

    fn next(&self, key: u8, thousandths: u32) -> Option<usize> {
        let ring = ring(&self.weights);
        let mut found = None;
        ring.walk(&[key], &mut |slot| {
            let name = ring.members().get(slot).unwrap().id().as_str();
            let id = IDS.iter().position(|&it| it == name).unwrap();
            if self.held(id) < self.capacity(id, thousandths) {
                found = Some(id);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    }

    fn leave(&mut self, id: usize) {
        for load in &mut self.loads {
            if *load == Some(id) {
                *load = None;
            }
        }
    }
}

/// An idle router without members.
fn bounded(thousandths: u32) -> Bounded<VectorRing> {
    Bounded::new(ring(&BTreeMap::new()), Exact::new(thousandths).unwrap())
}

fn replay<K: Count>(mut router: Bounded<VectorRing, Exact, Below, InWalkOrder, K>, steps: &[Step]) {
    let mut model = Model::default();
    let thousandths = router.rule().thousandths();
    let mut leases: Vec<Lease<K>> = Vec::new();
    for step in steps {
        match *step {
            Step::Acquire(key) => {
                let expected = model.next(key, thousandths);
                let foretold = router.route_id(&[key]).map(|id| id.as_str());
                assert_eq!(foretold, expected.map(|id| IDS[id]));
                let lease = router.acquire(&[key]);
                let found = lease.as_ref().map(|lease| lease.node().as_str());
                assert_eq!(found, expected.map(|id| IDS[id]));
                if let (Some(lease), Some(id)) = (lease, expected) {
                    assert_eq!(lease.capacity(), model.capacity(id, thousandths));
                    model.loads.push(Some(id));
                    assert_eq!(lease.load(), model.held(id));
                    assert!(lease.load() <= lease.capacity() && !lease.is_overflow());
                    leases.push(lease);
                }
            }
            Step::Release(which) if !leases.is_empty() => {
                let which = which % leases.len();
                drop(leases.swap_remove(which));
                model.loads.swap_remove(which);
            }
            Step::Release(_) => {}
            Step::Add(id, weight) => {
                let added = router.add(node(id, weight));
                assert_eq!(added.is_ok(), !model.weights.contains_key(&id));
                model.weights.entry(id).or_insert(weight);
            }
            Step::Remove(id) => {
                let removed = router.remove(IDS[id]);
                assert_eq!(removed.is_ok(), model.weights.remove(&id).is_some());
                model.leave(id);
            }
            Step::Reweight(id, weight) => {
                let old = router.reweight(IDS[id], Weight::new(weight).unwrap()).ok();
                let changed = model.weights.get_mut(&id);
                let expected = changed.map(|it| std::mem::replace(it, weight));
                assert_eq!(old.map(Weight::get), expected);
            }
            Step::Rebuild(ref list) => {
                let nodes: Vec<Node> = list.iter().map(|&(id, weight)| node(id, weight)).collect();
                let weights: BTreeMap<_, _> = list.iter().copied().collect();
                let rebuilt = router.rebuild(&nodes);
                assert_eq!(rebuilt.is_ok(), weights.len() == list.len());
                if rebuilt.is_ok() {
                    for id in 0..IDS.len() {
                        if !weights.contains_key(&id) {
                            model.leave(id);
                        }
                    }
                    model.weights = weights;
                }
            }
        }
        assert_eq!(router.total(), model.total());
        assert_eq!(
            router.loads().map(|(_, load)| load).sum::<u64>(),
            model.total()
        );
        for &id in model.weights.keys() {
            let slot = router.members().slot_of(IDS[id]).unwrap();
            assert_eq!(router.load(slot), Some(model.held(id)));
            assert_eq!(router.capacity(slot), Some(model.capacity(id, thousandths)));
        }
    }
    drop(leases);
    assert_eq!((router.total(), router.overflows()), (0, 0));
    assert!(router.loads().all(|(_, load)| load == 0));
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
    let steps = proptest::collection::vec(step(), 1..80);
    TestRunner::new_with_rng(config, rng)
        .run(&(thousandths, steps), |(thousandths, steps)| {
            replay(bounded(thousandths), &steps);
            replay(bounded(thousandths).for_one_thread(), &steps);
            Ok(())
        })
        .unwrap();
}
