//! Balances a ring under a Zipf load and under one hot key, by `Steady` and by `ReachCache`'s rule, and prints what
//! each made of it.
//!
//! ```sh
//! cargo run --release -p keyroute-adaptive --example zipf
//! ```

#![expect(clippy::cast_precision_loss, reason = "a report over small numbers")]

mod load;
mod random;

use keyroute_adaptive::{Policy, ReachCacheRebalance, RouteError, Steady};
use load::{Load, Run, Setting, run, touched};

const KEYS: u64 = 100_000;

fn main() -> Result<(), RouteError> {
    println!("{KEYS} keys; 100 points a node to begin with; 100,000 requests a round; 100 rounds.");
    println!(
        "Peak: the most loaded node over its fair share, before and after; counted: without hot keys."
    );
    println!();
    println!(
        "{:8} {:>5} {:11} {:>13} {:>13} {:>7} {:>8} {:>9} {:>9} {:>6} {:>11} {:>4}",
        "load",
        "nodes",
        "policy",
        "peak",
        "counted",
        "moves",
        "last",
        "keys",
        "requests",
        "nodes",
        "points",
        "hot"
    );
    println!(
        "{:8} {:>5} {:11} {:>13} {:>13} {:>7} {:>8} {:>9} {:>9} {:>6} {:>11} {:>4}",
        "", "", "", "", "", "rounds", "round", "moved", "moved", "moved", "after", "keys"
    );
    for (name, load) in [("zipf", Load::zipf(KEYS)), ("one hot", Load::one_hot(KEYS))] {
        for nodes in [10, 50] {
            row(
                name,
                "steady",
                nodes,
                &balance(Steady::default(), &load, nodes)?,
            );
            let theirs = balance(ReachCacheRebalance::default(), &load, nodes)?;
            row(name, "reachcache", nodes, &theirs);
        }
    }
    Ok(())
}

fn balance(policy: impl Policy, load: &Load, nodes: u32) -> Result<Run, RouteError> {
    let setting = Setting {
        nodes,
        points: 100,
        rounds: 100,
        requests: 100_000,
        seed: 1,
    };
    run(policy, load, &setting)
}

fn row(load: &str, policy: &str, nodes: u32, run: &Run) {
    let last = run.last();
    let (least, most) = (last.points.iter().min(), last.points.iter().max());
    println!(
        "{load:8} {nodes:>5} {policy:11} {:>13} {:>13} {:>7} {:>8} {:>7.1} % {:>7.1} % {:>6} {:>11} {:>4}",
        format!("{:.2} to {:.2}", run.peak_before, last.peak),
        format!("{:.2} to {:.2}", run.counted_peak_before, last.counted_peak),
        run.moving_rounds(),
        run.settled_after(),
        run.moved_keys() * 100.0,
        run.moved_requests() * 100.0,
        touched(run),
        format!("{} to {}", least.unwrap_or(&0), most.unwrap_or(&0)),
        last.hot.len(),
    );
}
