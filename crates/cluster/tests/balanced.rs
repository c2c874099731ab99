//! A balancer over a cluster: one batch a round, nobody else's keys, and only who takes all its keys is judged.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use keyroute_adaptive::{
    Background, Balancer, Change, Counter, Plan, Round, Steady, Target, Verdict, Weight,
};
use keyroute_cluster::{Batch, Cluster, Movement, Node, NodeId, Ramp, Rehashed, RouteError};
use keyroute_core::Native;
use keyroute_core::hash::Xxh3;
use keyroute_jump::Jump;
use keyroute_vector_ring::VectorRing;

type Ring = VectorRing<Native<Xxh3>>;
type Counted = Cluster<Ring, Counter>;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn id(id: &str) -> NodeId {
    NodeId::new(id).unwrap()
}

fn node(id: &str) -> Node {
    let points = Weight::new(100).unwrap();
    Node::new(id).unwrap().with_weight(points)
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A ring of a hundred points a node, each member with its counter.
fn counted(balancer: &mut Balancer<Steady>) -> Counted {
    let scheme = Native::new(Xxh3).with_points_per_weight(1).unwrap();
    let ring = VectorRing::from_nodes_with(scheme, NAMES.map(node)).unwrap();
    Cluster::new(ring, |node| balancer.counter(node.id())).with_samples(20_000)
}

fn points(cluster: &Counted, id: &str) -> u32 {
    cluster.load().member(id).unwrap().weight()
}

/// A window of requests, most of them for a few keys: nodes are as uneven as those fall.
fn requests(cluster: &Counted, window: u32) {
    let now = cluster.load();
    for number in 0..40_000u32 {
        let key = match number % 4 {
            0 => number + window * 40_000,
            _ => number % 57,
        };
        now.pick(&key.to_le_bytes()).unwrap().payload().count();
    }
}

fn plan(round: &Round) -> Option<&Plan> {
    match &round.judgement.verdict {
        Verdict::Move(plan) => Some(plan),
        _ => None,
    }
}

/// The keys that a plan moves are about the points that come and go, and none of them is a bystander's.
fn obeys_the_laws(plan: &Plan, movement: Movement) {
    assert_eq!(movement.needless(), 0);
    let points = f64::from(u32::try_from(plan.movement_thousandths()).unwrap()) / 1000.0;
    // Arcs of a ring of five hundred points vary as much as they are long: the tenth of its points is fifty arcs.
    assert!(
        movement.share() <= 1.5 * points + 0.01,
        "{movement}, {points}"
    );
}

#[test]
fn a_round_is_one_epoch_and_moves_only_what_its_points_move() {
    let mut balancer = Balancer::new(Steady::default());
    let cluster = counted(&mut balancer);
    let changes = cluster.changes();
    let payloads =
        |cluster: &Counted| NAMES.map(|id| cluster.load().member(id).unwrap().shared_payload());
    let before = payloads(&cluster);
    balancer.tick(at(0), &cluster).unwrap();
    let mut rounds = 0;
    for window in 1..=20 {
        requests(&cluster, window);
        let old = cluster.snapshot();
        let round = balancer
            .tick(at(u64::from(window)), &cluster)
            .unwrap()
            .unwrap();
        let new = cluster.snapshot();
        let Some(plan) = plan(&round) else {
            assert!(changes.try_next().is_none() && old.epoch() == new.epoch());
            continue;
        };
        rounds += 1;
        let change = changes.try_next().unwrap();
        assert!(changes.try_next().is_none());
        assert_eq!(new.epoch(), old.epoch() + 1);
        let told = change.reweighted().iter();
        let told: Vec<_> = told
            .map(|it| (it.id.as_str(), it.before, it.after))
            .collect();
        let planned = plan.changes().iter();
        let planned: Vec<_> = planned
            .map(|it| (it.id.as_str(), it.from.get(), it.to.get()))
            .collect();
        assert_eq!(told, planned);
        assert!(change.payloads().is_empty() && change.statuses().is_empty());
        obeys_the_laws(plan, change.movement());
        let to = |id: &NodeId| {
            plan.changes()
                .iter()
                .find(|it| it.id == *id)
                .map(|it| it.to > it.from)
        };
        for key in (0..20_000u32).map(u32::to_le_bytes) {
            let (from, at) = (old.pick(&key).unwrap().id(), new.pick(&key).unwrap().id());
            assert!(
                from == at || to(from) == Some(false) || to(at) == Some(true),
                "{from} to {at}"
            );
        }
    }
    assert!(rounds > 0, "nothing was balanced");
    let after = payloads(&cluster);
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(old, new)| Arc::ptr_eq(old, new))
    );
}

#[test]
fn who_left_or_has_other_points_is_passed_over() {
    let mut balancer = Balancer::new(Steady::default());
    let cluster = counted(&mut balancer);
    cluster
        .apply(Batch::new().remove("b").reweight("c", 150))
        .unwrap();
    let step = |name: &str| Change {
        id: id(name),
        from: Weight::new(100).unwrap(),
        to: Weight::new(90).unwrap(),
    };
    (&cluster).set_points(&["a", "b", "c"].map(step)).unwrap();
    assert_eq!((points(&cluster, "a"), points(&cluster, "c")), (90, 150));
    assert!(cluster.load().member("b").is_none());
    let epoch = cluster.load().epoch();
    (&cluster).set_points(&["a", "b", "c"].map(step)).unwrap();
    assert_eq!(cluster.load().epoch(), epoch);
}

#[test]
fn what_the_strategy_refuses_is_refused_whole() {
    let shards = Rehashed::new(Jump::from_ids(["a", "b"]).unwrap());
    let cluster = Arc::new(Cluster::new(shards, |_| ()));
    let step = Change {
        id: id("a"),
        from: Weight::ONE,
        to: Weight::new(2).unwrap(),
    };
    assert!(Arc::clone(&cluster).set_points(&[step]).is_err());
    assert_eq!(cluster.load().epoch(), 0);
}

/// A node that takes few keys or none is not idle, and is not given points for it; when it is back it has the fair
/// share that it had.
#[test]
fn who_is_down_drained_or_in_a_ramp_keeps_its_points_and_its_share() {
    let ramp = Ramp::new(at(5), 5).unwrap();
    type Steps = fn(Batch<Counter>, Ramp) -> Batch<Counter>;
    let absences: [(Steps, Steps); 3] = [
        (|it, _| it.down("b"), |it, _| it.up("b")),
        (|it, _| it.drain("b"), |it, _| it.undrain("b")),
        (|it, ramp| it.ramp("b", ramp), |it, _| it.end_ramp("b")),
    ];
    for (leave, back) in absences {
        let mut balancer = Balancer::new(Steady::default());
        let cluster = counted(&mut balancer);
        let counters = NAMES.map(|name| balancer.counter(&id(name)));
        balancer.tick(at(0), &cluster).unwrap();
        // "b" has twice its share, and less points after a round of it.
        let mut load = |second, of_b| {
            for (counter, name) in counters.iter().zip(NAMES) {
                counter.add(if name == "b" { of_b } else { 10_000 });
            }
            balancer.tick(at(second), &cluster).unwrap().unwrap()
        };
        load(1, 20_000);
        let reduced = points(&cluster, "b");
        assert!(reduced < 100);
        // Then it takes no keys, or hardly any, for some rounds.
        cluster.apply(leave(Batch::new(), ramp)).unwrap();
        for second in 2..=5 {
            load(second, 0);
            assert_eq!(points(&cluster, "b"), reduced);
        }
        cluster.apply(back(Batch::new(), ramp)).unwrap();
        // Of this window it was absent; it is judged after the next one, and is due what it was given: a fifth.
        let round = load(6, 0);
        assert!(plan(&round).is_none_or(|plan| plan.changes().iter().all(|it| it.id != "b")));
        let round = load(7, 10_000);
        assert_eq!(round.judgement.verdict, Verdict::Even);
        load(8, 20_000);
        assert!(points(&cluster, "b") < reduced);
    }
}

/// The thread balances while requests come, members come and go, are drained and start slowly; and each epoch moved
/// what had to move and nothing else.
#[test]
fn a_cluster_is_balanced_in_the_background_while_its_members_change() {
    let mut balancer = Balancer::new(Steady::default());
    let cluster = Arc::new(counted(&mut balancer).with_samples(2000));
    let interval = Duration::from_millis(2);
    let balancing = Background::start(
        balancer.with_interval(interval).unwrap(),
        Arc::clone(&cluster),
    )
    .unwrap();
    let changes = cluster.changes();
    let stop = AtomicBool::new(false);
    let ramp = Ramp::new(at(20), 10).unwrap();
    let (mut rounds, mut epochs) = (0, 0);
    thread::scope(|scope| {
        let load = || {
            let mut reader = cluster.reader();
            // Each key of few, so that nodes are uneven whoever has them.
            for number in (0..60u32).cycle() {
                let now = reader.snapshot();
                now.pick(&number.to_le_bytes()).unwrap().payload().count();
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        };
        let readers = [scope.spawn(load), scope.spawn(load)];
        let began = Instant::now();
        for turn in 0u64.. {
            let name = format!("more-{}", turn % 3);
            let counter = balancing.counter(&id(&name));
            let step = Batch::new()
                .add(node(&name), counter)
                .ramp(name.as_str(), ramp);
            cluster.apply(step.drain("c").down("d")).unwrap();
            cluster.tick(at(turn)).unwrap();
            cluster.apply(Batch::new().undrain("c").up("d")).unwrap();
            thread::sleep(Duration::from_millis(5));
            cluster.apply(Batch::new().remove(name)).unwrap();
            while let Some(change) = changes.try_next() {
                assert_eq!(change.movement().needless(), 0, "{change}");
                epochs += 1;
                rounds += u32::from(!change.reweighted().is_empty());
            }
            if rounds >= 3 || began.elapsed() > at(60) {
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
    });
    assert!(rounds >= 3, "{rounds} of {epochs} epochs were rounds");
    assert_eq!(
        (balancing.panics(), balancing.refusal()),
        (0, None::<RouteError>)
    );
    balancing.stop();
    let now = cluster.load();
    assert_eq!(now.router().members().len(), NAMES.len());
    // Whatever happened, each payload is its node's own counter, and the router is the one of the list.
    let nodes: Vec<Node> = now
        .all_members()
        .map(|member| {
            let weight = Weight::new(member.weight()).unwrap();
            Node::from(member.id().clone()).with_weight(weight)
        })
        .collect();
    let anew = VectorRing::from_nodes_with(*now.router().scheme(), nodes).unwrap();
    assert_eq!(now.router().fingerprint(), anew.fingerprint());
}
