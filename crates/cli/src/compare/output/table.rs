//! A comparison as tables to read: ASCII, so that any terminal and any file shows them.

use std::io::Write;
use std::time::Duration;

use super::Comparison;
use super::sheet::{NONE, Sheet, percent};
use crate::CliError;
use crate::compare::{Findings, ratio};
use crate::strategy::Setting;

pub(super) fn write(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    heading(comparison, out)?;
    balance(comparison, out)?;
    loaded(comparison, out)?;
    for number in 0..comparison.study.scenarios.len() {
        movement(comparison, number, out)?;
    }
    cost(comparison, out)?;
    Ok(())
}

fn heading(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let study = comparison.study;
    let settings = &study.settings;
    let weights: u64 = study
        .nodes
        .iter()
        .map(|node| u64::from(node.weight().get()))
        .sum();
    writeln!(
        out,
        "Fleet: {}: {} nodes, weights together {weights}",
        comparison.fleet,
        study.nodes.len(),
    )?;
    writeln!(out, "Keys:  {}: {}", comparison.keys, study.keys.len())?;
    writeln!(
        out,
        "Hash {}, {} points per unit of weight, {} replicas",
        settings.hash.unwrap_or_default(),
        settings.points_or_default(),
        study.replicas,
    )?;
    for (size, names) in sizes(comparison) {
        writeln!(out, "({}: {size})", names.join(", "))?;
    }
    for (hash, names) in own_hashes(comparison) {
        let verb = if names.len() == 1 { "hashes" } else { "hash" };
        writeln!(out, "({} always {verb} with {hash})", names.join(", "))?;
    }
    for findings in comparison.findings {
        let name = &findings.strategy;
        if findings.loaded.is_ok() {
            writeln!(out, "({name} routes as here while nothing is held)")?;
        }
    }
    Ok(())
}

/// The hash functions that nobody can choose, each with the strategies that have it.
fn own_hashes<'a>(comparison: &Comparison<'a>) -> Vec<(&'a str, Vec<String>)> {
    let mut hashes: Vec<(&str, Vec<String>)> = Vec::new();
    for Findings { strategy, .. } in comparison.findings {
        let Some(hash) = strategy.own_hash() else {
            continue;
        };
        match hashes.iter_mut().find(|(known, _)| *known == hash) {
            Some((_, names)) => names.push(strategy.to_string()),
            None => hashes.push((hash, vec![strategy.to_string()])),
        }
    }
    hashes
}

/// The sizes of tables, each with the strategies that have one of it.
fn sizes(comparison: &Comparison<'_>) -> Vec<(String, Vec<String>)> {
    let settings = &comparison.study.settings;
    let mut sizes: Vec<(String, Vec<String>)> = Vec::new();
    for Findings { strategy, .. } in comparison.findings {
        for setting in strategy.settings() {
            let size = match setting {
                Setting::TableSize => format!("{} table entries", settings.table_size_or_default()),
                Setting::Partitions => match strategy.partitions(settings) {
                    Some(partitions) => format!("{partitions} partitions"),
                    None => continue,
                },
                Setting::Capacity => format!("{} nodes at most", settings.capacity_or_default()),
                _ => continue,
            };
            match sizes.iter_mut().find(|(known, _)| *known == size) {
                Some((_, names)) => names.push(strategy.to_string()),
                None => sizes.push((size, vec![strategy.to_string()])),
            }
        }
    }
    sizes
}

fn balance(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    writeln!(
        out,
        "\nBalance: the keys of a node, over the keys its weight asks for"
    )?;
    let mut sheet = Sheet::new("strategy", ["max/mean", "min/mean", "CV", "keyless nodes"]);
    for findings in comparison.findings {
        let cells = findings.balance.as_ref().map(|balance| {
            [
                format!("{:.3}", balance.max_over_mean),
                format!("{:.3}", balance.min_over_mean),
                percent(balance.cv),
                balance.keyless.to_string(),
            ]
        });
        sheet.row(&findings.strategy.to_string(), cells);
    }
    sheet.write(out)
}

/// The strategies that bound loads; nothing if there are none.
fn loaded(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let keys = comparison.study.keys.len() as u64;
    let mut sheet = Sheet::new(
        "strategy",
        [
            "max/mean",
            "min/mean",
            "CV",
            "fullest node",
            "away from home",
        ],
    );
    let mut any = false;
    for findings in comparison.findings {
        if let Ok(loaded) = &findings.loaded {
            any = true;
            let cells = [
                format!("{:.3}", loaded.balance.max_over_mean),
                format!("{:.3}", loaded.balance.min_over_mean),
                percent(loaded.balance.cv),
                format!("{} of {}", loaded.fullest_load, loaded.fullest_capacity),
                percent(ratio(loaded.away, keys)),
            ];
            sheet.row(&findings.strategy.to_string(), Ok(cells));
        }
    }
    if any {
        let epsilon = comparison.study.settings.epsilon.unwrap_or_default();
        writeln!(
            out,
            "\nLoaded: every key a load that stays, epsilon {epsilon}"
        )?;
        sheet.write(out)?;
    }
    Ok(())
}

fn movement(
    comparison: &Comparison<'_>,
    number: usize,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let keys = comparison.study.keys.len() as u64;
    let scenario = &comparison.study.scenarios[number];
    let ours = if comparison.default_changes {
        " (an example: give --add, --remove, --reweight)"
    } else {
        ""
    };
    writeln!(out, "\nChange {}: {}{ours}", number + 1, scenario.label())?;
    writeln!(
        out,
        "The weights ask for {} of the keys to move",
        percent(scenario.least_share)
    )?;
    let mut sheet = Sheet::new(
        "strategy",
        [
            "moved",
            "needed",
            "needless",
            "replicas kept",
            "sets changed needlessly",
        ],
    );
    for findings in comparison.findings {
        let outcome = &findings.outcomes[number];
        let share = |count| percent(ratio(count, keys));
        let replicas = match &outcome.replicas {
            Ok(replicas) => [percent(replicas.overlap), share(replicas.needless)],
            Err(_) => [NONE.into(), NONE.into()],
        };
        let cells = outcome.movement.as_ref().map(|movement| {
            let [kept, needless] = replicas;
            [
                share(movement.moved()),
                share(movement.needed),
                share(movement.needless),
                kept,
                needless,
            ]
        });
        sheet.row(&findings.strategy.to_string(), cells);
        if let (Ok(_), Err(reason)) = (&outcome.movement, &outcome.replicas) {
            sheet.note(&findings.strategy.to_string(), reason);
        }
    }
    sheet.write(out)
}

fn cost(comparison: &Comparison<'_>, out: &mut dyn Write) -> Result<(), CliError> {
    let timing = comparison.study.timing;
    writeln!(
        out,
        "\nCost{}",
        if timing {
            ": medians of this machine and this run"
        } else {
            ""
        }
    )?;
    let mut sheet = Sheet::new(
        "strategy",
        ["bytes held", "build", "lookup", "x hash"]
            .into_iter()
            .map(String::from)
            .chain((1..=comparison.study.scenarios.len()).map(|number| format!("change {number}")))
            .take(if timing { usize::MAX } else { 1 }),
    );
    for findings in comparison.findings {
        let cells = findings.cost.as_ref().map(|cost| {
            let mut cells = vec![bytes(cost.heap_bytes)];
            if let Some(times) = cost.times {
                cells.push(time(times.build));
                cells.push(format!("{:.1} ns", times.lookup_ns));
                cells.push(format!("{:.1}", times.lookup_over_hash));
                let changes = findings.outcomes.iter().map(|outcome| outcome.took);
                cells.extend(changes.map(|took| took.map_or(NONE.into(), time)));
            }
            cells
        });
        sheet.row(&findings.strategy.to_string(), cells);
    }
    sheet.write(out)?;
    if timing {
        let hash = comparison.study.settings.hash.unwrap_or_default();
        writeln!(out, " x hash: the lookup, {hash} of the key alone being 1")?;
    }
    Ok(())
}

fn time(time: Duration) -> String {
    let nanoseconds = time.as_secs_f64() * 1e9;
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        ns if ns < 1e9 => format!("{:.1} ms", ns / 1e6),
        ns => format!("{:.1} s", ns / 1e9),
    }
}

fn bytes(bytes: u64) -> String {
    let kib = ratio(bytes, 1u32 << 10);
    match kib {
        kib if kib < 1.0 => format!("{bytes} B"),
        kib if kib < 1024.0 => format!("{kib:.1} KiB"),
        kib => format!("{:.1} MiB", kib / 1024.0),
    }
}
