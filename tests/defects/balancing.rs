//! The adaptive balancing of seed 000, on a cluster of a ring like its own: CRC-32, 50 points a node to begin with.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use keyroute::adaptive::{
    Background, Balancer, Counter, Policy, ReachCacheRebalance, Steady, Verdict,
};
use keyroute::hash::{Crc32, Xxh3};
use keyroute::{
    Batch, Cluster, KeyHasher, Labelled, LastListed, NodeId, RouteError, VectorRing, WithTies,
};
use keyroute_tests::{node, sessions};

type Ring = VectorRing<WithTies<Labelled<Crc32>, LastListed>>;
type Counted = Cluster<Ring, Counter>;

/// A cluster whose payloads count requests.
fn counted<P>(balancer: &mut Balancer<P>, ids: &[&str]) -> Counted {
    let scheme = Labelled::new("{node}-{i}", Crc32).and_then(|it| it.with_points_per_weight(1));
    let scheme = WithTies::new(scheme.unwrap(), LastListed);
    let nodes = ids.iter().map(|id| node(id, 50));
    let ring = VectorRing::from_nodes_with(scheme, nodes).unwrap();
    Cluster::new(ring, |node| balancer.counter(node.id())).with_samples(500)
}

fn points(cluster: &Counted) -> Vec<u32> {
    let now = cluster.load();
    let mut all: Vec<_> = now
        .all_members()
        .map(|it| (it.id().clone(), it.weight()))
        .collect();
    all.sort();
    all.into_iter().map(|(_, weight)| weight).collect()
}

fn count(cluster: &Counted, id: &str, requests: usize) {
    cluster.load().member(id).unwrap().payload().add(requests);
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A2: 3 nodes, 3000 requests for one key, a tick, and one more request. There the first rebalance waits for the lock
/// that it holds, and so does every lookup from then on.
#[test]
fn a2_a_request_after_a_rebalance_is_answered() {
    let mut balancer = Balancer::new(ReachCacheRebalance::default());
    let cluster = Arc::new(counted(&mut balancer, &["A", "B", "C"]));
    let interval = Duration::from_millis(20);
    let balancer = balancer.with_interval(interval).unwrap();
    let balancing = Background::start(balancer, Arc::clone(&cluster)).unwrap();
    let (done, finished) = mpsc::channel();
    thread::spawn(move || {
        let get = |key: &[u8]| cluster.load().pick(key).unwrap().payload().count();
        while cluster.load().epoch() == 0 {
            (0..3000).for_each(|_| get(b"hot"));
        }
        get(b"hot");
        let add = Batch::new().remove("A");
        done.send(cluster.apply(add).is_ok()).unwrap();
    });
    assert_eq!(finished.recv_timeout(at(60)), Ok(true));
    balancing.stop();
}

/// A3: nodes come and go while the balancer ticks: races there. Here the ring is that of its list in the end, however
/// often the balancer changed it.
#[test]
fn a3_nodes_come_and_go_while_the_balancer_ticks() {
    let mut balancer = Balancer::new(ReachCacheRebalance::default());
    let more = ["x", "y"].map(|id| balancer.counter(&NodeId::new(id).unwrap()));
    let cluster = Arc::new(counted(&mut balancer, &["A", "B", "C"]));
    let interval = Duration::from_micros(200);
    let balancer = balancer.with_interval(interval).unwrap();
    let balancing = Background::start(balancer, Arc::clone(&cluster)).unwrap();
    let changes = cluster.changes();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for key in sessions(1000).iter().cycle() {
                cluster
                    .load()
                    .pick(key.as_bytes())
                    .unwrap()
                    .payload()
                    .count();
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        let began = Instant::now();
        let mut rounds = 0;
        for turn in 0.. {
            let (id, counter) = (["x", "y"][turn % 2], &more[turn % 2]);
            cluster
                .apply(Batch::new().add(node(id, 50), counter.clone()))
                .unwrap();
            cluster.apply(Batch::new().remove(id)).unwrap();
            while let Some(change) = changes.try_next() {
                rounds += usize::from(!change.reweighted().is_empty());
            }
            if (turn >= 100 && rounds >= 10) || began.elapsed() > at(30) {
                assert!(rounds >= 10, "{rounds} rounds beside {turn} changes");
                break;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(
        (balancing.panics(), balancing.refusal()),
        (0, None::<RouteError>)
    );
    balancing.stop();
    let now = cluster.load();
    let mut members: Vec<_> = now.all_members().collect();
    members.sort_by(|a, b| a.id().cmp(b.id()));
    assert_eq!(members.len(), 3);
    let anew = members.iter().map(|it| node(it.id().as_str(), it.weight()));
    let anew = VectorRing::from_nodes_with(now.router().scheme().clone(), anew).unwrap();
    assert_eq!(now.router().points(), anew.points());
    for key in sessions(1000) {
        let key = key.as_bytes();
        assert_eq!(now.router().route_id(key), anew.route_id(key));
    }
}

/// A4: two nodes with about as many requests each, one of them removed. There the total still counts it: of 2000 requests
/// the other has a share of 0.4885, so it looks half idle and gets 75 points. (The policies want 1000 of the one.)
#[test]
fn a4_who_left_is_in_no_total() {
    fn check(policy: impl Policy) {
        let mut balancer = Balancer::new(policy);
        let cluster = counted(&mut balancer, &["A", "B"]);
        balancer.tick(at(0), &cluster).unwrap();
        for key in sessions(4000) {
            cluster
                .load()
                .pick(key.as_bytes())
                .unwrap()
                .payload()
                .count();
        }
        cluster.apply(Batch::new().remove("B")).unwrap();
        let round = balancer.tick(at(1), &cluster).unwrap().unwrap();
        assert_eq!(round.stats.share("A"), Some(1.0));
        assert_eq!(
            (round.stats.share("B"), round.judgement.verdict),
            (None, Verdict::Even)
        );
        assert_eq!(points(&cluster), [50]);
    }
    check(Steady::default());
    check(ReachCacheRebalance::default());
}

/// A5: two balanced nodes with 1000 requests each, and a third joins. There it is idle: 33, 33 and 100 points.
#[test]
fn a5_a_newcomer_is_not_idle() {
    let mut balancer = Balancer::new(Steady::default());
    let cluster = counted(&mut balancer, &["A", "B"]);
    balancer.tick(at(0), &cluster).unwrap();
    count(&cluster, "A", 1000);
    count(&cluster, "B", 1000);
    let counter = balancer.counter(&NodeId::new("C").unwrap());
    cluster
        .apply(Batch::new().add(node("C", 50), counter))
        .unwrap();
    let round = balancer.tick(at(1), &cluster).unwrap().unwrap();
    assert_eq!(round.judgement.verdict, Verdict::Even);
    assert_eq!(points(&cluster), [50, 50, 50]);
    // It is in the statistics all the same.
    assert_eq!(round.stats.share("C"), Some(0.0));
}

/// A6: one hot key. There its node goes down to 10 points and the others up to 200, and the key stays where it is.
/// Here it is named, and nothing moves.
#[test]
fn a6_one_hot_key_is_named_and_not_chased() {
    let mut balancer = Balancer::new(Steady::default());
    let cluster = counted(&mut balancer, &["A", "B", "C"]);
    let hot = Xxh3.hash(b"hot");
    let home = cluster.load().pick(b"hot").unwrap().id().clone();
    balancer.tick(at(0), &cluster).unwrap();
    for second in 1..=20 {
        for _ in 0..3000 {
            let now = cluster.load();
            now.pick(b"hot").unwrap().payload().count();
            balancer.observe(hot, now.pick(b"hot").unwrap().id());
        }
        for id in ["A", "B", "C"] {
            count(&cluster, id, 300);
            let id = NodeId::new(id).unwrap();
            (0..300).for_each(|digest| balancer.observe(digest, &id));
        }
        let round = balancer.tick(at(second), &cluster).unwrap().unwrap();
        let named: Vec<_> = round
            .judgement
            .hot
            .iter()
            .map(|key| (key.digest, &key.node))
            .collect();
        assert_eq!(named, [(hot, &home)]);
    }
    assert_eq!(points(&cluster), [50, 50, 50]);
    assert_eq!(cluster.load().epoch(), 0);
}
