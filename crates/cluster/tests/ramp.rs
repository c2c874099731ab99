//! Slow start: during a ramp a key moves at most once, and only to the newcomer.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::time::Duration;

use keyroute_cluster::{Batch, Cluster, MAX_RAMP_STEPS, Node, Ramp, RouteError};
use keyroute_vector_ring::VectorRing;
use support::{NAMES, STRATEGIES, change, keys, node, picks};

const STEPS: u32 = 8;

fn ramp() -> Ramp {
    Ramp::new(Duration::from_secs(80), STEPS).unwrap()
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn each_key_moves_at_most_once_and_only_to_the_newcomer() {
    for strategy in STRATEGIES {
        let cluster = strategy.cluster(&NAMES);
        let before = picks(&cluster);
        change(
            &cluster,
            Batch::new().add(node("new:80"), 0).ramp("new:80", ramp()),
        );
        // Without the restriction property (and under Maglev by joining itself) keys of others move as the
        // newcomer joins; what its ramp moves is counted from there.
        let mut last = picks(&cluster);
        if strategy.restricts {
            let newcomer = Ok("new:80".to_owned());
            let mut pairs = before.iter().zip(&last);
            assert!(pairs.all(|(old, now)| old == now || *now == newcomer));
        }
        let mut moves = vec![0; last.len()];
        let mut grew = 0;
        for second in 0..=80 {
            let changed = cluster.tick(at(1_000_000 + second)).unwrap();
            assert!(changed.is_none_or(|change| !change.rebuilt()));
            let now = picks(&cluster);
            let mut moved = 0;
            for (place, (old, new)) in last.iter().zip(&now).enumerate() {
                if old != new {
                    assert_eq!(*new, Ok("new:80".to_owned()), "{}", strategy.name);
                    moves[place] += 1;
                    moved += 1;
                }
            }
            grew += usize::from(moved > 0);
            last = now;
        }
        assert!(moves.iter().all(|&count| count <= 1));
        assert!(grew >= 6, "{}: {grew} steps moved keys", strategy.name);
        // The end is the state without a ramp.
        let plain = strategy.cluster(&NAMES);
        change(&plain, Batch::new().add(node("new:80"), 0));
        assert_eq!(last, picks(&plain), "{}", strategy.name);
        assert!(cluster.load().member("new:80").unwrap().status().is_up());
    }
}

/// Of the keys that the newcomer will have, each step brings its part: the hash is independent of where keys stand.
#[test]
fn the_newcomer_has_its_share_of_its_keys_at_each_step() {
    for strategy in STRATEGIES
        .iter()
        .filter(|strategy| strategy.name != "cut ring")
    {
        let cluster = strategy.cluster(&["a:80"]);
        let full = strategy.cluster(&["a:80"]);
        change(&full, Batch::new().add(node("new:80"), 0));
        let keys: Vec<[u8; 4]> = (0..40_000u32).map(u32::to_le_bytes).collect();
        let has = |held: &support::Held| {
            let now = held.load();
            let mine = |key: &&[u8; 4]| *now.pick(*key).unwrap().id() == "new:80";
            f64::from(u32::try_from(keys.iter().filter(mine).count()).unwrap())
        };
        let all = has(&full);
        change(
            &cluster,
            Batch::new().add(node("new:80"), 0).ramp("new:80", ramp()),
        );
        for step in 0..=STEPS {
            cluster.tick(at(10 * u64::from(step))).unwrap();
            let expected = f64::from(step + 1) / f64::from(STEPS + 1);
            let share = has(&cluster) / all;
            // Five standard deviations of a fair draw.
            let noise = 5.0 * (expected * (1.0 - expected) / all).sqrt();
            assert!(
                (share - expected).abs() <= noise,
                "{}: {share} at step {step}",
                strategy.name
            );
        }
    }
}

#[test]
fn a_node_that_was_down_comes_up_slowly_and_its_keys_move_once() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    let healthy = picks(&cluster);
    change(&cluster, Batch::new().down("b:80"));
    let mut last = picks(&cluster);
    change(&cluster, Batch::new().up("b:80").ramp("b:80", ramp()));
    let mut times = vec![0; last.len()];
    for second in 0..=80 {
        cluster.tick(at(second)).unwrap();
        let now = picks(&cluster);
        for (place, (old, new)) in last.iter().zip(&now).enumerate() {
            times[place] += u32::from(old != new);
        }
        last = now;
    }
    assert_eq!(last, healthy);
    assert!(times.iter().all(|&count| count <= 1));
}

#[test]
fn a_ramp_goes_on_while_the_node_is_down() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    let other = STRATEGIES[0].cluster(&NAMES);
    let start = || Batch::new().add(node("new:80"), 0).ramp("new:80", ramp());
    change(&cluster, start());
    change(&other, start());
    cluster.tick(at(0)).unwrap();
    other.tick(at(0)).unwrap();
    change(&cluster, Batch::new().down("new:80"));
    cluster.tick(at(45)).unwrap();
    other.tick(at(45)).unwrap();
    change(&cluster, Batch::new().up("new:80"));
    assert_eq!(picks(&cluster), picks(&other));
}

#[test]
fn where_all_are_in_a_ramp_somebody_takes_each_key_and_moves_follow_growth() {
    let cluster = STRATEGIES[0].cluster(&[]);
    let all = NAMES.into_iter().fold(Batch::new(), |batch, id| {
        batch.add(node(id), 0).ramp(id, ramp())
    });
    change(&cluster, all);
    let mut last = picks(&cluster);
    for second in 0..=80 {
        let before = cluster.snapshot();
        cluster.tick(at(second)).unwrap();
        let after = cluster.snapshot();
        let now = picks(&cluster);
        for (key, (old, new)) in keys().iter().zip(last.iter().zip(&now)) {
            let new = new.as_ref().unwrap();
            // Replicas are as many as there are nodes, whoever is in a ramp.
            assert_eq!(after.pick_n(key.as_bytes(), 9).len(), NAMES.len());
            if old.as_ref() != Ok(new) {
                assert_ne!(
                    before.member(new).unwrap().status(),
                    after.member(new).unwrap().status()
                );
            }
        }
        last = now;
    }
    assert_eq!(last, picks(&STRATEGIES[0].cluster(&NAMES)));
}

#[test]
fn a_newcomer_shares_only_the_hot_keys_that_it_admits() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    change(
        &cluster,
        Batch::new().add(node("new:80"), 0).ramp("new:80", ramp()),
    );
    let now = cluster.load();
    let mut shares = 0;
    for key in keys() {
        let all = now.spread(key.as_bytes(), NAMES.len() + 1).all();
        let has = all.iter().any(|pick| *pick.id() == "new:80");
        assert_eq!(all.len(), NAMES.len() + usize::from(has));
        shares += usize::from(has);
    }
    let part = keys().len() / usize::try_from(STEPS + 1).unwrap();
    assert!(shares > part / 2 && shares < 2 * part, "{shares} of {part}");
}

#[test]
fn time_that_goes_back_is_as_time_that_stands() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    change(
        &cluster,
        Batch::new().add(node("new:80"), 0).ramp("new:80", ramp()),
    );
    cluster.tick(at(100)).unwrap();
    cluster.tick(at(140)).unwrap();
    let middle = picks(&cluster);
    assert!(cluster.tick(at(100)).unwrap().is_none());
    assert!(cluster.tick(at(0)).unwrap().is_none());
    assert_eq!(picks(&cluster), middle);
    assert!(cluster.tick(at(150)).unwrap().is_some());
}

#[test]
fn a_ramp_that_ends_early_leaves_the_node_up() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    change(
        &cluster,
        Batch::new().add(node("new:80"), 0).ramp("new:80", ramp()),
    );
    change(&cluster, Batch::new().end_ramp("new:80"));
    assert!(cluster.load().member("new:80").unwrap().status().is_up());
    assert!(cluster.tick(at(5)).unwrap().is_none());
    assert!(cluster.tick(at(50)).unwrap().is_none());
}

/// "a" would leave, but the others are too few; meanwhile "b" starts slowly.
#[test]
fn a_tick_that_is_refused_starts_clocks_all_the_same() {
    let factory = |nodes: &[Node]| match nodes.len() {
        0 | 1 => Err(RouteError::Parameter {
            name: "nodes",
            given: nodes.len().to_string(),
            accepted: "2 and more",
        }),
        _ => VectorRing::from_nodes(nodes.iter().cloned()),
    };
    let members = ["a", "b"].map(|id| (node(id), ()));
    let cluster = Cluster::from_factory(factory, members).unwrap();
    change(&cluster, Batch::new().leave("a", at(10)));
    assert!(cluster.tick(at(100)).unwrap().is_none());
    let ramp = Ramp::new(at(10), 1).unwrap();
    change(&cluster, Batch::new().ramp("b", ramp));
    for refused in [110, 115] {
        let before = cluster.load().epoch();
        cluster.tick(at(refused)).unwrap_err();
        assert_eq!(cluster.load().epoch(), before);
    }
    change(&cluster, Batch::new().stay("a"));
    assert!(cluster.tick(at(119)).unwrap().is_none());
    assert!(cluster.tick(at(120)).unwrap().is_some()); // ten seconds after its first tick
    assert!(cluster.load().member("b").unwrap().status().is_up());
}

#[test]
fn a_ramp_over_no_time_is_none() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    let none = Ramp::new(Duration::ZERO, 3).unwrap();
    change(
        &cluster,
        Batch::new().add(node("new:80"), 0).ramp("new:80", none),
    );
    assert!(cluster.load().member("new:80").unwrap().status().is_up());
    assert!(cluster.tick(at(9)).unwrap().is_none());
}

#[test]
fn who_is_removed_takes_its_clocks_along() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    change(
        &cluster,
        Batch::new().ramp("b:80", ramp()).leave("b:80", at(5)),
    );
    cluster.tick(at(0)).unwrap();
    change(&cluster, Batch::new().remove("b:80"));
    assert!(cluster.tick(at(20)).unwrap().is_none());
    change(&cluster, Batch::new().add(node("b:80"), 0));
    assert!(cluster.tick(at(40)).unwrap().is_none());
    assert!(cluster.load().member("b:80").unwrap().status().is_up());
}

/// A ramp that is set while another one runs takes its place, also one over no time.
#[test]
fn a_ramp_over_no_time_ends_the_one_before() {
    let cluster = STRATEGIES[0].cluster(&NAMES);
    change(&cluster, Batch::new().ramp("b:80", ramp()));
    cluster.tick(at(0)).unwrap();
    let none = Ramp::new(Duration::ZERO, 3).unwrap();
    change(&cluster, Batch::new().ramp("b:80", none));
    assert!(cluster.tick(at(20)).unwrap().is_none());
    assert!(cluster.load().member("b:80").unwrap().status().is_up());
}

#[test]
fn a_ramp_has_as_many_steps_as_is_said_at_most() {
    let of = |steps| Ramp::new(Duration::from_secs(1), steps);
    assert!(of(1).is_ok() && of(MAX_RAMP_STEPS).is_ok());
    assert!(of(0).is_err() && of(MAX_RAMP_STEPS + 1).is_err());
}
