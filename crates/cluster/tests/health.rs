//! Health, drain and policies: who is picked when some nodes do not admit a key.

mod support;

use std::collections::BTreeSet;

use keyroute_cluster::{Batch, Cluster, OnDown, Router, Unavailable};
use keyroute_ketama::Ketama;
use keyroute_vector_ring::VectorRing;
use support::{NAMES, STRATEGIES, change, keys, node, picks, ranking, weighted};

#[test]
fn down_and_up_is_the_identity_and_only_the_nodes_keys_move_meanwhile() {
    for strategy in STRATEGIES {
        let cluster = strategy.cluster(&NAMES);
        let before = picks(&cluster);
        for sick in NAMES {
            change(&cluster, Batch::new().down(sick));
            for (home, now) in before.iter().zip(picks(&cluster)) {
                let (home, now) = (home.as_ref().unwrap(), now.unwrap());
                if home == sick {
                    assert_ne!(now, sick, "{}", strategy.name);
                } else {
                    assert_eq!(now, *home, "{}: {sick} is down", strategy.name);
                }
            }
            change(&cluster, Batch::new().up(sick));
            assert_eq!(picks(&cluster), before, "{}", strategy.name);
        }
    }
}

#[test]
fn drained_is_as_removed_where_the_strategy_restricts() {
    let some = STRATEGIES.iter().filter(|strategy| strategy.restricts);
    for strategy in some {
        let drained = strategy.cluster(&NAMES);
        let removed = strategy.cluster(&NAMES);
        let weightless = strategy.cluster(&NAMES);
        for id in NAMES.into_iter().skip(1) {
            change(&drained, Batch::new().drain(id));
            change(&removed, Batch::new().remove(id));
            change(&weightless, Batch::new().reweight(id, 0));
            let expected = picks(&removed);
            assert_eq!(picks(&drained), expected, "{}: {id}", strategy.name);
            assert_eq!(picks(&weightless), expected, "{}: {id}", strategy.name);
        }
    }
    let (drained, removed) = (ranking(&NAMES), ranking(&NAMES));
    for id in ["b:80", "cache-10", "a:80"] {
        change(&drained, Batch::new().drain(id));
        change(&removed, Batch::new().remove(id));
        assert_eq!(picks(&drained), picks(&removed), "ranking: {id}");
    }
}

#[test]
fn replicas_pass_over_who_is_down_as_if_removed_where_the_strategy_restricts() {
    let some = STRATEGIES.iter().filter(|strategy| strategy.restricts);
    for strategy in some {
        let down = strategy.cluster(&NAMES);
        let removed = strategy.cluster(&NAMES);
        change(&down, Batch::new().down("cache-1").drain("a:80"));
        change(&removed, Batch::new().remove("cache-1").remove("a:80"));
        let (down, removed) = (down.load(), removed.load());
        for key in keys() {
            for n in 0..=NAMES.len() {
                let ids = |picks: Vec<keyroute_cluster::Pick<'_, u64>>| -> Vec<String> {
                    picks.iter().map(|pick| pick.id().to_string()).collect()
                };
                let expected = ids(removed.pick_n(key.as_bytes(), n));
                assert_eq!(expected.len(), n.min(4));
                assert_eq!(
                    ids(down.pick_n(key.as_bytes(), n)),
                    expected,
                    "{}",
                    strategy.name
                );
            }
        }
    }
}

#[test]
fn every_node_is_tried_once_before_none() {
    for strategy in STRATEGIES {
        for last in NAMES {
            let cluster = strategy.cluster(&NAMES);
            let others = NAMES.into_iter().filter(|&id| id != last);
            change(
                &cluster,
                others.fold(Batch::new(), |batch, id| batch.down(id)),
            );
            let only = vec![Ok(last.to_owned()); keys().len()];
            assert_eq!(picks(&cluster), only, "{}", strategy.name);
            change(&cluster, Batch::new().down(last));
            let none = Unavailable::NoneAdmits { nodes: NAMES.len() };
            assert_eq!(
                picks(&cluster),
                vec![Err(none); keys().len()],
                "{}",
                strategy.name
            );
            assert!(cluster.load().pick_n(b"k", 3).is_empty());
        }
    }
}

/// Libketama gives a server of next to no weight no point: it is in no key's order.
#[test]
fn a_node_that_owns_no_keys_is_tried_last() {
    let nodes = [weighted("big", 1_000_000), weighted("tiny", 1)];
    let ring = Ketama::libketama(nodes).unwrap();
    assert_eq!(
        ring.replicas(b"k", 2).len(),
        1,
        "tiny is in the order, so this test shows nothing"
    );
    let cluster = Cluster::new(ring, |_| ());
    assert_eq!(cluster.load().pick_n(b"k", 2).len(), 2);
    let home = cluster.load().pick(b"k").unwrap().slot();
    let mut slots = [home; 3];
    assert_eq!(cluster.load().pick_into(b"k", &mut slots), 2);
    assert_ne!(slots[1], home);
    change(&cluster, Batch::new().down("big"));
    assert!(
        picks(&cluster)
            .iter()
            .all(|pick| *pick == Ok("tiny".to_owned()))
    );
}

#[test]
fn fail_fast_names_the_node_that_is_down_and_touches_no_other_key() {
    for strategy in STRATEGIES {
        let cluster = strategy.cluster(&NAMES).with_policy(OnDown::FailFast);
        let before = picks(&cluster);
        change(&cluster, Batch::new().down("b:80"));
        let down = Err(Unavailable::Down {
            id: node("b:80").id().clone(),
        });
        for (home, now) in before.iter().zip(picks(&cluster)) {
            let expected = if *home == Ok("b:80".to_owned()) {
                &down
            } else {
                home
            };
            assert_eq!(now, *expected, "{}", strategy.name);
        }
    }
}

#[test]
fn under_fail_fast_a_drained_node_is_still_passed_over() {
    let cluster = STRATEGIES[0].cluster(&NAMES).with_policy(OnDown::FailFast);
    let removed = STRATEGIES[0].cluster(&NAMES);
    change(&cluster, Batch::new().drain("b:80"));
    change(&removed, Batch::new().remove("b:80"));
    assert_eq!(picks(&cluster), picks(&removed));
}

#[test]
fn under_fail_fast_a_node_that_is_drained_and_down_is_passed_over_too() {
    let cluster = STRATEGIES[0].cluster(&NAMES).with_policy(OnDown::FailFast);
    let removed = STRATEGIES[0].cluster(&NAMES);
    change(&cluster, Batch::new().drain("b:80").down("b:80"));
    change(&removed, Batch::new().remove("b:80"));
    assert_eq!(picks(&cluster), picks(&removed));
}

/// It is no key's node, so that it is down is no key's failure.
#[test]
fn under_fail_fast_a_node_that_owns_no_keys_is_named_by_none() {
    let nodes = [weighted("big", 1_000_000), weighted("tiny", 1)];
    let ring = Ketama::libketama(nodes).unwrap();
    let cluster = Cluster::new(ring, |_| ()).with_policy(OnDown::FailFast);
    change(&cluster, Batch::new().drain("big").down("tiny"));
    let none = Unavailable::NoneAdmits { nodes: 2 };
    assert_eq!(cluster.load().pick(b"k").unwrap_err(), none);
}

#[test]
fn under_fail_fast_a_node_that_is_down_keeps_its_place_among_replicas() {
    let cluster = STRATEGIES[0].cluster(&NAMES).with_policy(OnDown::FailFast);
    let all = cluster.snapshot();
    change(&cluster, Batch::new().down("b:80"));
    let now = cluster.load();
    for key in keys() {
        let up = |pick: &keyroute_cluster::Pick<'_, u64>| *pick.id() != "b:80";
        let expected: Vec<String> = all
            .pick_n(key.as_bytes(), 3)
            .iter()
            .filter(|it| up(it))
            .map(|it| it.id().to_string())
            .collect();
        let picks = now.pick_n(key.as_bytes(), 3);
        assert_eq!(
            picks
                .iter()
                .map(|it| it.id().to_string())
                .collect::<Vec<_>>(),
            expected
        );
    }
}

#[test]
fn one_reason_does_not_undo_another() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    let before = picks(&cluster);
    change(&cluster, Batch::new().down("b:80").drain("b:80"));
    let without = picks(&cluster);
    change(&cluster, Batch::new().up("b:80"));
    assert_eq!(picks(&cluster), without);
    change(&cluster, Batch::new().down("b:80"));
    change(&cluster, Batch::new().undrain("b:80"));
    assert_eq!(picks(&cluster), without);
    change(&cluster, Batch::new().up("b:80"));
    assert_eq!(picks(&cluster), before);
}

#[test]
fn pick_into_and_a_reader_answer_as_picks_do() {
    for strategy in STRATEGIES {
        let cluster = strategy.cluster(&NAMES);
        let mut reader = cluster.reader();
        for batch in [None, Some(Batch::new().down("c:80").drain("cache-1"))] {
            if let Some(batch) = batch {
                change(&cluster, batch);
            }
            let now = cluster.snapshot();
            for key in keys() {
                let picks = now.pick_n(key.as_bytes(), 3);
                let mut slots = [now.router().route(b"").unwrap(); 3];
                assert_eq!(now.pick_into(key.as_bytes(), &mut slots), picks.len());
                assert!(picks.iter().map(keyroute_cluster::Pick::slot).eq(slots));
                let first = reader.pick(key.as_bytes()).unwrap();
                assert_eq!(
                    (first.slot(), first.is_home()),
                    (slots[0], picks[0].is_home())
                );
                assert_eq!(
                    first.is_home(),
                    now.router().route(key.as_bytes()) == Some(first.slot())
                );
            }
        }
    }
}

#[test]
fn sharers_are_the_first_that_admit_and_take_turns() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    for down in [None, Some("cache-1"), Some("a:80")] {
        if let Some(down) = down {
            change(&cluster, Batch::new().down(down));
        }
        let now = cluster.load();
        for key in keys().iter().take(200) {
            for k in 0..=8 {
                let expected: Vec<_> = now
                    .pick_n(key.as_bytes(), k.max(1))
                    .iter()
                    .map(|it| it.slot())
                    .collect();
                let sharers = now.spread(key.as_bytes(), k);
                assert!(
                    sharers
                        .all()
                        .iter()
                        .map(|it| it.slot())
                        .eq(expected.iter().copied())
                );
                let turns: Vec<_> = (0..2 * expected.len() as u64)
                    .map(|turn| sharers.turn(turn).unwrap().slot())
                    .collect();
                assert_eq!(turns, expected.repeat(2));
                for (place, &idle) in expected.iter().enumerate() {
                    let load =
                        |pick: keyroute_cluster::Pick<'_, u64>| u64::from(pick.slot() != idle);
                    assert_eq!(sharers.least_by(load).unwrap().slot(), expected[place]);
                }
                // Of equal loads the first.
                assert_eq!(sharers.least_by(|_| 7).unwrap().slot(), expected[0]);
            }
        }
    }
    let all = NAMES.into_iter().fold(Batch::new(), Batch::drain);
    change(&cluster, all);
    let now = cluster.load();
    let none = Unavailable::NoneAdmits { nodes: NAMES.len() };
    assert_eq!(now.spread(b"k", 2).turn(0).unwrap_err(), none);
    assert_eq!(now.spread(b"k", 2).least_by(|_| 0).unwrap_err(), none);
}

#[test]
fn an_empty_cluster_has_no_owner_and_can_be_filled() {
    for strategy in STRATEGIES
        .iter()
        .filter(|strategy| strategy.name != "nginx")
    {
        let cluster = strategy.cluster(&[]);
        assert_eq!(cluster.load().pick(b"k").unwrap_err(), Unavailable::NoOwner);
        assert!(cluster.load().pick_n(b"k", 2).is_empty());
        assert_eq!(
            cluster.load().spread(b"k", 2).turn(1).unwrap_err(),
            Unavailable::NoOwner
        );
        change(&cluster, Batch::new().add(node("a"), 7));
        assert_eq!(*cluster.load().pick(b"k").unwrap().payload(), 7);
        change(&cluster, Batch::new().remove("a"));
        assert_eq!(cluster.load().pick(b"k").unwrap_err(), Unavailable::NoOwner);
    }
}

#[test]
fn the_fingerprint_says_who_is_not_up() {
    let cluster = Cluster::new(VectorRing::from_ids(NAMES).unwrap(), |_| ());
    let plain = VectorRing::from_ids(NAMES).unwrap().fingerprint();
    let fingerprint = || cluster.load().fingerprint();
    assert_eq!(fingerprint(), plain);
    let mut met = BTreeSet::from([plain]);
    for batch in [
        Batch::new().down("b:80"),
        Batch::new().down("c:80"),
        Batch::new().up("b:80").drain("c:80"),
        Batch::new().drain("b:80").undrain("c:80"),
    ] {
        change(&cluster, batch);
        assert!(
            met.insert(fingerprint()),
            "two states under one fingerprint"
        );
    }
    change(&cluster, Batch::new().up("c:80").undrain("b:80"));
    assert_eq!(fingerprint(), plain);
    // Both policies answer alike while all are up, and otherwise not.
    let failing =
        Cluster::new(VectorRing::from_ids(NAMES).unwrap(), |_| ()).with_policy(OnDown::FailFast);
    assert_eq!(failing.load().fingerprint(), plain);
    change(&failing, Batch::new().down("b:80"));
    assert!(met.insert(failing.load().fingerprint()));
}

#[test]
fn who_admits_keys_takes_sixteen_bytes_a_slot_while_some_node_is_not_up() {
    let cluster = Cluster::new(VectorRing::from_ids(NAMES).unwrap(), |_| ());
    let held = || cluster.load().heap_bytes();
    let all_up = held();
    change(&cluster, Batch::new().down("b:80"));
    assert_eq!(held() - all_up, 16 * NAMES.len());
    change(&cluster, Batch::new().up("b:80"));
    assert_eq!(held(), all_up);
}
