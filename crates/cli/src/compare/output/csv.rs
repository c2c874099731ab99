//! A comparison as rows of comma-separated values: one for each strategy and change, empty fields for
//! what is not there, and the reasons in the last column.

use std::io::Write;

use super::{Comparison, NOT_TIMED};
use crate::CliError;
use crate::compare::{Findings, Outcome, ratio};

const HEADER: [&str; 21] = [
    "strategy",
    "change",
    "max_over_mean",
    "min_over_mean",
    "cv",
    "keyless_nodes",
    "loaded_max_over_mean",
    "loaded_cv",
    "loaded_away_share",
    "moved_share",
    "needed_share",
    "needless_share",
    "replica_overlap",
    "sets_changed_share",
    "sets_changed_needlessly_share",
    "heap_bytes",
    "build_ns",
    "lookup_ns",
    "lookup_over_hash",
    "change_ns",
    "reason",
];

pub(super) fn write(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(HEADER).map_err(io)?;
    let study = comparison.study;
    let keys = study.keys.len() as u64;
    for findings in comparison.findings {
        for (scenario, outcome) in study.scenarios.iter().zip(&findings.outcomes) {
            let row = row(findings, &scenario.label(), outcome, keys);
            table.write_record(row).map_err(io)?;
        }
    }
    table.flush()?;
    Ok(())
}

fn row(findings: &Findings, change: &str, outcome: &Outcome, keys: u64) -> [String; HEADER.len()] {
    let balance = findings.balance.as_ref().ok();
    let loaded = findings.loaded.as_ref().ok();
    let movement = outcome.movement.as_ref().ok();
    let replicas = outcome.replicas.as_ref().ok();
    let cost = findings.cost.as_ref().ok();
    let times = cost.and_then(|cost| cost.times);
    let mut reasons: Vec<&str> = Vec::new();
    for reason in [
        findings.balance.as_ref().err(),
        outcome.movement.as_ref().err(),
        outcome.replicas.as_ref().err(),
    ] {
        reasons.extend(reason.map(String::as_str));
    }
    if times.is_none() && cost.is_some() {
        reasons.push(NOT_TIMED);
    }
    reasons.dedup();
    [
        findings.strategy.to_string(),
        change.to_owned(),
        field(balance.map(|balance| balance.max_over_mean)),
        field(balance.map(|balance| balance.min_over_mean)),
        field(balance.map(|balance| balance.cv)),
        field(balance.map(|balance| balance.keyless)),
        field(loaded.map(|loaded| loaded.balance.max_over_mean)),
        field(loaded.map(|loaded| loaded.balance.cv)),
        field(loaded.map(|loaded| ratio(loaded.away, keys))),
        field(movement.map(|movement| ratio(movement.moved(), keys))),
        field(movement.map(|movement| ratio(movement.needed, keys))),
        field(movement.map(|movement| ratio(movement.needless, keys))),
        field(replicas.map(|replicas| replicas.overlap)),
        field(replicas.map(|replicas| ratio(replicas.changed, keys))),
        field(replicas.map(|replicas| ratio(replicas.needless, keys))),
        field(cost.map(|cost| cost.heap_bytes)),
        field(times.map(|times| times.build.as_nanos())),
        field(times.map(|times| times.lookup_ns)),
        field(times.map(|times| times.lookup_over_hash)),
        field(outcome.took.map(|took| took.as_nanos())),
        reasons.join("; "),
    ]
}

fn field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn io(error: csv::Error) -> CliError {
    CliError::Io(error.into())
}
