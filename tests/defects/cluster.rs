//! Nodes that come and go while threads route: the originals' races, and what they accept that they should refuse.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use keyroute::hash::Crc32;
use keyroute::{
    Batch, Cluster, Labelled, LastListed, Listing, Node, NodeId, OnDown, Ramp, RouteError,
    Unavailable, VectorRing, WithTies,
};
use keyroute_tests::{node, sessions};

type Ring = VectorRing<WithTies<Labelled<Crc32>, LastListed>>;

/// A ring as seed 000's, 50 points a node, remade of the whole list.
fn cluster(points: u32, ids: &[&str]) -> Result<Cluster<Ring, String>, RouteError> {
    let factory = move |nodes: &[Node]| {
        let scheme = Labelled::new("{node}-{i}", Crc32)?.with_points_per_weight(points)?;
        VectorRing::from_nodes_with(WithTies::new(scheme, LastListed), nodes.iter().cloned())
    };
    let members = ids.iter().map(|id| (node(id, 1), format!("{id}:6379")));
    Cluster::from_factory(factory, members)
}

/// A1: added twice and removed once, the original panics at the next lookup.
#[test]
fn a1_a_member_added_twice_is_refused_and_removed_once() {
    let cluster = cluster(50, &[]).unwrap();
    let add = || cluster.apply(Batch::new().add(node("A", 1), "A:6379".to_owned()));
    add().unwrap();
    let id = NodeId::new("A").unwrap();
    assert_eq!(add().unwrap_err(), RouteError::AlreadyMember { id });
    assert_eq!(cluster.load().router().points(), 50);
    cluster.apply(Batch::new().remove("A")).unwrap();
    assert_eq!(cluster.load().pick(b"x").unwrap_err(), Unavailable::NoOwner);
    let again = cluster.apply(Batch::new().remove("A"));
    assert_eq!(again.unwrap_err(), RouteError::NotMember { id: "A".into() });
}

/// A2: the original's balancer removes a node while it holds the lock that Remove takes, and waits for ever.
#[test]
fn a2_a_change_made_while_a_change_is_told_does_not_wait_for_itself() {
    let cluster = Arc::new(cluster(50, &["A", "B", "C"]).unwrap());
    let _balancer = cluster.subscribe({
        let cluster = Arc::downgrade(&cluster);
        move |change| {
            if !change.statuses().is_empty() {
                let cluster = cluster.upgrade().unwrap();
                cluster.apply(Batch::new().reweight("B", 2)).unwrap();
            }
        }
    });
    let (done, finished) = mpsc::channel();
    thread::spawn({
        let cluster = Arc::clone(&cluster);
        move || {
            cluster.apply(Batch::new().down("A")).unwrap();
            done.send(cluster.load().epoch()).unwrap();
        }
    });
    assert_eq!(finished.recv_timeout(Duration::from_secs(60)), Ok(2));
}

/// A3: nodes are added and removed while time ticks, and while others route.
#[test]
fn a3_nodes_come_and_go_while_time_ticks_and_threads_route() {
    let cluster = cluster(50, &["A", "B"]).unwrap();
    let stop = AtomicBool::new(false);
    let keys = sessions(200);
    thread::scope(|scope| {
        let route = || {
            let mut reader = cluster.reader();
            while !stop.load(Ordering::Relaxed) {
                let now = reader.snapshot();
                for key in &keys {
                    let pick = now.pick(key.as_bytes()).unwrap();
                    assert_eq!(*pick.payload(), format!("{}:6379", pick.id()));
                }
            }
        };
        let tick = || {
            for second in 0.. {
                cluster.tick(Duration::from_secs(second)).unwrap();
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        };
        let readers = [scope.spawn(route), scope.spawn(route)];
        let ticker = scope.spawn(tick);
        let ramp = Ramp::new(Duration::from_secs(50), 10).unwrap();
        for round in 0..200 {
            let id = format!("more-{}", round % 7);
            let batch = Batch::new()
                .add(node(&id, 1), format!("{id}:6379"))
                .ramp(id.as_str(), ramp);
            cluster.apply(batch).unwrap();
            cluster.apply(Batch::new().remove(id)).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
        ticker.join().unwrap();
    });
    let now = cluster.load();
    assert_eq!(now.router().members().len(), 2);
    assert!(now.epoch() >= 400);
}

/// A7: with 0 replicas the original's ring stays empty, and Remove then says that the node is unknown.
#[test]
fn a7_what_can_own_nothing_is_refused_or_says_so() {
    let refused = cluster(0, &["A"]).map(drop).unwrap_err();
    assert!(matches!(
        refused,
        RouteError::PointsPerWeight { given: 0, .. }
    ));

    let cluster = cluster(50, &["A"]).unwrap();
    let drained = Listing::new(node("B", 1), "B:6379".to_owned()).drained();
    cluster.apply(Batch::new().list(drained)).unwrap();
    assert_eq!(
        cluster.load().member("B").map(|member| member.weight()),
        Some(0)
    );
    let change = cluster.apply(Batch::new().remove("B")).unwrap().unwrap();
    assert_eq!(change.removed(), ["B"]);

    let steps = Ramp::new(Duration::from_secs(1), 0);
    assert!(matches!(steps, Err(RouteError::Parameter { given, .. }) if given == "0"));
}

/// B6: AddNode beside Route is fatal in the original: a map is written while it is read.
#[test]
fn b6_nodes_join_while_threads_route() {
    let cluster = cluster(50, &["A"]).unwrap().with_policy(OnDown::FailFast);
    thread::scope(|scope| {
        for thread in 0..4u32 {
            let cluster = &cluster;
            scope.spawn(move || {
                for round in 0..2000u32 {
                    let now = cluster.load();
                    assert!(now.pick(&(thread * 2000 + round).to_le_bytes()).is_ok());
                }
            });
        }
        for number in 0..100 {
            let id = format!("n{number}");
            cluster
                .apply(Batch::new().add(node(&id, 1), id.clone()))
                .unwrap();
        }
    });
    assert_eq!(cluster.load().router().points(), 101 * 50);
}
