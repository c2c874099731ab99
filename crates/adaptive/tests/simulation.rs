//! Rings under a Zipf load and under one hot key, balanced by both policies.
//!
//! What a run is worth is computed from the known load, not from the requests that the policies saw.

#![expect(
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    reason = "a test may panic; its numbers are small"
)]

use keyroute_adaptive::{Policy, ReachCacheRebalance, Steady};

#[path = "../examples/zipf/load.rs"]
mod load;
#[path = "../examples/zipf/random.rs"]
mod random;

use load::{Load, Run, Setting, run, touched};

const KEYS: u64 = 50_000;

fn balance(policy: impl Policy, load: &Load, nodes: u32, seed: u64) -> Run {
    balance_points(policy, load, nodes, 100, seed)
}

fn balance_points(policy: impl Policy, load: &Load, nodes: u32, points: u32, seed: u64) -> Run {
    let setting = Setting {
        nodes,
        points,
        rounds: 100,
        requests: 40_000,
        seed,
    };
    run(policy, load, &setting).unwrap()
}

#[test]
fn steady_settles_under_a_zipf_load_and_then_moves_nothing() {
    let load = Load::zipf(KEYS);
    for (nodes, before) in [(10, 1.2), (50, 1.25)] {
        for seed in 1..=3 {
            let run = balance(Steady::default(), &load, nodes, seed);
            let told = format!(
                "{nodes} nodes, seed {seed}: peak {} to {}, counted {} to {}, {} rounds, last {}, {} of keys, {} of requests",
                run.peak_before,
                run.last().peak,
                run.counted_peak_before,
                run.last().counted_peak,
                run.moving_rounds(),
                run.settled_after(),
                run.moved_keys(),
                run.moved_requests()
            );
            println!("{told}");
            assert!(run.counted_peak_before > before, "{told}");
            assert!(
                run.last().counted_peak < run.counted_peak_before - 0.04,
                "{told}"
            );
            assert!(run.last().counted_peak < 1.25, "{told}");
            assert!(run.settled_after() <= 40, "{told}");
            assert!(run.moved_keys() < 0.4, "{told}");
            assert!(
                run.steps.iter().all(|step| step.moved_keys < 0.12),
                "{told}"
            );
            assert!(!run.last().hot.is_empty() && touched(&run) <= nodes as usize);
        }
    }
}

#[test]
fn the_other_rule_does_not_settle_under_the_same_load() {
    let load = Load::zipf(KEYS);
    for nodes in [10, 50] {
        let run = balance(ReachCacheRebalance::default(), &load, nodes, 1);
        assert_eq!(run.moving_rounds(), 100);
        assert!(run.moved_keys() > 5.0, "{}", run.moved_keys());
        let late = &run.steps[50..];
        let mean = late.iter().map(|step| step.counted_peak).sum::<f64>() / late.len() as f64;
        println!(
            "{nodes} nodes: counted peak {mean} on average, {} of keys",
            run.moved_keys()
        );
        assert!(mean > 1.25, "{mean}");
    }
}

#[test]
fn one_hot_key_moves_nothing_under_steady_and_much_under_the_other_rule() {
    let load = Load::one_hot(KEYS);
    // So many points that the ring itself is even.
    let steady = balance_points(Steady::default(), &load, 10, 400, 1);
    assert_eq!(steady.moving_rounds(), 0);
    assert!(steady.steps.iter().all(|step| step.hot == [0]));
    let theirs = balance(ReachCacheRebalance::default(), &load, 10, 1);
    assert_eq!(theirs.moving_rounds(), 100);
    let at_bound = |step: &&load::Step| step.points.contains(&10) || step.points.contains(&200);
    assert!(theirs.steps.iter().filter(at_bound).count() > 50);
    assert!(theirs.last().peak > 5.0);
}

#[test]
fn a_run_can_be_repeated() {
    let load = Load::zipf(1000);
    let points = || {
        let run = balance(Steady::default(), &load, 10, 9);
        let steps = run.steps.into_iter();
        steps.map(|step| step.points).collect::<Vec<_>>()
    };
    assert_eq!(points(), points());
}
