//! What went wrong in the adaptive balancing of seed 000, row by row, and what happens here.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use keyroute_adaptive::{
    Background, Balancer, Node, NodeId, NodeLoad, Policy, ReachCacheConfig, ReachCacheRebalance,
    RouteError, Steady, SteadyConfig, Verdict, Weight, Window,
};
use keyroute_vector_ring::{Native, VectorRing, hash::Xxh3};

type Ring = VectorRing<Native<Xxh3>>;

fn id(id: &str) -> NodeId {
    NodeId::new(id).unwrap()
}

fn node(id: &str, points: u32) -> Node {
    Node::new(id)
        .unwrap()
        .with_weight(Weight::new(points).unwrap())
}

fn ring(ids: &[&str]) -> Ring {
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    VectorRing::from_nodes_with(scheme, ids.iter().map(|id| node(id, 50))).unwrap()
}

fn points(ring: &Ring) -> Vec<u32> {
    ring.members()
        .iter()
        .map(|(_, node)| node.weight().get())
        .collect()
}

/// Requests to nodes in one window, in which all were there.
fn loads(of: &[(&str, u32, u64)]) -> Vec<NodeLoad> {
    let load = |&(name, points, requests): &(&str, u32, u64)| NodeLoad {
        id: id(name),
        points: Weight::new(points).unwrap(),
        given: Weight::new(50).unwrap(),
        requests,
        whole: true,
    };
    of.iter().map(load).collect()
}

fn judge(policy: &mut impl Policy, nodes: &[NodeLoad]) -> Verdict {
    let window = Window {
        nodes,
        keys: &[],
        keys_seen: 0,
    };
    policy.judge(&window).verdict
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Waits until this holds; fails after ten seconds, which is more than a loaded machine takes.
fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < at(10), "{what}: not within 10 s");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A1: there, a node added twice and removed once leaves points without a counter, and a lookup panics.
#[test]
fn a1_a_node_that_joins_twice_leaves_once() {
    let mut balancer = Balancer::new(Steady::default());
    let (first, second) = (balancer.counter(&id("A")), balancer.counter(&id("A")));
    let mut one = ring(&["A"]);
    balancer.tick(at(0), &mut one).unwrap();
    first.count();
    second.count();
    assert_eq!(balancer.stats().total(), 2);
    assert!(one.add(node("A", 50)).is_err());
    one.remove("A").unwrap();
    balancer.tick(at(1), &mut one).unwrap();
    first.count();
    assert!(balancer.stats().is_empty());
    assert_eq!(one.route(b"x"), None);
}

/// A2: there, the first rebalance asks for the lock that it holds, and every lookup waits for ever.
#[test]
fn a2_lookups_go_on_while_the_balancer_acts() {
    let shared = Arc::new(RwLock::new(ring(&["a", "b", "c"])));
    let balancer = Balancer::new(ReachCacheRebalance::default())
        .with_interval(Duration::from_millis(1))
        .unwrap();
    let background = Background::start(balancer, Arc::clone(&shared)).unwrap();
    let counters = background.by_slot(shared.read().unwrap().members());
    // The hot key is asked for until its node is at its lower bound, however many ticks that takes.
    let hot_points = || {
        let ring = shared.read().unwrap();
        let slot = ring.route(b"hot").unwrap();
        counters[slot.index() as usize].as_ref().unwrap().add(1000);
        points(&ring).into_iter().min()
    };
    wait_until("rebalance", || hot_points() == Some(10));
    background.stop();
    assert!(shared.read().unwrap().route(b"hot").is_some());
}

/// A2, the other way round: the balancer is asked under the router's lock, as its ticks want that lock.
#[test]
fn a2_the_balancer_can_be_asked_under_the_routers_lock() {
    let shared = Arc::new(RwLock::new(ring(&["a", "b"])));
    let balancer = Balancer::new(Steady::default())
        .with_interval(Duration::from_micros(100))
        .unwrap();
    let background = Background::start(balancer, Arc::clone(&shared)).unwrap();
    for _ in 0..2000 {
        let ring = shared.write().unwrap();
        let counter = background.counter(ring.route_id(b"k").unwrap());
        counter.count();
        assert!(!background.stats().is_empty() || background.rounds() > 0);
    }
    wait_until("ticks", || background.rounds() > 10);
}

/// A3: there, the balancer and changes of members race. Here members come and go by the thousand under it, and
/// whatever it did, in the end each key's owner is that of a ring made anew.
#[test]
fn a3_members_change_while_the_balancer_ticks() {
    let shared = Arc::new(RwLock::new(ring(&["a", "b", "c"])));
    let balancer = Balancer::new(ReachCacheRebalance::default())
        .with_interval(Duration::from_micros(50))
        .unwrap();
    let background = Background::start(balancer, Arc::clone(&shared)).unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for member in ["a", "b", "c", "x", "y"] {
            let counter = background.counter(&id(member));
            let done = &done;
            scope.spawn(move || {
                // Uneven, so that every tick has something to do.
                while !done.load(Ordering::Relaxed) {
                    counter.add(usize::from(member.as_bytes()[0]));
                    thread::yield_now();
                }
            });
        }
        for round in 0..1000 {
            let name = if round % 2 == 0 { "x" } else { "y" };
            let added = shared.write().unwrap().add(node(name, 50));
            assert!(added.is_ok(), "{added:?}");
            thread::yield_now();
            let removed = shared.write().unwrap().remove(name);
            assert!(removed.is_ok(), "{removed:?}");
        }
        wait_until("rounds", || background.rounds() > 100);
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(background.panics(), 0);
    background.stop();
    let ring = shared.read().unwrap();
    let nodes: Vec<Node> = ring
        .members()
        .iter()
        .map(|(_, node)| node.clone())
        .collect();
    assert_eq!(nodes.len(), 3);
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    let anew = VectorRing::from_nodes_with(scheme, nodes).unwrap();
    assert_eq!(ring.fingerprint(), anew.fingerprint());
    assert_eq!(ring.points(), anew.points());
    for key in 0..1000u32 {
        let key = key.to_le_bytes();
        assert_eq!(ring.route_id(&key), anew.route_id(&key));
    }
}

/// A4: there, requests of a node that left stay in the total, and the survivor looks half idle.
#[test]
fn a4_a_node_that_left_is_in_no_average() {
    fn check(policy: impl Policy) {
        let mut ring = ring(&["A", "B"]);
        let mut balancer = Balancer::new(policy);
        let counters = balancer.by_slot(ring.members());
        balancer.tick(at(0), &mut ring).unwrap();
        for counter in counters.iter().flatten() {
            counter.add(1000);
        }
        ring.remove("B").unwrap();
        let round = balancer.tick(at(1), &mut ring).unwrap().unwrap();
        assert_eq!(round.stats.share("A"), Some(1.0));
        assert_eq!(round.stats.share("B"), None);
        assert_eq!(round.judgement.verdict, Verdict::Even);
        assert_eq!(points(&ring), [50]);
    }
    check(Steady::default());
    check(ReachCacheRebalance::default());
}

/// A5: a newcomer has had no time for requests. There it is idle, and gets twice the points.
#[test]
fn a5_a_newcomer_is_not_judged_before_a_whole_window() {
    let mut fleet = ring(&["a", "b"]);
    let mut balancer = Balancer::new(Steady::default());
    let mut counters = balancer.by_slot(fleet.members());
    balancer.tick(at(0), &mut fleet).unwrap();
    let count = |counter: usize, requests: usize, of: &[Option<keyroute_adaptive::Counter>]| {
        of[counter].as_ref().unwrap().add(requests);
    };
    count(0, 1000, &counters);
    count(1, 1000, &counters);
    fleet.add(node("c", 50)).unwrap();
    counters = balancer.by_slot(fleet.members());
    let round = balancer.tick(at(1), &mut fleet).unwrap().unwrap();
    assert_eq!(round.stats.share("c"), Some(0.0));
    assert_eq!(round.judgement.verdict, Verdict::Even);
    assert_eq!(points(&fleet), [50, 50, 50]);
    // After a whole window without a request it is idle indeed.
    count(0, 1000, &counters);
    count(1, 1000, &counters);
    balancer.tick(at(2), &mut fleet).unwrap();
    assert!(points(&fleet)[2] > 50, "{:?}", points(&fleet));

    // The rule as that system has it, for comparison.
    let nodes = loads(&[("a", 50, 1000), ("b", 50, 1000), ("c", 50, 0)]);
    let Verdict::Move(plan) = judge(&mut ReachCacheRebalance::default(), &nodes) else {
        panic!("it acts")
    };
    let to: Vec<u32> = plan
        .changes()
        .iter()
        .map(|change| change.to.get())
        .collect();
    assert_eq!(to, [33, 33, 100]);
}

/// A key of "a" as long as that has 10 points or more, and the others 200 or fewer: points are nested.
fn key_that_stays() -> [u8; 4] {
    let mut at_bounds = ring(&["a", "b", "c"]);
    for (id, points) in [("a", 10), ("b", 200), ("c", 200)] {
        at_bounds
            .reweight(id, Weight::new(points).unwrap())
            .unwrap();
    }
    let mut keys = (0..10_000u32).map(u32::to_le_bytes);
    keys.find(|key| at_bounds.route_id(key).unwrap() == "a")
        .unwrap()
}

/// A6: one hot key. That rule drives its node to the lower bound and the others to the upper one, and the key
/// stays; `Steady` names the key and moves nothing.
#[test]
fn a6_one_hot_key_is_reported_and_not_chased() {
    let key = key_that_stays();
    let balance = |policy: &mut dyn Policy| balance_hot_key(policy, &key);
    let (steady, reported) = balance(&mut Steady::default());
    assert_eq!(steady, [50, 50, 50]);
    assert_eq!(reported, [u64::MAX; 20]);

    let (theirs, reported) = balance(&mut ReachCacheRebalance::default());
    assert_eq!((theirs, reported), (vec![10, 200, 200], vec![]));
}

/// The points after 20 rounds, and the keys that were reported.
fn balance_hot_key(policy: &mut dyn Policy, key: &[u8]) -> (Vec<u32>, Vec<u64>) {
    let mut ring = ring(&["a", "b", "c"]);
    let mut balancer = Balancer::new(policy);
    let counters = balancer.by_slot(ring.members());
    balancer.tick(at(0), &mut ring).unwrap();
    let mut reported = Vec::new();
    for second in 1..=20 {
        // The hot key, and a little for everybody.
        let hot = ring.route(key).unwrap().index() as usize;
        let nodes: Vec<NodeId> = ring
            .members()
            .iter()
            .map(|(_, it)| it.id().clone())
            .collect();
        counters[hot].as_ref().unwrap().add(3000);
        (0..3000).for_each(|_| balancer.observe(u64::MAX, &nodes[hot]));
        for (counter, node) in counters.iter().flatten().zip(&nodes) {
            counter.add(300);
            (0..300).for_each(|digest| balancer.observe(digest, node));
        }
        let round = balancer.tick(at(second), &mut ring).unwrap().unwrap();
        reported.extend(round.judgement.hot.iter().map(|key| key.digest));
    }
    (points(&ring), reported)
}

/// A6, where keys are not watched: it gives up after some rounds instead of moving for ever.
#[test]
fn a6_an_unseen_hot_key_ends_at_a_bound_and_then_nothing_moves() {
    let mut policy = Steady::default();
    let mut now = [50, 50, 50];
    let mut verdicts = Vec::new();
    for _ in 0..60 {
        let nodes = loads(&[("a", now[0], 3000), ("b", now[1], 300), ("c", now[2], 300)]);
        let verdict = judge(&mut policy, &nodes);
        if let Verdict::Move(plan) = &verdict {
            for change in plan.changes() {
                now[usize::from(change.id.as_bytes()[0] - b'a')] = change.to.get();
            }
        }
        verdicts.push(verdict);
    }
    assert!(now[0] >= 10 && now[1] <= 200 && now[2] <= 200, "{now:?}");
    let rest = &verdicts[31..];
    assert!(
        rest.iter().all(|verdict| *verdict == Verdict::Even),
        "{rest:?}"
    );
    assert!(verdicts.contains(&Verdict::Stuck));
}

/// A7: there, 0 or −5 points are taken, and the ring stays empty.
#[test]
fn a7_settings_that_cannot_work_are_refused() {
    let base = ReachCacheConfig::default();
    let theirs = [
        (
            "threshold",
            "NaN",
            ReachCacheConfig {
                threshold: f64::NAN,
                ..base
            },
        ),
        (
            "threshold",
            "-0.25",
            ReachCacheConfig {
                threshold: -0.25,
                ..base
            },
        ),
        (
            "threshold",
            "0.0",
            ReachCacheConfig {
                threshold: 0.0,
                ..base
            },
        ),
        (
            "threshold",
            "inf",
            ReachCacheConfig {
                threshold: f64::INFINITY,
                ..base
            },
        ),
        (
            "min_samples",
            "0",
            ReachCacheConfig {
                min_samples: 0,
                ..base
            },
        ),
        (
            "min_replicas",
            "0",
            ReachCacheConfig {
                min_replicas: 0,
                ..base
            },
        ),
        (
            "max_replicas",
            "5, under min_replicas 10",
            ReachCacheConfig {
                max_replicas: 5,
                ..base
            },
        ),
        (
            "default_replicas",
            "0, outside 10 to 200",
            ReachCacheConfig {
                default_replicas: 0,
                ..base
            },
        ),
        (
            "default_replicas",
            "201",
            ReachCacheConfig {
                default_replicas: 201,
                ..base
            },
        ),
    ];
    for (name, given, config) in theirs {
        refused(name, given, ReachCacheRebalance::new(config).map(drop));
    }
    let base = SteadyConfig::default();
    let ours = [
        (
            "threshold",
            "0",
            SteadyConfig {
                threshold: 0,
                ..base
            },
        ),
        ("settled", "0", SteadyConfig { settled: 0, ..base }),
        (
            "settled",
            "250, not under threshold 250",
            SteadyConfig {
                settled: 250,
                ..base
            },
        ),
        (
            "min_samples",
            "0",
            SteadyConfig {
                min_samples: 0,
                ..base
            },
        ),
        (
            "certainty",
            "0",
            SteadyConfig {
                certainty: 0,
                ..base
            },
        ),
        (
            "movement",
            "0",
            SteadyConfig {
                movement: 0,
                ..base
            },
        ),
        (
            "movement",
            "1001",
            SteadyConfig {
                movement: 1001,
                ..base
            },
        ),
        (
            "min_points",
            "0",
            SteadyConfig {
                min_points: 0,
                ..base
            },
        ),
        (
            "min_points",
            "1001",
            SteadyConfig {
                min_points: 1001,
                ..base
            },
        ),
        (
            "max_points",
            "999",
            SteadyConfig {
                max_points: 999,
                ..base
            },
        ),
        ("hot_key", "0", SteadyConfig { hot_key: 0, ..base }),
        (
            "patience",
            "0",
            SteadyConfig {
                patience: 0,
                ..base
            },
        ),
        (
            "max_rounds",
            "0",
            SteadyConfig {
                max_rounds: 0,
                ..base
            },
        ),
    ];
    for (name, given, config) in ours {
        refused(name, given, Steady::new(config).map(drop));
    }
    let interval = Balancer::new(Steady::default()).with_interval(Duration::ZERO);
    refused("interval", "0ns", interval.map(drop));
}

fn refused(name: &str, given: &str, result: Result<(), RouteError>) {
    let error = result.expect_err(name);
    assert!(matches!(error, RouteError::Parameter { .. }));
    let message = error.to_string();
    assert!(
        message.starts_with(&format!("{name} is {given}")) && message.contains(": give "),
        "{message}"
    );
}
