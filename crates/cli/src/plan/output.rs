//! [`Report`]: a comparison as tables and as JSON.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use bytesize::ByteSize;
use clap::ValueEnum;
use indicatif::FormattedDuration;
use keyroute::plan::{Flow, Flows, Interval, Move, Phase, Space};
use keyroute::{Fingerprint, NodeId};
use serde::Serialize;

use super::{Comparison, Side, sender};
use crate::CliError;
use crate::compare::output::sheet::{NONE, Sheet, percent};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Table,
    Json,
}

/// What is shown of a comparison.
pub(crate) struct Report<'a> {
    pub(crate) sides: [&'a Side; 2],
    pub(crate) replicas: usize,
    pub(crate) comparison: &'a Comparison,
    /// Bytes a second, each way, of each node.
    pub(crate) bandwidth: Option<u64>,
    /// Whether each range is listed.
    pub(crate) ranges: bool,
}

impl Report<'_> {
    pub(crate) fn write(&self, format: Format, out: &mut dyn Write) -> Result<(), CliError> {
        match format {
            Format::Table => self.table(out),
            Format::Json => self.json(out),
        }
    }

    fn table(&self, out: &mut dyn Write) -> Result<(), CliError> {
        for (label, side) in ["Before", "After "].iter().zip(self.sides) {
            let members = side.router().members();
            writeln!(
                out,
                "{label}: {}: {} of {} nodes, weights together {}",
                side.name,
                side.choice,
                members.len(),
                members.total_weight()
            )?;
        }
        if self.replicas > 1 {
            writeln!(out, "Copies: {} of each key", self.replicas)?;
        }
        writeln!(out, "Known : {}", self.known())?;
        let flows = self.comparison.flows();
        writeln!(out, "Moves : {}", self.summary(&flows))?;
        if flows.lost() > 0 {
            writeln!(
                out,
                "Lost  : {}: no node is left",
                self.amount(flows.lost())
            )?;
        }
        if let (Some(bytes), Some(rate)) = (self.comparison.bytes(), self.bandwidth) {
            let time = bytes.time(rate).map_or_else(|| NONE.into(), spoken);
            let rate = ByteSize(rate).display().si();
            writeln!(
                out,
                "Time  : {time}, if every node sends and receives {rate}/s"
            )?;
        }
        self.pairs(&flows, out)?;
        self.nodes(&flows, out)?;
        self.phases(out)?;
        if self.ranges {
            self.moves(out)?;
        }
        Ok(())
    }

    fn known(&self) -> String {
        match self.comparison {
            Comparison::Exact { plan, .. } => match plan.space() {
                Space::Partitions(it) => format!("exactly, by {} partitions", it.count),
                _ => format!("exactly, by {}", plan.space()),
            },
            Comparison::Counted {
                keys,
                from,
                reason,
                sample,
                ..
            } => {
                let exactly = if *sample { "a sample" } else { "a count" };
                format!("by {exactly} of {keys} keys, {from}, since {reason}")
            }
        }
    }

    fn summary(&self, flows: &Flows) -> String {
        let mut text = if flows.moved() == 0 {
            "nothing".into()
        } else {
            let [moved, needed, needless] = self.comparison.totals(flows).map(percent);
            format!("{moved} of the keys, {needed} needed, {needless} needless")
        };
        if let Comparison::Counted {
            interval,
            sample: true,
            ..
        } = self.comparison
        {
            // The interval is one of keys, and a key may need several copies, or change the order of its nodes alone.
            let what = if self.replicas > 1 {
                " have other nodes or another order"
            } else {
                ""
            };
            text += &format!(" (of all keys {interval}{what}, at 95 %)");
        }
        if let Some(bytes) = self.comparison.bytes().filter(|_| flows.moved() > 0) {
            text += &format!("; {}", size(bytes.moved()));
        }
        text
    }

    fn amount(&self, amount: u128) -> String {
        percent(self.comparison.share(amount))
    }

    fn pairs(&self, flows: &Flows, out: &mut dyn Write) -> Result<(), CliError> {
        if flows.moved() == 0 {
            return Ok(());
        }
        writeln!(out, "\nWho sends to whom, in parts of all keys")?;
        let bytes = self.comparison.bytes();
        let known: BTreeMap<_, _> = bytes.into_iter().flat_map(Flows::iter).collect();
        let mut sheet = Sheet::new("from", with_bytes(&["to", "moves", "needless"], bytes));
        for (ends @ (from, to), flow) in flows.iter() {
            let mut cells = vec![
                to.to_string(),
                self.amount(flow.amount()),
                self.amount(flow.needless),
            ];
            if bytes.is_some() {
                cells.push(size(known.get(ends).map_or(0, |flow| flow.amount())));
            }
            sheet.row(sender(from.as_ref()), Ok(cells));
        }
        sheet.write(out)
    }

    fn nodes(&self, flows: &Flows, out: &mut dyn Write) -> Result<(), CliError> {
        if flows.nodes().len() == 0 {
            return Ok(());
        }
        writeln!(out, "\nNodes: what each sends, receives, and may then drop")?;
        let bytes = self.comparison.bytes();
        let known: BTreeMap<_, _> = bytes.into_iter().flat_map(Flows::nodes).collect();
        let mut columns = vec!["sends", "receives", "drops"];
        if bytes.is_some() {
            columns.extend(["bytes out", "bytes in", "bytes dropped"]);
        }
        let mut sheet = Sheet::new("node", columns);
        for (id, node) in flows.nodes() {
            let sends = match node.sends {
                u128::MAX => self.comparison.copied(flows, Some(id), Flow::amount),
                sends => self.comparison.share(sends),
            };
            let [receives, drops] = [node.receives, node.drops].map(|it| self.amount(it));
            let mut cells = vec![percent(sends), receives, drops];
            if bytes.is_some() {
                let it = known.get(id).copied().unwrap_or_default();
                cells.extend([it.sends, it.receives, it.drops].map(size));
            }
            sheet.row(id.as_str(), Ok(cells));
        }
        sheet.write(out)
    }

    fn phases(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let Comparison::Exact {
            phases: Some(phases),
            ..
        } = self.comparison
        else {
            return Ok(());
        };
        writeln!(out, "\nPhases: {}", phases.len())?;
        let columns = ["ranges", "moves", "busiest node", "time"];
        let mut sheet = Sheet::new("phase", columns);
        for (number, phase) in (1..).zip(phases) {
            let time = self.bandwidth.and_then(|rate| phase.bytes().time(rate));
            let cells = [
                phase.moves().len().to_string(),
                size(phase.bytes().moved()),
                size(phase.bytes().busiest()),
                time.map_or_else(|| NONE.into(), spoken),
            ];
            sheet.row(&number.to_string(), Ok(cells));
        }
        sheet.write(out)
    }

    fn moves(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let Comparison::Exact { plan, .. } = self.comparison else {
            writeln!(out, "\nRanges: none, since keys were asked one by one")?;
            return Ok(());
        };
        writeln!(out, "\nRanges: {}", plan.moves().len())?;
        for it in plan.moves() {
            writeln!(out, "{it}")?;
        }
        Ok(())
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let comparison = self.comparison;
        let flows = comparison.flows();
        let [before, after] = self.sides.map(SideLine::of);
        let (space, moves, phases) = match comparison {
            Comparison::Exact { plan, phases, .. } => (
                Some(plan.space()),
                self.ranges.then(|| plan.moves()),
                phases.as_deref(),
            ),
            Comparison::Counted { .. } => (None, None, None),
        };
        let counted = match comparison {
            Comparison::Exact { .. } => None,
            Comparison::Counted {
                keys,
                from,
                sample,
                moved,
                interval,
                reason,
                ..
            } => Some(CountedLine {
                keys: *keys,
                from,
                sample: *sample,
                moved: *moved,
                interval: *interval,
                reason,
            }),
        };
        let [moved, needed, needless] = comparison.totals(&flows);
        let time = |bytes: &Flows| Some(bytes.time(self.bandwidth?)?.as_secs_f64());
        let report = JsonReport {
            schema: "keyroute/plan/1",
            before,
            after,
            replicas: self.replicas,
            space,
            counted,
            moved,
            needed,
            needless,
            lost: comparison.share(flows.lost()),
            flows: &flows,
            bytes: comparison.bytes(),
            seconds: comparison.bytes().and_then(time),
            phases,
            moves,
        };
        serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::from)?;
        writeln!(out)?;
        Ok(())
    }
}

fn with_bytes<'a>(columns: &[&'a str], bytes: Option<&Flows>) -> Vec<&'a str> {
    let mut columns = columns.to_vec();
    columns.extend(bytes.map(|_| "bytes"));
    columns
}

/// A time as a clock shows it, under a minute to a tenth of a second.
fn spoken(time: Duration) -> String {
    match time.as_secs() {
        ..60 => format!("{time:.1?}"),
        _ => FormattedDuration(time).to_string(),
    }
}

/// Bytes in the unit that fits.
fn size(bytes: u128) -> String {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    ByteSize(bytes).display().iec().to_string()
}

/// The parts of all keys that move are beside their amounts: of positions, or of keys.
#[derive(Serialize)]
struct JsonReport<'a> {
    schema: &'static str,
    before: SideLine<'a>,
    after: SideLine<'a>,
    replicas: usize,
    /// What ranges are ranges of; null where keys were asked.
    space: Option<Space>,
    counted: Option<CountedLine<'a>>,
    moved: f64,
    needed: f64,
    needless: f64,
    lost: f64,
    flows: &'a Flows,
    bytes: Option<&'a Flows>,
    seconds: Option<f64>,
    phases: Option<&'a [Phase]>,
    moves: Option<&'a [Move]>,
}

#[derive(Serialize)]
struct SideLine<'a> {
    fleet: &'a str,
    strategy: String,
    scheme: String,
    fingerprint: Fingerprint,
    nodes: Vec<&'a NodeId>,
}

impl<'a> SideLine<'a> {
    fn of(side: &'a Side) -> Self {
        let members = side.router().members();
        let description = side.router().describe();
        Self {
            fleet: &side.name,
            strategy: side.choice.to_string(),
            scheme: description.scheme().to_owned(),
            fingerprint: description.fingerprint(),
            nodes: members.listed_nodes().map(keyroute::Node::id).collect(),
        }
    }
}

#[derive(Serialize)]
struct CountedLine<'a> {
    keys: u64,
    from: &'a str,
    sample: bool,
    moved: u64,
    /// The part of all keys that moves, at 95 %.
    interval: Interval,
    reason: &'a str,
}

/// What one strategy would move.
pub(crate) struct Picked {
    pub(crate) strategy: String,
    pub(crate) outcome: Result<Comparison, String>,
}

#[derive(Serialize)]
struct PickedLine<'a> {
    strategy: &'a str,
    exact: Option<bool>,
    moved: Option<f64>,
    needless: Option<f64>,
    problem: Option<&'a str>,
}

impl Picked {
    /// Orders them by what they move, the least first, those that cannot at the end.
    pub(crate) fn sort(picked: &mut Vec<Self>) {
        // Amounts are added up once each: there may be millions of ranges.
        let order = |it: Self| match &it.outcome {
            Ok(comparison) => {
                let [moved, _, needless] = comparison.totals(&comparison.flows());
                (moved, needless, it)
            }
            Err(_) => (f64::INFINITY, 0.0, it),
        };
        let mut ordered: Vec<_> = picked.drain(..).map(order).collect();
        ordered.sort_by(|(moved_a, needless_a, a), (moved_b, needless_b, b)| {
            moved_a
                .total_cmp(moved_b)
                .then(needless_a.total_cmp(needless_b))
                .then_with(|| a.strategy.cmp(&b.strategy))
        });
        picked.extend(ordered.into_iter().map(|(.., it)| it));
    }

    /// Writes them in this order.
    pub(crate) fn write(
        picked: &[Self],
        format: Format,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        match format {
            Format::Table => {
                writeln!(out, "What each strategy would move, the least first")?;
                let mut sheet = Sheet::new("strategy", ["moves", "needed", "needless", "known"]);
                for it in picked {
                    let cells = it.outcome.as_ref().map(|comparison| {
                        let known = match comparison {
                            Comparison::Exact { .. } => "exactly".into(),
                            Comparison::Counted { keys, .. } => format!("by {keys} keys"),
                        };
                        let [moved, needed, needless] =
                            comparison.totals(&comparison.flows()).map(percent);
                        [moved, needed, needless, known]
                    });
                    sheet.row(&it.strategy, cells);
                }
                sheet.write(out)
            }
            Format::Json => {
                let line = |it: &'_ Self| {
                    let found = it.outcome.as_ref().ok();
                    let totals = found.map(|comparison| comparison.totals(&comparison.flows()));
                    serde_json::to_value(PickedLine {
                        strategy: &it.strategy,
                        exact: found.map(|it| matches!(it, Comparison::Exact { .. })),
                        moved: totals.map(|[moved, ..]| moved),
                        needless: totals.map(|[.., needless]| needless),
                        problem: it.outcome.as_ref().err().map(String::as_str),
                    })
                };
                let lines: Result<Vec<_>, _> = picked.iter().map(line).collect();
                let report = serde_json::json!({
                    "schema": "keyroute/plan-pick/1",
                    "strategies": lines.map_err(std::io::Error::from)?,
                });
                serde_json::to_writer_pretty(&mut *out, &report).map_err(std::io::Error::from)?;
                writeln!(out)?;
                Ok(())
            }
        }
    }
}
