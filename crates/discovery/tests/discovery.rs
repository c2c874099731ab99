//! Sources, time and a cluster, joined: with a source that does as it is told, and a clock that stands still.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use keyroute_cluster::{Batch, Rehashed};
use keyroute_core::Router;
use keyroute_discovery::{
    Cluster, Damping, Discovery, Event, Feed, Membership, News, Peer, Report, Sighting, Source,
    SourceError, StaticList,
};
use keyroute_jump::Jump;
use keyroute_vector_ring::VectorRing;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep};

mod support;
use support::{Fed, GRACE};

/// A source that says what the test says.
struct Told(UnboundedReceiver<News>);

impl Source for Told {
    async fn next(&mut self) -> News {
        match self.0.recv().await {
            Some(news) => news,
            None => std::future::pending().await,
        }
    }
}

/// A cluster, and what feeds it.
struct World {
    fed: Fed,
    says: UnboundedSender<News>,
}

impl World {
    fn begin(damping: Damping) -> Self {
        let (says, hears) = unbounded_channel();
        let fed = Fed::by(Told(hears), damping);
        Self { fed, says }
    }

    fn see(&self, ids: &[&str]) {
        self.says.send(News::Seen(seen(ids))).unwrap();
    }

    fn lose(&self) {
        let error = SourceError::Other("gone".into());
        self.says.send(News::Lost(error)).unwrap();
    }

    fn ids(&self) -> Vec<String> {
        self.fed.ids().into_iter().collect()
    }
}

fn peer(id: &str) -> Peer {
    Peer::new(id, format!("{id}.local:80")).unwrap()
}

fn seen(ids: &[&str]) -> Sighting {
    Sighting::of(ids.iter().map(|id| peer(id)))
}

async fn seconds(seconds: f64) {
    sleep(Duration::from_secs_f64(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_restart_within_the_grace_moves_no_key() {
    let world = World::begin(Damping::default());
    world.see(&["a", "b", "c"]);
    seconds(1.0).await;
    let (epoch, print) = (world.fed.epoch(), world.fed.cluster.load().fingerprint());
    world.see(&["a", "c"]);
    seconds(9.9).await;
    world.see(&["a", "b", "c"]);
    seconds(100.0).await;
    assert_eq!(world.fed.epoch(), epoch);
    assert_eq!(world.fed.cluster.load().fingerprint(), print);
    assert_eq!(world.fed.reported("is back in time"), 1);
}

#[tokio::test(start_paused = true)]
async fn who_stays_away_leaves_by_itself_and_in_time() {
    let world = World::begin(Damping::default());
    world.see(&["a", "b", "c"]);
    seconds(1.0).await;
    world.see(&["a", "c"]);
    seconds(9.9).await;
    assert_eq!(world.ids(), ["a", "b", "c"]);
    seconds(0.3).await; // the rest of the grace, and the time of gathering
    assert_eq!(world.ids(), ["a", "c"]);
    assert_eq!(world.fed.epoch(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_first_state_waits_for_nothing() {
    let world = World::begin(Damping::default().with_gather(Duration::from_secs(5)));
    let began = Instant::now();
    world.see(&["a"]);
    while world.ids().is_empty() {
        seconds(0.001).await;
    }
    assert!(began.elapsed() < Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn states_that_come_together_are_one_change_and_none_waits_longer() {
    let world = World::begin(Damping::default().with_gather(Duration::from_secs(1)));
    world.see(&["a"]);
    seconds(2.0).await;
    assert_eq!(world.fed.epoch(), 1);
    for ids in [&["a", "b"][..], &["a", "b", "c"], &["a", "b", "c", "d"]] {
        world.see(ids);
        seconds(0.3).await;
    }
    assert_eq!(world.fed.epoch(), 1);
    seconds(0.2).await;
    assert_eq!((world.fed.epoch(), world.ids().len()), (2, 4));
}

#[tokio::test(start_paused = true)]
async fn a_fault_of_the_source_changes_nothing_and_its_end_is_one_change() {
    let world = World::begin(Damping::default());
    world.see(&["a", "b", "c"]);
    seconds(1.0).await;
    world.lose();
    world.lose();
    seconds(3600.0).await;
    assert_eq!((world.ids().len(), world.fed.epoch()), (3, 1));
    world.see(&["a", "d", "e"]);
    seconds(1.0).await;
    assert_eq!(world.ids(), ["a", "b", "c", "d", "e"]);
    seconds(10.0).await;
    assert_eq!(
        (world.ids(), world.fed.epoch()),
        (vec!["a".into(), "d".into(), "e".into()], 3)
    );
    assert_eq!(world.fed.reported("cannot be seen"), 2);
    assert_eq!(world.fed.reported("is seen again"), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_empties_the_ring_until_somebody_says_so() {
    let world = World::begin(Damping::default());
    world.see(&["a", "b"]);
    seconds(1.0).await;
    world.see(&[]);
    seconds(3600.0).await;
    assert_eq!(world.ids(), ["a", "b"]);
    assert_eq!(world.fed.reported("lists nobody"), 1);
    world.fed.release.now();
    seconds(1.0).await;
    assert!(world.ids().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_collapse_is_held_until_it_is_released() {
    let world = World::begin(Damping::default().with_max_loss(50));
    world.see(&["a", "b", "c", "d"]);
    seconds(1.0).await;
    world.see(&["a"]);
    seconds(3600.0).await;
    assert_eq!(world.ids().len(), 4);
    assert_eq!(world.fed.reported("3 of 4 members are absent"), 1);
    world.fed.release.now();
    seconds(1.0).await;
    assert_eq!(world.ids(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn states_that_say_the_same_change_nothing() {
    let world = World::begin(Damping::default());
    for _ in 0..20 {
        world.see(&["a", "b"]);
        seconds(1.0).await;
    }
    assert_eq!(world.fed.epoch(), 1);
}

#[tokio::test(start_paused = true)]
async fn another_address_moves_no_key() {
    let world = World::begin(Damping::default());
    world.see(&["a", "b"]);
    seconds(1.0).await;
    let print = world.fed.cluster.load().fingerprint();
    let moved = Peer::new("b", "elsewhere:80").unwrap();
    world
        .says
        .send(News::Seen(Sighting::of([peer("a"), moved])))
        .unwrap();
    seconds(1.0).await;
    let now = world.fed.cluster.load();
    assert_eq!(now.member("b").unwrap().payload(), "elsewhere:80");
    assert_eq!((now.epoch(), now.fingerprint()), (2, print));
}

#[tokio::test(start_paused = true)]
async fn a_member_of_weight_0_is_listed_and_owns_nothing() {
    let world = World::begin(Damping::default());
    let drained = peer("b").with_weight(0);
    world
        .says
        .send(News::Seen(Sighting::of([peer("a"), drained])))
        .unwrap();
    seconds(1.0).await;
    let now = world.fed.cluster.load();
    assert_eq!(now.member("b").unwrap().weight(), 0);
    for key in 0..200u32 {
        assert_eq!(now.pick(&key.to_le_bytes()).unwrap().id(), "a");
    }
}

/// A thread that reads all the time sees whole states alone: all of one generation, or of the one before.
#[test]
fn readers_see_whole_states_only() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
    let (stop, seen_epoch) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut reader = cluster.reader();
            while !stop.load(Ordering::Relaxed) {
                let now = reader.snapshot();
                let ids: Vec<String> = now.all_members().map(|it| it.id().to_string()).collect();
                let epoch = now.epoch();
                if epoch > 0 {
                    assert!(now.pick(b"user:1").is_ok(), "no answer at epoch {epoch}");
                    assert!(now.members().iter().count() == ids.len());
                }
                let generations: BTreeSet<&str> =
                    ids.iter().map(|id| id.split('-').next().unwrap()).collect();
                // Each generation has five members, which come and leave together.
                assert_eq!(ids.len(), 5 * generations.len(), "{ids:?}");
                seen_epoch.store(epoch, Ordering::Relaxed);
            }
        });
        runtime.block_on(async {
            let (says, hears) = unbounded_channel();
            let discovery = Discovery::new(Told(hears)).with_damping(
                Damping::default()
                    .with_grace(GRACE)
                    .with_gather(Duration::ZERO),
            );
            let task = tokio::spawn(discovery.feed(Arc::clone(&cluster), |_| ()));
            for generation in 0..100 {
                let ids: Vec<String> = (0..5).map(|it| format!("{generation}-{it}")).collect();
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                says.send(News::Lost(SourceError::Other("gone".into())))
                    .unwrap();
                says.send(News::Seen(seen(&ids))).unwrap();
                seconds(11.0).await;
                // The reader sees each generation, however busy the machine is.
                let epoch = cluster.load().epoch();
                while seen_epoch.load(Ordering::Relaxed) < epoch && !reader.is_finished() {
                    std::thread::yield_now();
                }
            }
            task.abort();
        });
        stop.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    assert_eq!(cluster.load().epoch(), 199);
}

/// Whatever happened on the way, the router is the one of the last state.
#[test]
fn the_way_to_a_state_decides_nothing() {
    let way = proptest::collection::vec(
        (
            proptest::collection::btree_set(0u8..8, 1..6),
            1u32..4,
            0u64..25,
        ),
        1..12,
    );
    let config = Config {
        cases: 60,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(&way, |way| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build()
                .unwrap();
            runtime.block_on(async {
                let world = World::begin(Damping::default());
                let peers = |ids: &BTreeSet<u8>, weight: u32| {
                    let peers = ids
                        .iter()
                        .map(|id| peer(&format!("node-{id}")).with_weight(weight));
                    peers.collect::<Membership>()
                };
                for (ids, weight, pause) in &way {
                    let sighting = Sighting::of(peers(ids, *weight).iter().cloned());
                    world.says.send(News::Seen(sighting)).unwrap();
                    sleep(Duration::from_secs(*pause)).await;
                }
                seconds(11.0).await;
                let (ids, weight, _) = way.last().unwrap();
                let fresh = peers(ids, *weight);
                let fresh = fresh.iter().map(|it| it.listing(it.address().to_owned()));
                let fresh = Cluster::from_members(VectorRing::new(), fresh).unwrap();
                assert_eq!(
                    world.fed.cluster.load().fingerprint(),
                    fresh.load().fingerprint()
                );
                let now = world.fed.cluster.load();
                for member in fresh.load().all_members() {
                    let found = now.member(member.id().as_str()).unwrap();
                    assert_eq!(found.payload(), member.payload());
                }
            });
            Ok(())
        })
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn known_members_are_told_at_once_and_replaced_when_others_are_seen() {
    let list = StaticList::new([peer("b"), peer("c")].into_iter().collect());
    let told = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&told);
    let known = [peer("a"), peer("b")].into_iter().collect();
    let damping = Damping::default().with_grace(GRACE);
    let discovery = Discovery::new(list)
        .with_members(known)
        .with_damping(damping);
    let run = tokio::spawn(discovery.run(move |event| {
        if let Event::Members(members) = event {
            let ids: String = members.iter().map(|it| it.id().as_str()).collect();
            log.lock().unwrap().push(ids);
        }
    }));
    seconds(60.0).await;
    assert_eq!(*told.lock().unwrap(), ["ab", "abc", "bc"]);
    run.abort();
}

fn fed<R: keyroute_core::Walk>(
    feed: &mut Feed<R, String, impl FnMut(&Peer) -> String>,
    peers: &[Peer],
) -> Vec<Report> {
    let mut reports = Vec::new();
    feed.set(&peers.iter().cloned().collect(), |report| {
        reports.push(report);
    });
    reports
}

#[test]
fn a_member_that_the_router_refuses_costs_no_other() {
    let cluster = Arc::new(Cluster::new(Rehashed::new(Jump::new()), |_| String::new()));
    let mut feed = Feed::new(Arc::clone(&cluster), |peer| peer.address().to_owned());
    fed(&mut feed, &[peer("a"), peer("b")]);
    // Jump knows no weights: b keeps the one it had, and takes the address.
    let heavy = Peer::new("b", "elsewhere:80").unwrap().with_weight(3);
    let reports = fed(
        &mut feed,
        &[peer("a"), heavy, peer("c"), peer("d").with_weight(2)],
    );
    let refused: Vec<String> = reports
        .iter()
        .filter_map(|report| match report {
            Report::MemberRefused { id, .. } => Some(id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(refused, ["b", "d"]);
    assert!(matches!(reports.last(), Some(Report::Changed(_))));
    let now = cluster.load();
    let ids: Vec<&str> = now.all_members().map(|it| it.id().as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(now.member("b").unwrap().payload(), "elsewhere:80");
    assert_eq!(now.member("b").unwrap().weight(), 1);
}

#[test]
fn what_is_refused_as_a_whole_leaves_the_cluster_as_it_was() {
    let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
    let mut feed = Feed::new(Arc::clone(&cluster), |peer| peer.address().to_owned());
    fed(&mut feed, &[peer("a"), peer("b")]);
    let reports = fed(&mut feed, &[peer("a"), peer("b").with_weight(u32::MAX)]);
    assert!(matches!(reports[..], [Report::Refused(_)]), "{reports:?}");
    assert_eq!(cluster.load().epoch(), 1);
    let reports = fed(&mut feed, &[peer("a"), peer("b"), peer("c")]);
    assert!(matches!(reports[..], [Report::Changed(_)]));
    assert!(fed(&mut feed, &[peer("a"), peer("b"), peer("c")]).is_empty());
}

#[test]
fn members_by_other_hands_leave_and_health_stays() {
    let cluster = Arc::new(Cluster::new(VectorRing::new(), |_| String::new()));
    let mut feed = Feed::new(Arc::clone(&cluster), |peer| peer.address().to_owned());
    fed(&mut feed, &[peer("a"), peer("b")]);
    let by_hand = keyroute_core::Node::new("x").unwrap();
    cluster
        .apply(Batch::new().add(by_hand, "x".into()).down("b"))
        .unwrap();
    fed(&mut feed, &[peer("a"), peer("b"), peer("c")]);
    let now = cluster.load();
    assert!(now.member("x").is_none());
    assert!(now.member("b").unwrap().status().is_down());
}

#[test]
fn a_refusal_is_said_once_and_again_if_it_is_another() {
    let cluster = Arc::new(Cluster::new(Rehashed::new(Jump::new()), |_| String::new()));
    let mut feed = Feed::new(Arc::clone(&cluster), |peer| peer.address().to_owned());
    let mut refusals = |peers: &[Peer]| {
        let reports = fed(&mut feed, peers);
        let refusals = reports
            .iter()
            .filter(|it| matches!(it, Report::MemberRefused { .. }));
        refusals.count()
    };
    let heavy = || peer("b").with_weight(2);
    assert_eq!(refusals(&[peer("a"), heavy()]), 1);
    assert_eq!(refusals(&[peer("a"), heavy(), peer("c")]), 0);
    assert_eq!(refusals(&[peer("a"), heavy().with_weight(3)]), 1);
    assert_eq!(refusals(&[peer("a"), peer("b")]), 0);
    assert_eq!(refusals(&[peer("a"), heavy()]), 1);
}

#[test]
fn a_router_that_refuses_nearly_all_is_not_asked_for_ever() {
    let cluster = Arc::new(Cluster::new(Rehashed::new(Jump::new()), |_| String::new()));
    let mut feed = Feed::new(Arc::clone(&cluster), |peer| peer.address().to_owned());
    fed(&mut feed, &[peer("a")]);
    let heavy: Vec<Peer> = (0..100)
        .map(|it| peer(&format!("node-{it}")).with_weight(2))
        .collect();
    let reports = fed(&mut feed, &heavy);
    assert_eq!(reports.len(), 65);
    assert!(matches!(reports.last(), Some(Report::Refused(_))));
    assert_eq!(cluster.load().epoch(), 1);
}

/// A source that sees at set times.
struct Scheduled(std::vec::IntoIter<(Duration, Sighting)>, Instant);

impl Source for Scheduled {
    async fn next(&mut self) -> News {
        match self.0.next() {
            Some((at, sighting)) => {
                tokio::time::sleep_until(self.1 + at).await;
                News::Seen(sighting)
            }
            None => std::future::pending().await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn who_returns_in_the_last_moment_does_not_leave() {
    let second = Duration::from_secs(1);
    let plan = vec![
        (Duration::ZERO, seen(&["a", "b"])),
        (second, seen(&["a"])),
        (second + GRACE, seen(&["a", "b"])),
    ];
    let source = Scheduled(plan.into_iter(), Instant::now());
    let discovery = Discovery::new(source).with_damping(Damping::default().with_grace(GRACE));
    let returned = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&returned);
    let run = discovery.run(move |event| {
        if let Event::Report(Report::Returned { .. }) = event {
            told.store(true, Ordering::Relaxed);
        }
    });
    let _ = tokio::time::timeout(2 * GRACE, run).await;
    assert!(returned.load(Ordering::Relaxed));
}

#[tokio::test(start_paused = true)]
async fn changes_may_be_gathered_for_ever() {
    let world = World::begin(Damping::default().with_gather(Duration::MAX));
    world.see(&["a"]);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(world.ids(), ["a"]); // the first state does not wait
    world.see(&["a", "b"]);
    sleep(Duration::from_secs(1_000_000)).await;
    assert_eq!(world.ids(), ["a"]);
    assert!(!world.fed.task.is_finished());
}
