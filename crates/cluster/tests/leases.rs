//! Leases: every load is given back once whatever happens to its member, and no member takes more than its capacity.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use keyroute_cluster::{
    Batch, Cluster, Exact, Lease, Listing, Node, OnDown, Ramp, RouteError, Snapshot, Terms,
    Unavailable, Walk, Zone,
};
use keyroute_vector_ring::VectorRing;
use keyroute_zone_aware::ZoneAware;
use support::{NAMES, STRATEGIES, change, keys, node, ranking, weighted};

fn epsilon(thousandths: u32) -> Exact {
    Exact::new(thousandths).unwrap()
}

fn ring(ids: &[&str], thousandths: u32) -> Cluster<VectorRing, u64> {
    let ring = VectorRing::from_ids(ids).unwrap();
    Cluster::new(ring, |_| 7).with_bound(epsilon(thousandths))
}

/// A key at home with this member.
fn key_of<R: Walk, T>(cluster: &Cluster<R, T>, id: &str) -> String {
    let snapshot = cluster.load();
    let owns = |key: &String| snapshot.router().route_id(key.as_bytes()).unwrap() == id;
    (0..).map(|i| format!("key-{i}")).find(owns).unwrap()
}

fn held<R: Walk, T>(cluster: &Cluster<R, T>, id: &str) -> u64 {
    cluster.load().member(id).unwrap().held()
}

fn capacity<R: Walk, T>(cluster: &Cluster<R, T>, id: &str) -> Option<u64> {
    let stats = cluster.stats();
    let mut members = stats.members().iter();
    members
        .find(|member| *member.id() == id)
        .unwrap()
        .capacity()
}

fn total<R: Walk, T>(cluster: &Cluster<R, T>) -> u64 {
    cluster.stats().total()
}

fn all_idle<R: Walk, T>(cluster: &Cluster<R, T>) {
    let stats = cluster.stats();
    assert_eq!(stats.total(), 0);
    assert!(stats.members().iter().all(|member| member.held() == 0));
}

fn ramp() -> Ramp {
    Ramp::new(Duration::from_secs(9), 2).unwrap()
}

/// So many leases of each key.
fn take<R: Walk, T>(cluster: &Cluster<R, T>, keys: &[String], count: usize) -> Vec<Lease<T>> {
    let turns = (0..count).flat_map(|_| keys);
    turns
        .map(|key| cluster.acquire(key.as_bytes()).unwrap())
        .collect()
}

fn agrees_when_idle<R: Walk, T>(snapshot: &Snapshot<R, T>, name: &str) {
    for key in keys() {
        let pick = snapshot.pick(key.as_bytes());
        let lease = snapshot.acquire(key.as_bytes());
        match (pick, &lease) {
            (Ok(pick), Ok(lease)) => {
                assert_eq!(pick.id(), lease.id(), "{name}, {key:?}");
                assert_eq!(pick.is_home(), lease.is_home());
                assert!(std::ptr::eq(pick.payload(), lease.payload()));
                assert_eq!((lease.load(), lease.tried()), (1, 1));
                assert!(!lease.is_overflow());
            }
            (Err(pick), Err(lease)) => assert_eq!(pick, *lease, "{name}, {key:?}"),
            (pick, lease) => panic!("{name}, {key:?}: {pick:?}, {lease:?}"),
        }
        drop(lease);
        assert_eq!(snapshot.stats().total(), 0);
    }
}

#[test]
fn idle_it_answers_as_pick_whatever_the_state_and_strategy() {
    type State = fn(Batch<u64>) -> Batch<u64>;
    let states: [State; 5] = [
        |batch| batch,
        |batch| batch.down("a:80").drain("cache-10"),
        |batch| {
            batch
                .up("a:80")
                .ramp("b:80", ramp())
                .ramp("cache-1", ramp())
        },
        |batch| {
            // Nobody admits every key.
            let rest = NAMES
                .iter()
                .fold(batch, |batch, &id| batch.ramp(id, ramp()));
            rest.undrain("cache-10")
        },
        |batch| NAMES.iter().fold(batch, |batch, &id| batch.down(id)),
    ];
    let policies = [OnDown::Move, OnDown::FailFast];
    let bounds = [None, Some(epsilon(1)), Some(epsilon(1_000_000))];
    for policy in policies {
        for (at, strategy) in STRATEGIES.iter().enumerate() {
            let cluster = strategy.cluster(&NAMES).with_policy(policy);
            for state in states {
                cluster.apply(state(Batch::new())).unwrap();
                // Each of the bounds, over the strategies and states; idle none of them shows.
                cluster.set_bound(bounds[at % bounds.len()]);
                agrees_when_idle(&cluster.load(), strategy.name);
            }
        }
    }
    let cluster = ranking(&NAMES).with_bound(epsilon(1));
    for state in states {
        cluster.apply(state(Batch::new())).unwrap();
        agrees_when_idle(&cluster.load(), "ranking");
    }
}

#[test]
fn a_lease_given_up_by_unwinding_is_given_back() {
    let cluster = ring(&["a", "b"], 250);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _lease = cluster.acquire(b"user:1").unwrap();
        assert_eq!(total(&cluster), 1);
        panic!("the request failed");
    }));
    assert!(unwound.is_err());
    all_idle(&cluster);
}

#[test]
fn a_lease_outlives_the_cluster_and_keeps_its_payload() {
    let payload = Arc::new(5);
    let cluster = {
        let payload = Arc::clone(&payload);
        Cluster::new(VectorRing::from_ids(["a"]).unwrap(), move |_| {
            Arc::clone(&payload)
        })
    };
    let lease = cluster.acquire(b"user:1").unwrap();
    // Another payload does not reach it.
    change(&cluster, Batch::new().payload("a", Arc::new(6)));
    drop(cluster);
    assert!(Arc::ptr_eq(lease.payload(), &payload));
    assert_eq!(*lease.id(), "a");
    drop(lease);
    assert_eq!(Arc::strong_count(&payload), 1);
}

#[test]
fn the_load_of_a_removed_member_leaves_the_total_and_its_leases_change_nothing() {
    let cluster = ring(&["A", "B", "C"], 250);
    let keys = ["A", "B", "C"].map(|id| key_of(&cluster, id));
    let leases = take(&cluster, &keys, 10);
    assert_eq!(total(&cluster), 30);
    assert!(leases.iter().all(Lease::is_home));
    assert_eq!(
        ["A", "B", "C"].map(|id| capacity(&cluster, id)),
        [Some(13); 3]
    );

    change(&cluster, Batch::new().remove("C"));
    assert_eq!(total(&cluster), 20);
    // With C's load still in the total it would be 20.
    assert_eq!(["A", "B"].map(|id| capacity(&cluster, id)), [Some(14); 2]);

    // C comes back while its old leases live.
    change(&cluster, Batch::new().add(node("C"), 8));
    assert_eq!((held(&cluster, "C"), total(&cluster)), (0, 20));
    let (old, rest): (Vec<_>, Vec<_>) = leases.into_iter().partition(|it| *it.id() == "C");
    assert_eq!(old.len(), 10);
    let new = cluster.acquire(keys[2].as_bytes()).unwrap();
    assert_eq!((new.load(), *new.payload()), (1, 8));
    drop(old);
    assert_eq!((held(&cluster, "C"), total(&cluster)), (1, 21));
    assert_eq!((held(&cluster, "A"), held(&cluster, "B")), (10, 10));
    drop((rest, new));
    all_idle(&cluster);
}

#[test]
fn a_member_that_is_removed_and_added_at_once_starts_at_0() {
    let cluster = ring(&["a", "b"], 250);
    let leases = take(&cluster, &[key_of(&cluster, "a")], 4);
    let on_a = held(&cluster, "a");
    assert!(on_a > 0 && on_a < 4);
    change(&cluster, Batch::new().remove("a").add(node("a"), 7));
    assert_eq!((held(&cluster, "a"), total(&cluster)), (0, 4 - on_a));
    drop(leases);
    all_idle(&cluster);
}

#[test]
fn within_its_time_of_grace_it_stays_a_member() {
    let cluster = ring(&["a", "b"], 250);
    let at = Duration::from_secs;
    let leases = take(&cluster, &[key_of(&cluster, "a")], 1);
    change(&cluster, Batch::new().leave("a", at(30)));
    cluster.tick(at(0)).unwrap();
    assert_eq!((held(&cluster, "a"), total(&cluster)), (1, 1));
    // Listed again within the time, by either way, it never left.
    let list = || ["a", "b"].map(|id| (node(id), 7));
    cluster.set_members(list(), Terms::at_once()).unwrap();
    change(&cluster, Batch::new().leave("a", at(30)));
    change(&cluster, Batch::new().add(node("a"), 9));
    assert_eq!((held(&cluster, "a"), total(&cluster)), (1, 1));
    change(&cluster, Batch::new().leave("a", at(30)));
    cluster.tick(at(100)).unwrap();
    cluster.tick(at(131)).unwrap();
    assert!(cluster.load().member("a").is_none());
    assert_eq!(total(&cluster), 0);
    drop(leases);
    all_idle(&cluster);
}

#[test]
fn an_old_snapshot_gives_leases_on_members_that_left_which_are_in_no_total() {
    let cluster = ring(&["a", "b"], 1_000_000);
    let key = key_of(&cluster, "a");
    let old = cluster.snapshot();
    let before = old.acquire(key.as_bytes()).unwrap();
    change(&cluster, Batch::new().remove("a"));
    assert_eq!(total(&cluster), 0);
    let after = old.acquire(key.as_bytes()).unwrap();
    assert_eq!((after.id().as_str(), after.load()), ("a", 2));
    assert_eq!(total(&cluster), 0);
    // It comes back, and the old one is no part of it.
    change(&cluster, Batch::new().add(node("a"), 7));
    let late = old.acquire(key.as_bytes()).unwrap();
    let new = cluster.acquire(key.as_bytes()).unwrap();
    assert_eq!((late.load(), new.load()), (3, 1));
    assert_eq!((total(&cluster), held(&cluster, "a")), (1, 1));
    drop(before);
    drop(after);
    assert_eq!(old.member("a").unwrap().held(), 1);
    assert_eq!((total(&cluster), held(&cluster, "a")), (1, 1));
    drop(new);
    assert_eq!(total(&cluster), 0);
    drop(cluster);
    // Nobody else knows it now.
    drop(old);
    drop(late);
}

/// What left still fills its node, in nobody's total: there is no room by any capacity, and still an answer.
#[test]
fn an_old_snapshot_that_is_full_overflows_to_who_holds_least_for_its_weight() {
    let cluster = ring(&["a", "b"], 1);
    let old = cluster.snapshot();
    let leases: Vec<_> = (0..10).map(|_| old.acquire(b"hot").unwrap()).collect();
    let order: Vec<String> = {
        let picks = old.pick_n(b"hot", 2);
        picks.iter().map(|pick| pick.id().to_string()).collect()
    };
    // The tenth was taken under a capacity of 1.001 × 10 ÷ 2, rounded up.
    assert_eq!([&order[0], &order[1]].map(|id| held(&cluster, id)), [6, 4]);
    change(&cluster, Batch::new().remove(order[0].as_str()));
    let over = old.acquire(b"hot").unwrap();
    // Now it is 1.001 × 5 ÷ 2.
    assert_eq!((over.capacity(), over.load()), (Some(3), 5));
    assert_eq!(*over.id(), *order[1]);
    assert!(over.is_overflow());
    assert_eq!(cluster.stats().overflows(), 1);
    // Nine laps of two nodes.
    assert_eq!(over.tried(), 18);
    drop((leases, over));
    all_idle(&cluster);
}

#[test]
fn what_is_refused_changes_no_count() {
    let cluster = ring(&["a", "b"], 250);
    let leases = take(&cluster, &keys()[..1], 5);
    let before = cluster.stats();
    let unknown = Batch::new().remove("a").add(node("a"), 1).remove("x");
    assert!(cluster.apply(unknown).is_err());
    let huge = Batch::new().remove("a").reweight("b", u32::MAX);
    assert!(matches!(
        cluster.apply(huge),
        Err(RouteError::TooManyPoints { .. })
    ));
    assert!(
        cluster
            .set_members([(node("c"), 1), (node("c"), 2)], Terms::at_once())
            .is_err()
    );
    assert_eq!(cluster.stats(), before);
    drop(leases);
    all_idle(&cluster);
}

#[test]
fn counts_survive_whatever_else_changes() {
    let cluster = ring(&["a", "b", "c"], 250);
    let leases = take(&cluster, &keys()[..1], 12);
    let counts = || ["a", "b", "c"].map(|id| held(&cluster, id));
    let before = counts();
    let changes: [Batch<u64>; 8] = [
        Batch::new().add(node("d"), 1),
        Batch::new().reweight("a", 5).payload("b", 9),
        Batch::new().zone("c", Some(Zone::new("z").unwrap())),
        Batch::new().down("a").drain("b"),
        Batch::new().ramp("c", ramp()),
        Batch::new().reweight("a", 0),
        Batch::new().remove("d"),
        Batch::new()
            .reweight("a", 1)
            .up("a")
            .undrain("b")
            .end_ramp("c"),
    ];
    for batch in changes {
        change(&cluster, batch);
        assert_eq!(counts(), before);
        assert_eq!(total(&cluster), 12);
    }
    drop(leases);
    all_idle(&cluster);
}

#[test]
fn capacity_follows_weight_and_share_of_those_who_take_keys() {
    let at = Duration::from_secs;
    let cluster = ring(&["a", "b", "c"], 1000);
    change(&cluster, Batch::new().reweight("b", 2).reweight("c", 4));
    let capacities = || ["a", "b", "c"].map(|id| capacity(&cluster, id));
    // (1 + 1) × 1 load × w ÷ 7, rounded up.
    assert_eq!(capacities(), [Some(1), Some(1), Some(2)]);
    let leases = take(&cluster, &keys()[..1], 11);
    assert_eq!(capacities(), [Some(4), Some(7), Some(14)]);
    // Who is down has no part, and what it holds is in the total still.
    change(&cluster, Batch::new().down("c"));
    assert_eq!(capacities(), [Some(8), Some(16), Some(0)]);
    change(&cluster, Batch::new().drain("b"));
    assert_eq!(capacities(), [Some(24), Some(0), Some(0)]);
    // At a quarter c is as strong as a is; and then twice.
    let quarters = Ramp::new(at(9), 3).unwrap();
    change(&cluster, Batch::new().up("c").ramp("c", quarters));
    assert_eq!(capacities(), [Some(12), Some(0), Some(12)]);
    cluster.tick(at(0)).unwrap();
    cluster.tick(at(5)).unwrap();
    assert_eq!(capacities(), [Some(8), Some(0), Some(16)]);
    change(&cluster, Batch::new().reweight("c", 0));
    assert_eq!(capacities(), [Some(24), Some(0), Some(0)]);
    change(&cluster, Batch::new().drain("a"));
    assert_eq!(capacities(), [Some(0); 3]);
    assert_eq!(cluster.stats().effective_epsilon(), None);
    let none = cluster.acquire(b"user:1").unwrap_err();
    assert_eq!(none, Unavailable::NoneAdmits { nodes: 2 });
    drop(leases);
    all_idle(&cluster);
}

#[test]
fn weighted_members_hold_their_share_of_a_hot_key() {
    let members = [("a", 1), ("b", 2), ("c", 5)].map(|(id, weight)| (weighted(id, weight), 0));
    let cluster = Cluster::from_members(VectorRing::new(), members)
        .unwrap()
        .with_bound(epsilon(1));
    let leases = take(&cluster, &keys()[..1], 800);
    let counts = ["a", "b", "c"].map(|id| held(&cluster, id));
    for (count, share) in counts.into_iter().zip([100, 200, 500]) {
        assert!(count.abs_diff(share) <= 1, "{counts:?}");
    }
    drop(leases);
}

#[test]
fn a_load_goes_on_in_the_order_of_zones() {
    let zones = ["x", "x", "x", "y", "y", "z"];
    let members = (0..).zip(zones).map(|(at, zone)| {
        let node = Node::new(format!("n{at}")).unwrap();
        (node.with_zone(Zone::new(zone).unwrap()), at)
    });
    let router = ZoneAware::new(VectorRing::new());
    let cluster = Cluster::from_members(router, members)
        .unwrap()
        .with_bound(epsilon(1));
    let snapshot = cluster.load();
    for key in &keys()[..50] {
        let order: Vec<_> = snapshot.pick_n(key.as_bytes(), 6);
        // The first loads fill one node after another: the capacity is 1.
        let leases: Vec<_> = (0..5)
            .map(|_| snapshot.acquire(key.as_bytes()).unwrap())
            .collect();
        let zone = |at: usize| leases[at].member().zone().unwrap().as_str().to_owned();
        for (at, (lease, pick)) in leases.iter().zip(order).enumerate() {
            assert_eq!(lease.id(), pick.id());
            assert_eq!((lease.tried() as usize, lease.is_home()), (at + 1, at == 0));
        }
        assert!(zone(0) != zone(1) && zone(1) != zone(2) && zone(0) != zone(2));
    }
    all_idle(&cluster);
}

#[test]
fn when_all_others_are_full_a_newcomer_takes_keys_that_its_ramp_does_not_admit() {
    let cluster = ring(&["a", "b"], 1);
    let slow = Ramp::new(Duration::from_secs(9), 1).unwrap(); // a half at once
    change(&cluster, Batch::new().add(node("c"), 7).ramp("c", slow));
    let snapshot = cluster.load();
    let admits = |key: &String| {
        let order = snapshot.pick_n(key.as_bytes(), 3);
        *order[2].id() != "c"
    };
    let key = keys().into_iter().find(|key| !admits(key)).unwrap();
    let leases: Vec<_> = (0..3)
        .map(|_| snapshot.acquire(key.as_bytes()).unwrap())
        .collect();
    // 1.001 × 3 ÷ 2.5 and half of it, rounded up: 2 and 1.
    let counts = ["a", "b", "c"].map(|id| held(&cluster, id));
    assert_eq!(counts.iter().sum::<u64>(), 3);
    let more: Vec<_> = (0..30)
        .map(|_| snapshot.acquire(key.as_bytes()).unwrap())
        .collect();
    let on_c: Vec<_> = more.iter().filter(|lease| *lease.id() == "c").collect();
    // Its share of 33 is 6.6.
    assert!((5..=7).contains(&on_c.len()), "{}", on_c.len());
    assert!(
        on_c.iter()
            .all(|lease| !lease.is_home() && lease.tried() == 3)
    );
    assert_eq!(cluster.stats().overflows(), 0);
    drop((leases, more));
    all_idle(&cluster);
}

#[test]
fn fail_fast_is_about_the_first_node_a_full_one_may_be_passed() {
    let cluster = ring(&["a", "b", "c"], 1).with_policy(OnDown::FailFast);
    let key = keys().swap_remove(0);
    let order: Vec<String> = {
        let snapshot = cluster.load();
        let picks = snapshot.pick_n(key.as_bytes(), 3);
        picks.iter().map(|pick| pick.id().to_string()).collect()
    };
    let acquire = || cluster.acquire(key.as_bytes());
    let first = acquire().unwrap();
    assert_eq!(*first.id(), *order[0]);
    // The first is full; the second, to which its loads go on, is down.
    change(&cluster, Batch::new().down(order[1].as_str()));
    let second = acquire().unwrap();
    assert_eq!(
        (second.id().as_str(), second.tried()),
        (order[0].as_str(), 1)
    ); // 1.001 × 2 ÷ 2, rounded up
    let third = acquire().unwrap();
    assert_eq!((third.id().as_str(), third.tried()), (order[2].as_str(), 2));
    // The first is down.
    change(&cluster, Batch::new().down(order[0].as_str()));
    let down = acquire().unwrap_err();
    assert_eq!(down, cluster.load().pick(key.as_bytes()).unwrap_err());
    assert!(matches!(down, Unavailable::Down { id } if id == *order[0]));
    // That it is drained was planned; then the second counts.
    change(&cluster, Batch::new().drain(order[0].as_str()));
    let down = acquire().unwrap_err();
    assert!(matches!(down, Unavailable::Down { id } if id == *order[1]));
    assert_eq!(total(&cluster), 3);
    drop((first, second, third));
    all_idle(&cluster);
}

#[test]
fn without_members_there_is_no_lease_and_nothing_is_counted() {
    let cluster: Cluster<VectorRing, u64> = ring(&[], 250);
    assert_eq!(cluster.acquire(b"k").unwrap_err(), Unavailable::NoOwner);
    let stats = cluster.stats();
    assert_eq!((stats.total(), stats.taken(), stats.tried()), (0, 0, 0));
    assert_eq!((stats.away_share(), stats.tried_per_lease()), (0.0, 0.0));
    assert_eq!(stats.effective_epsilon(), None);
    assert!(stats.members().is_empty());
    let drained = Listing::new(node("a"), 1).drained();
    change(&cluster, Batch::new().list(drained));
    assert_eq!(cluster.acquire(b"k").unwrap_err(), Unavailable::NoOwner);
    let stats = cluster.stats();
    assert_eq!(stats.members()[0].capacity(), Some(0));
    assert_eq!(stats.total(), 0);
}

#[test]
fn without_a_bound_leases_are_counted_at_home() {
    let cluster = Cluster::new(VectorRing::from_ids(["a", "b"]).unwrap(), |_| 0u64);
    let leases = take(&cluster, &keys()[..1], 100);
    assert!(
        leases
            .iter()
            .all(|lease| lease.is_home() && lease.capacity().is_none())
    );
    assert_eq!(leases[99].load(), 100);
    let stats = cluster.stats();
    assert_eq!((stats.total(), stats.taken(), stats.away()), (100, 100, 0));
    assert_eq!(stats.effective_epsilon(), None);
    // One is set while they live: the other takes over.
    cluster.set_bound(Some(epsilon(100)));
    assert_eq!(cluster.load().epoch(), 0);
    let more = take(&cluster, &keys()[..1], 10);
    assert!(more.iter().all(|lease| !lease.is_home()));
    cluster.set_bound(None);
    assert!(cluster.acquire(keys()[0].as_bytes()).unwrap().is_home());
    drop((leases, more));
    all_idle(&cluster);
}

#[test]
fn a_reader_takes_leases_and_follows_the_cluster() {
    let cluster = ring(&["a", "b"], 250);
    let mut reader = cluster.reader();
    let lease = reader.acquire(b"user:1").unwrap();
    let home = lease.id().to_string();
    change(&cluster, Batch::new().remove(home.as_str()));
    let other = reader.acquire(b"user:1").unwrap();
    assert_ne!(*other.id(), *home);
    assert_eq!(total(&cluster), 1);
    cluster.set_bound(None);
    assert_eq!(reader.acquire(b"user:1").unwrap().capacity(), None);
    drop((lease, other));
    all_idle(&cluster);
}

#[test]
fn sums_never_go_down_and_count_what_members_gave_that_left() {
    let cluster = ring(&["a", "b", "c"], 1);
    let leases = take(&cluster, &keys()[..1], 6);
    let before = cluster.stats();
    assert_eq!(before.taken(), 6);
    assert!(before.away() > 0 && before.tried() > 6);
    let old = cluster.snapshot();
    change(&cluster, Batch::new().remove("a"));
    let after = cluster.stats();
    assert_eq!(
        (after.taken(), after.away()),
        (before.taken(), before.away())
    );
    assert_eq!(after.tried(), before.tried());
    // Also what it gives who still has the old list; when nobody has any more.
    let given = |id: &str| {
        let stats = old.stats();
        let mut members = stats.members().iter();
        members.find(|member| *member.id() == id).unwrap().taken()
    };
    let late: Vec<_> = (0..20).map(|_| old.acquire(b"k").unwrap()).collect();
    assert!(late.iter().any(|lease| *lease.id() == "a"));
    assert!(given("a") > 0);
    drop((late, leases, old));
    assert_eq!(cluster.stats().taken(), 26);
    all_idle(&cluster);
}

/// Whoever reads them while a member leaves has its leases once: with it, or with those that left.
#[test]
fn sums_never_go_down_while_members_come_and_go() {
    const ROUNDS: u64 = 3000;
    const LEASES: u64 = 20;
    let cluster = ring(&["a", "b"], 1000).with_samples(0);
    let (busy, reads) = (AtomicBool::new(true), AtomicU64::new(0));
    let key = |number: u64| number.to_le_bytes();
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let mut last = [0; 3];
            while busy.load(Ordering::Relaxed) {
                let now = cluster.stats();
                let sums = [now.taken(), now.away(), now.tried()];
                let grown = sums.iter().zip(&last).all(|(now, last)| now >= last);
                assert!(grown, "{last:?}, then {sums:?}");
                assert!(now.taken() <= ROUNDS * LEASES, "some are counted twice");
                last = sums;
                reads.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Not before it reads, however busy the machine is.
        while reads.load(Ordering::Relaxed) == 0 && !reading.is_finished() {
            thread::yield_now();
        }
        for round in 0..ROUNDS {
            change(&cluster, Batch::new().add(node("c"), round));
            for number in 0..LEASES {
                drop(cluster.acquire(&key(round * LEASES + number)).unwrap());
            }
            change(&cluster, Batch::new().remove("c"));
        }
        busy.store(false, Ordering::Relaxed);
        reading.join().unwrap();
    });
    assert_eq!(cluster.stats().taken(), ROUNDS * LEASES);
    all_idle(&cluster);
}

#[test]
fn a_lease_moves_to_other_threads() {
    fn moves<T: Send + Sync + 'static>() {}
    moves::<Lease<String>>();
    let cluster = ring(&["a", "b"], 250);
    let leases = take(&cluster, &keys()[..1], 100);
    thread::spawn(move || drop(leases)).join().unwrap();
    all_idle(&cluster);
}
