//! How late may a pick be while the cluster changes?
//!
//! The other questions ask what a lookup costs; this one asks for the slowest of millions, since that is where a lock
//! would show, or a reader that has to free what a writer replaced. So each pick is timed alone, its clock included,
//! and counted in a histogram. Whoever is picked must be a node of the list before the change or after it.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use keyroute_cluster::{Batch, Cluster};
use keyroute_vector_ring::VectorRing;

use crate::report::thousands;
use crate::rounds::Pace;
use crate::workload::{Turns, fleet, node};

/// Nodes of the cluster. One more comes and goes.
const NODES: u32 = 100;

/// Of a run of the other questions: a turn must see many changes.
const TURN_IN_RUNS: u32 = 100;

/// The longest pick that is told from longer ones, in nanoseconds: a minute. (Without bounds it would be 2 µs.)
const LONGEST: u64 = 60_000_000_000;

/// Picks of a turn at least.
const LEAST: usize = 1_000;

/// How often the cluster changes.
#[derive(Clone, Copy)]
enum Changes {
    None,
    /// One in this time.
    Each(Duration),
    /// One after the other.
    Always,
}

const HOW_OFTEN: [(&str, Changes); 3] = [
    ("no change", Changes::None),
    (
        "100 changes a second",
        Changes::Each(Duration::from_millis(10)),
    ),
    ("as fast as it goes", Changes::Always),
];

/// How a key is looked up.
#[derive(Clone, Copy)]
enum Way {
    /// Not at all: what the clock takes.
    Clock,
    Reader,
    Load,
}

const WAYS: [(&str, Way); 3] = [
    ("clock alone", Way::Clock),
    ("reader", Way::Reader),
    ("load", Way::Load),
];

type Held = Cluster<VectorRing, u32>;

struct Row {
    name: String,
    way: Way,
    changes: Changes,
    picks: Histogram<u64>,
    changed: u32,
}

/// Asks it in turns, everybody in each round, and tells it in Markdown.
///
/// # Panics
///
/// If a pick is none of the nodes that are members then.
#[must_use]
pub fn tail(pace: Pace) -> String {
    let mut rows: Vec<Row> = WAYS
        .iter()
        .flat_map(|&(way_name, way)| {
            HOW_OFTEN.iter().map(move |&(often, changes)| Row {
                name: format!("{way_name}, {often}"),
                way,
                changes,
                picks: Histogram::new_with_bounds(1, LONGEST, 3)
                    .expect("3 digits up to a minute are within its limits"),
                changed: 0,
            })
        })
        .collect();
    let members = fleet(NODES).into_iter().zip(0..);
    let cluster: Held = Cluster::from_members(VectorRing::new(), members)
        .expect("the fleets are within every limit");
    for _ in 0..pace.rounds {
        for row in &mut rows {
            turn(&cluster, pace.run * TURN_IN_RUNS, row);
        }
    }
    told(&rows)
}

/// Picks for this long, while another thread changes the cluster.
fn turn(cluster: &Held, time: Duration, row: &mut Row) {
    let stopped = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| change(cluster, row.changes, &stopped));
        let picks = &mut row.picks;
        match row.way {
            Way::Clock => timed(time, picks, |_| 0),
            Way::Reader => {
                let mut reader = cluster.reader();
                timed(time, picks, |key| {
                    *reader.pick(key).expect("all are up").payload()
                });
            }
            Way::Load => timed(time, picks, |key| {
                *cluster.load().pick(key).expect("all are up").payload()
            }),
        }
        stopped.store(true, Ordering::Relaxed);
        row.changed += writer.join().expect("it does not panic");
    });
}

fn timed(time: Duration, picks: &mut Histogram<u64>, mut pick: impl FnMut(&[u8]) -> u32) {
    let mut turns = Turns::default();
    let began = Instant::now();
    while began.elapsed() < time || picks.len() < LEAST as u64 {
        for key in turns.take(LEAST) {
            let before = Instant::now();
            let picked = std::hint::black_box(pick(key));
            let spent = before.elapsed().as_nanos();
            assert!(picked <= NODES, "node {picked} was never a member");
            picks.saturating_record(u64::try_from(spent).unwrap_or(u64::MAX));
        }
    }
}

/// Has a node join and leave until it is stopped, and leaves the cluster as it was; says how many changes that were.
fn change(cluster: &Held, changes: Changes, stopped: &AtomicBool) -> u32 {
    let mut count = 0;
    let mut next = Instant::now();
    while !stopped.load(Ordering::Relaxed) {
        match changes {
            Changes::None => {
                thread::sleep(Duration::from_millis(1));
                continue;
            }
            Changes::Each(time) => {
                next += time;
                thread::sleep(next.saturating_duration_since(Instant::now()));
            }
            Changes::Always => {}
        }
        let batch = match count % 2 {
            0 => Batch::new().add(node(NODES), NODES),
            _ => Batch::new().remove(format!("cache-{NODES}")),
        };
        cluster.apply(batch).expect("it can join and leave");
        count += 1;
    }
    if count % 2 == 1 {
        let back = cluster.apply(Batch::new().remove(format!("cache-{NODES}")));
        back.expect("it can leave");
    }
    count
}

fn told(rows: &[Row]) -> String {
    let mut out = format!(
        "## tail\n\nHow late may a pick be while a cluster of {NODES} nodes changes? Nanoseconds of single picks, the \
         clock included; another thread has a node join and leave.\n\n\
         | | median | 99 % | 99.9 % | longest | picks | changes |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n"
    );
    for row in rows {
        let at = |quantile| row.picks.value_at_quantile(quantile);
        let numbers = [
            at(0.5),
            at(0.99),
            at(0.999),
            row.picks.max(),
            row.picks.len(),
        ];
        let cells: String = numbers
            .iter()
            .map(|&number| {
                format!(
                    " {} |",
                    thousands(u32::try_from(number).unwrap_or(u32::MAX))
                )
            })
            .collect();
        let changed = thousands(row.changed);
        let _ = writeln!(out, "| {} |{cells} {changed} |", row.name); // a string takes all
    }
    out
}
