//! `keyroute zones`: what each zone and each node holds.

use std::collections::BTreeMap;
use std::io::Write;

use clap::{Args, ValueEnum};
use keyroute::{Members, NodeShare, Ownership, Spread, Zone, ZoneAware, ZoneShare};
use serde::Serialize;

use crate::args::FleetArgs;
use crate::commands::{check_stdin, order_of, router_of};
use crate::compare::KeyArena;
use crate::compare::output::sheet::{NONE, Sheet, percent};
use crate::compare::ratio;
use crate::keys::{KeyArgs, Otherwise};
use crate::{CliError, Outcome};

/// Show what each zone and each node holds, with replicas in different zones
///
/// Places the keys as `route --zones` does, and counts: owned is the part of the keys whose first replica is
/// there, held the part that has a replica there, the first or another.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute zones --fleet fleet.toml --replicas 3
  keyroute zones keys.txt --fleet fleet.toml --format json")]
pub(crate) struct ZonesArgs {
    #[command(flatten)]
    keys: KeyArgs,
    #[command(flatten)]
    fleet: FleetArgs,
    /// How many nodes for each key
    #[arg(
        short,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 2
    )]
    replicas: usize,
    /// Form of the output: `json` is one object
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
}

pub(crate) fn run(args: &ZonesArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if args.replicas == 0 {
        return Err(CliError::at("--replicas", "0 nodes a key: give 1 or more"));
    }
    check_stdin(args.fleet.file(), &args.keys, Otherwise::Sample)?;
    let (fleet, choice) = args.fleet.load()?;
    fleet.check_not_empty()?;
    let strategy = router_of(&fleet, &choice)?;
    let router = ZoneAware::new(order_of(&*strategy, &choice, "")?);
    let mut keys = args.keys.open(Otherwise::Sample)?;
    let keys_from = keys.source();
    let keys = KeyArena::read(&mut keys)?;
    let ownership = router.ownership_of(keys.iter(), args.replicas);
    let report = Report {
        schema: "keyroute/zones/1",
        fleet: &args.fleet.source(),
        keys: keys.len() as u64,
        keys_from: &keys_from,
        spread: router.spread(args.replicas).into(),
        zones: zones(router.members(), &ownership),
        nodes: nodes(router.members(), &ownership),
    };
    match args.format {
        Format::Table => report.table(out)?,
        Format::Json => report.json(out)?,
    }
    Ok(Outcome::Done)
}

fn nodes<'a>(members: &Members, ownership: &'a Ownership) -> Vec<NodeLine<'a>> {
    let line = |node: &'a NodeShare| NodeLine {
        id: node.id.as_str(),
        zone: node.zone.as_ref().map(Zone::as_str),
        weight: members.get(node.slot).map_or(0, |it| it.weight().get()),
        owned: node.primary,
        held: node.any,
    };
    ownership.nodes().iter().map(line).collect()
}

fn zones<'a>(members: &Members, ownership: &'a Ownership) -> Vec<ZoneLine<'a>> {
    let mut sizes: BTreeMap<Option<&Zone>, (usize, u64)> = BTreeMap::new();
    for (_, node) in members.iter() {
        let (nodes, weight) = sizes.entry(node.zone()).or_default();
        *nodes += 1;
        *weight += u64::from(node.weight().get());
    }
    let line = |zone: &'a ZoneShare| {
        let size = sizes.get(&zone.zone.as_ref());
        let (nodes, weight) = size.copied().unwrap_or_default();
        ZoneLine {
            zone: zone.zone.as_ref().map(Zone::as_str),
            nodes,
            weight,
            owned: zone.primary,
            held: zone.any,
            replicas: zone.replicas,
        }
    };
    ownership.zones().iter().map(line).collect()
}

/// What was counted, and of what: numbers of keys, save where said.
#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    fleet: &'a str,
    keys: u64,
    keys_from: &'a str,
    spread: SpreadLine,
    zones: Vec<ZoneLine<'a>>,
    nodes: Vec<NodeLine<'a>>,
}

/// How far every key's replicas reach.
#[derive(Serialize)]
struct SpreadLine {
    asked: usize,
    nodes: usize,
    zones: usize,
}

impl From<Spread> for SpreadLine {
    fn from(spread: Spread) -> Self {
        Self {
            asked: spread.asked,
            nodes: spread.nodes,
            zones: spread.zones,
        }
    }
}

#[derive(Serialize)]
struct ZoneLine<'a> {
    zone: Option<&'a str>,
    /// How many.
    nodes: usize,
    /// Of its nodes together.
    weight: u64,
    owned: u128,
    held: u128,
    /// Of all keys together: more than `held` where replicas share the zone.
    replicas: u128,
}

#[derive(Serialize)]
struct NodeLine<'a> {
    id: &'a str,
    zone: Option<&'a str>,
    weight: u32,
    owned: u128,
    held: u128,
}

impl Report<'_> {
    fn table(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let total: u64 = self.zones.iter().map(|zone| zone.weight).sum();
        let weight = |weight: u64| percent(ratio(weight, total));
        let keys = |amount: u128| percent(ratio(amount, self.keys));
        writeln!(
            out,
            "Fleet: {}: {} nodes in {} zones, weights together {total}",
            self.fleet,
            self.nodes.len(),
            self.zones.len(),
        )?;
        writeln!(out, "Keys:  {}: {}", self.keys_from, self.keys)?;
        let SpreadLine {
            asked,
            nodes,
            zones,
        } = self.spread;
        writeln!(
            out,
            "Replicas: {asked} a key, on {nodes} nodes in {zones} zones"
        )?;

        writeln!(
            out,
            "\nZones: the part of the keys that each owns, and holds"
        )?;
        let columns = ["nodes", "weight", "owned", "held", "replicas a key"];
        let mut sheet = Sheet::new("zone", columns);
        for zone in &self.zones {
            let cells = [
                zone.nodes.to_string(),
                weight(zone.weight),
                keys(zone.owned),
                keys(zone.held),
                format!("{:.3}", ratio(zone.replicas, self.keys)),
            ];
            sheet.row(zone.zone.unwrap_or(NONE), Ok(cells));
        }
        sheet.write(out)?;

        writeln!(
            out,
            "\nNodes: the part of the keys that each owns, and holds"
        )?;
        let mut sheet = Sheet::new("node", ["zone", "weight", "owned", "held"]);
        for node in &self.nodes {
            let cells = [
                node.zone.unwrap_or(NONE).to_owned(),
                weight(node.weight.into()),
                keys(node.owned),
                keys(node.held),
            ];
            sheet.row(node.id, Ok(cells));
        }
        sheet.write(out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), CliError> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(std::io::Error::from)?;
        writeln!(out)?;
        Ok(())
    }
}
