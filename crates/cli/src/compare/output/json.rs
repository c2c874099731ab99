//! A comparison as one JSON object, `keyroute/compare/1`.
//!
//! Every measurement is an object that always has the same fields. What a strategy refuses, and what
//! was not measured, has nulls for numbers and says why in `reason`, which is null otherwise.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use super::{Comparison, Measured, NOT_TIMED};
use crate::CliError;
use crate::compare::{Findings, Outcome, ratio};
use crate::fleet::Settings;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    fleet: &'a str,
    nodes: Vec<NodeLine<'a>>,
    keys: u64,
    keys_from: &'a str,
    hash: String,
    points_per_weight: u32,
    epsilon: f64,
    table_size: u32,
    capacity: u32,
    replicas: usize,
    default_changes: bool,
    changes: Vec<ChangeLine>,
    strategies: Vec<StrategyLine>,
}

#[derive(Serialize)]
struct NodeLine<'a> {
    id: &'a str,
    weight: u32,
}

#[derive(Serialize)]
struct ChangeLine {
    steps: Vec<String>,
    least_share: f64,
}

#[derive(Serialize)]
struct StrategyLine {
    strategy: String,
    /// The function that places keys.
    hash: String,
    /// Of slot tables.
    partitions: Option<u32>,
    balance: Cell<BalanceNumbers>,
    loaded: Cell<LoadedNumbers>,
    changes: Vec<OutcomeLine>,
    memory: Cell<MemoryNumbers>,
    times: Cell<TimeNumbers>,
}

#[derive(Serialize)]
struct OutcomeLine {
    movement: Cell<MovementNumbers>,
    replicas: Cell<ReplicaNumbers>,
    times: Cell<ChangeTimeNumbers>,
}

/// Numbers, or why there are none.
#[derive(Serialize)]
struct Cell<T> {
    #[serde(flatten)]
    numbers: T,
    reason: Option<String>,
}

impl<T: Default> Cell<T> {
    fn of<M>(measured: Measured<M>, numbers: impl FnOnce(M) -> T) -> Self {
        match measured {
            Ok(measured) => Self {
                numbers: numbers(measured),
                reason: None,
            },
            Err(reason) => Self {
                numbers: T::default(),
                reason: Some(reason.into()),
            },
        }
    }
}

#[derive(Serialize, Default)]
struct BalanceNumbers {
    max_over_mean: Option<f64>,
    min_over_mean: Option<f64>,
    cv: Option<f64>,
    keyless_nodes: Option<usize>,
    keys_by_node: Option<Vec<u64>>,
}

/// Every key a load that stays.
#[derive(Serialize, Default)]
struct LoadedNumbers {
    max_over_mean: Option<f64>,
    min_over_mean: Option<f64>,
    cv: Option<f64>,
    loads_by_node: Option<Vec<u64>>,
    fullest_load: Option<u64>,
    fullest_capacity: Option<u64>,
    away: Option<u64>,
    away_share: Option<f64>,
}

#[derive(Serialize, Default)]
struct MovementNumbers {
    moved: Option<u64>,
    needed: Option<u64>,
    needless: Option<u64>,
    moved_share: Option<f64>,
    needed_share: Option<f64>,
    needless_share: Option<f64>,
}

#[derive(Serialize, Default)]
struct ReplicaNumbers {
    overlap: Option<f64>,
    sets_changed: Option<u64>,
    sets_changed_needlessly: Option<u64>,
}

#[derive(Serialize, Default)]
struct MemoryNumbers {
    heap_bytes: Option<u64>,
}

#[derive(Serialize, Default)]
struct TimeNumbers {
    build_ns: Option<u64>,
    lookup_ns: Option<f64>,
    lookup_over_hash: Option<f64>,
}

#[derive(Serialize, Default)]
struct ChangeTimeNumbers {
    change_ns: Option<u64>,
}

pub(super) fn write(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let study = comparison.study;
    let keys = study.keys.len() as u64;
    let document = Document {
        schema: "keyroute/compare/1",
        fleet: comparison.fleet,
        nodes: study
            .nodes
            .iter()
            .map(|node| NodeLine {
                id: node.id().as_str(),
                weight: node.weight().get(),
            })
            .collect(),
        keys,
        keys_from: comparison.keys,
        hash: study.settings.hash.unwrap_or_default().to_string(),
        points_per_weight: study.settings.points_or_default(),
        epsilon: ratio(study.settings.epsilon.unwrap_or_default().0, 1000u32),
        table_size: study.settings.table_size_or_default(),
        capacity: study.settings.capacity_or_default(),
        replicas: study.replicas,
        default_changes: comparison.default_changes,
        changes: study
            .scenarios
            .iter()
            .map(|scenario| ChangeLine {
                steps: scenario.steps.iter().map(ToString::to_string).collect(),
                least_share: scenario.least_share,
            })
            .collect(),
        strategies: comparison
            .findings
            .iter()
            .map(|findings| strategy(findings, &study.settings, keys))
            .collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
    writeln!(out)?;
    Ok(())
}

fn strategy(findings: &Findings, settings: &Settings, keys: u64) -> StrategyLine {
    let cost = findings.cost.as_ref().map_err(String::as_str);
    StrategyLine {
        strategy: findings.strategy.to_string(),
        hash: match findings.strategy.own_hash() {
            Some(hash) => hash.to_owned(),
            None => settings.hash.unwrap_or_default().to_string(),
        },
        partitions: findings.strategy.partitions(settings),
        balance: Cell::of(
            findings.balance.as_ref().map_err(String::as_str),
            |balance| BalanceNumbers {
                max_over_mean: Some(balance.max_over_mean),
                min_over_mean: Some(balance.min_over_mean),
                cv: Some(balance.cv),
                keyless_nodes: Some(balance.keyless),
                keys_by_node: Some(balance.keys.clone()),
            },
        ),
        loaded: Cell::of(findings.loaded.as_ref().map_err(String::as_str), |loaded| {
            LoadedNumbers {
                max_over_mean: Some(loaded.balance.max_over_mean),
                min_over_mean: Some(loaded.balance.min_over_mean),
                cv: Some(loaded.balance.cv),
                loads_by_node: Some(loaded.balance.keys.clone()),
                fullest_load: Some(loaded.fullest_load),
                fullest_capacity: Some(loaded.fullest_capacity),
                away: Some(loaded.away),
                away_share: Some(ratio(loaded.away, keys)),
            }
        }),
        changes: findings
            .outcomes
            .iter()
            .map(|outcome| self::outcome(outcome, keys))
            .collect(),
        memory: Cell::of(cost, |cost| MemoryNumbers {
            heap_bytes: Some(cost.heap_bytes),
        }),
        times: Cell::of(cost.and_then(|cost| cost.times.ok_or(NOT_TIMED)), |times| {
            TimeNumbers {
                build_ns: Some(nanoseconds(times.build)),
                lookup_ns: Some(times.lookup_ns),
                lookup_over_hash: Some(times.lookup_over_hash),
            }
        }),
    }
}

fn outcome(outcome: &Outcome, keys: u64) -> OutcomeLine {
    let movement = outcome.movement.as_ref().map_err(String::as_str);
    OutcomeLine {
        movement: Cell::of(movement, |movement| MovementNumbers {
            moved: Some(movement.moved()),
            needed: Some(movement.needed),
            needless: Some(movement.needless),
            moved_share: Some(ratio(movement.moved(), keys)),
            needed_share: Some(ratio(movement.needed, keys)),
            needless_share: Some(ratio(movement.needless, keys)),
        }),
        replicas: Cell::of(
            outcome.replicas.as_ref().map_err(String::as_str),
            |replicas| ReplicaNumbers {
                overlap: Some(replicas.overlap),
                sets_changed: Some(replicas.changed),
                sets_changed_needlessly: Some(replicas.needless),
            },
        ),
        times: Cell::of(
            movement.and_then(|_| outcome.took.ok_or(NOT_TIMED)),
            |took| ChangeTimeNumbers {
                change_ns: Some(nanoseconds(took)),
            },
        ),
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
