//! Threads: readers see the list before a change or after it; subscribers are told each change in order.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::panic;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use keyroute_cluster::{BACKLOG, Batch, Change, Cluster, Listing, Rehashed, Terms, Walk};
use keyroute_core::hash::Xxh3;
use keyroute_maglev::{Maglev, TableSize};
use keyroute_vector_ring::VectorRing;
use support::{change, node};

/// A payload that says of which change it is.
type Stamped<R> = Cluster<R, u64>;

/// All payloads of a snapshot bear one stamp, every slot that a lookup answers has a member, and the router holds
/// whom that stamp's list held: a mix would show in each.
fn hold_to_one_list<R: Walk + Send + Sync>(cluster: &Stamped<R>, rounds: u64) {
    let ids = |round: u64| (0..6u64).filter(move |place| place % 3 != round % 3);
    let list = |round: u64| {
        ids(round).map(move |place| Listing::from((node(&format!("n{place}")), round)))
    };
    cluster.set_members(list(0), Terms::at_once()).unwrap();
    let done = AtomicBool::new(false);
    let started = Barrier::new(3);
    let looked = AtomicU64::new(0);
    thread::scope(|scope| {
        for thread in 0..2u64 {
            let (done, started, looked) = (&done, &started, &looked);
            scope.spawn(move || {
                let mut reader = cluster.reader();
                let mut last = 0;
                let mut number = thread;
                started.wait();
                while !done.load(Ordering::Relaxed) {
                    number += 1;
                    let check = |now: &keyroute_cluster::Snapshot<R, u64>, last: &mut u64| {
                        let round = *now.at(now.router().route(b"k").unwrap()).unwrap().payload();
                        assert!(round >= *last, "time went back");
                        *last = round;
                        assert!(now.all_members().all(|member| *member.payload() == round));
                        let held = ids(round).map(|place| format!("n{place}"));
                        assert!(
                            held.eq(now.router().members().by_id().map(|slot| now
                                .at(slot)
                                .unwrap()
                                .id()
                                .to_string()))
                        );
                        let pick = now.pick(&number.to_le_bytes()).unwrap();
                        assert_eq!(*pick.payload(), round);
                    };
                    check(reader.snapshot(), &mut last);
                    check(&cluster.load(), &mut last);
                    looked.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        started.wait();
        for round in 1..=rounds {
            // The order of listing too is that of one round.
            let changed = cluster.set_members(list(round), Terms::at_once()).unwrap();
            assert!(changed.is_some());
            if round % 7 == 0 {
                let id = cluster.load().all_members().next().unwrap().id().clone();
                cluster.apply(Batch::new().down(id.as_str())).unwrap();
            }
        }
        // However slow the machine, readers have looked while lists changed or after.
        while looked.load(Ordering::Relaxed) < 100 {
            thread::yield_now();
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn readers_see_one_list_of_a_ring() {
    hold_to_one_list(
        &Cluster::new(VectorRing::new(), |_| 0).with_samples(16),
        3000,
    );
}

#[test]
fn readers_see_one_list_of_a_table() {
    let maglev = Maglev::with_hasher(Xxh3, TableSize::new(251).unwrap());
    hold_to_one_list(
        &Cluster::new(Rehashed::new(maglev), |_| 0).with_samples(16),
        3000,
    );
}

#[test]
fn writers_take_turns_and_no_change_is_lost() {
    let cluster = Cluster::new(VectorRing::new(), |_| 0u64).with_samples(8);
    let changes = cluster.changes();
    thread::scope(|scope| {
        for thread in 0..4 {
            let cluster = &cluster;
            scope.spawn(move || {
                for round in 0..50 {
                    let id = format!("{thread}/{}", round % 5);
                    let batch = if round % 10 < 5 {
                        Batch::new().add(node(&id), round)
                    } else {
                        Batch::new().remove(id)
                    };
                    change(cluster, batch);
                }
            });
        }
    });
    // Another thread may still be telling when the last writer returns; but it is joined by now.
    let told: Vec<Arc<Change>> = std::iter::from_fn(|| changes.try_next()).collect();
    assert!(told.iter().map(|change| change.before()).eq(0..200));
    assert_eq!(cluster.load().epoch(), 200);
    assert!(cluster.load().router().members().is_empty());
}

#[test]
fn a_subscriber_that_panics_stops_nobody() {
    let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let _bad = cluster.subscribe(|_| panic::resume_unwind(Box::new("no message")));
    let _good = cluster.subscribe({
        let heard = Arc::clone(&heard);
        move |change| heard.lock().unwrap().push(change.after())
    });
    for turn in 0..3 {
        change(
            &cluster,
            if turn % 2 == 0 {
                Batch::new().down("a")
            } else {
                Batch::new().up("a")
            },
        );
    }
    assert_eq!(*heard.lock().unwrap(), [1, 2, 3]);
    assert_eq!(cluster.panics(), 3);
}

/// The seed's balancer called Remove with its own lock held, and waited for ever.
#[test]
fn a_subscriber_may_panic_with_what_panics_when_it_is_dropped() {
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ());
    let panicking = cluster.subscribe(|_| panic::panic_any(Again));
    let changes = cluster.changes();
    for id in ["a", "b"] {
        assert!(cluster.apply(Batch::new().down(id)).unwrap().is_some());
        assert_eq!(changes.try_next().unwrap().statuses()[0].id, id);
    }
    assert_eq!(cluster.panics(), 2);
    drop(panicking);
}

#[test]
fn a_subscriber_may_read_and_change_the_cluster() {
    let cluster = Arc::new(Cluster::new(
        VectorRing::from_ids(["a", "b"]).unwrap(),
        |_| (),
    ));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let subscription = cluster.subscribe({
        let (cluster, heard) = (Arc::downgrade(&cluster), Arc::clone(&heard));
        move |change| {
            let cluster = cluster.upgrade().unwrap();
            assert!(cluster.load().epoch() >= change.after());
            if change.after() < 5 {
                let id = format!("more-{}", change.after());
                cluster.apply(Batch::new().add(node(&id), ())).unwrap();
            }
            heard.lock().unwrap().push(change.after());
        }
    });
    change(&cluster, Batch::new().down("a"));
    assert_eq!(*heard.lock().unwrap(), [1, 2, 3, 4, 5]);
    drop(subscription);
    change(&cluster, Batch::new().up("a"));
    assert_eq!(heard.lock().unwrap().len(), 5);
}

#[test]
fn a_slow_subscriber_holds_up_nobody_and_misses_the_oldest() {
    let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ()).with_samples(0);
    let (release, gate) = mpsc::channel::<()>();
    let (busy, is_busy) = mpsc::channel();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let _slow = cluster.subscribe({
        let (heard, gate, busy) = (Arc::clone(&heard), Mutex::new(gate), Mutex::new(Some(busy)));
        move |change| {
            if let Some(busy) = busy.lock().unwrap().take() {
                busy.send(()).unwrap();
                gate.lock().unwrap().recv().unwrap();
            }
            heard
                .lock()
                .unwrap()
                .push((change.before(), change.after()));
        }
    });
    let all = BACKLOG as u64 + 500;
    thread::scope(|scope| {
        scope.spawn(|| change(&cluster, Batch::new().down("a")));
        is_busy.recv().unwrap();
        // The first change is being told. Readers and writers go on.
        for turn in 0..all {
            change(
                &cluster,
                if turn % 2 == 0 {
                    Batch::new().up("a")
                } else {
                    Batch::new().down("a")
                },
            );
            assert!(cluster.load().pick(b"k").is_ok());
        }
        assert_eq!(cluster.load().epoch(), 1 + all);
        release.send(()).unwrap();
    });
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 1 + BACKLOG);
    assert_eq!(heard[0], (0, 1));
    assert_eq!(heard[1], (501, 502));
    assert!(heard[1..].windows(2).all(|pair| pair[0].1 == pair[1].0));
}

#[test]
fn changes_that_nobody_takes_are_bounded() {
    let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ()).with_samples(0);
    let changes = cluster.changes();
    for turn in 0..BACKLOG + 10 {
        change(
            &cluster,
            if turn % 2 == 0 {
                Batch::new().down("a")
            } else {
                Batch::new().up("a")
            },
        );
    }
    let first = changes.try_next().unwrap();
    assert_eq!(first.before(), 10);
    assert_eq!(
        std::iter::from_fn(|| changes.try_next()).count(),
        BACKLOG - 1
    );
}

#[test]
fn changes_wake_who_waits() {
    let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| ());
    let changes = cluster.changes();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            changes
                .next_within(Duration::from_secs(60))
                .unwrap()
                .after()
        });
        change(&cluster, Batch::new().down("a"));
        assert_eq!(waiting.join().unwrap(), 1);
    });
}

/// A reader's cache may not answer of a snapshot before the change that its own thread has made.
#[test]
fn who_changes_the_cluster_sees_the_change() {
    let cluster =
        Cluster::new(VectorRing::from_ids(["a", "b", "c"]).unwrap(), |_| 0u64).with_samples(0);
    let mut reader = cluster.reader();
    let seen = AtomicUsize::new(0);
    for turn in 1..500 {
        change(&cluster, Batch::new().payload("a", turn));
        assert_eq!(*reader.snapshot().member("a").unwrap().payload(), turn);
        assert_eq!(*cluster.load().member("a").unwrap().payload(), turn);
        seen.fetch_add(1, Ordering::Relaxed);
    }
    assert_eq!(seen.into_inner(), 499);
    // What was kept stays.
    let kept = reader.shared_snapshot();
    drop(cluster);
    assert_eq!(kept.epoch(), 499);
    assert_eq!(reader.clone().snapshot().pick_n(b"k", 5).len(), 3);
}
