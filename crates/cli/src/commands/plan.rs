//! `keyroute plan`: what moves between two fleets.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use keyroute::NodeId;

use crate::args::SettingArgs;
use crate::change::{Addition, Change, Reweighting};
use crate::commands::{check_stdin, node_id, router_of};
use crate::config::Source;
use crate::fleet::Fleet;
use crate::keys::{KeyArgs, Otherwise};
use crate::plan::{BYTES_UNKNOWN, ByteArgs, Bytes, Format, Picked, Report, Side, compare};
#[cfg(feature = "plot")]
use crate::plot::{FlowFigure, PlotFile};
use crate::strategy::{Choice, Holders, StrategyName};
use crate::{CliError, Outcome};

/// Show what moves between two fleets, before it moves
///
/// Compares the routers of two fleet files, or of one and the same after a change: which part of the keys moves, from
/// whom to whom, and how much of that the change needed. What goes to a node that joined or gained weight, or leaves
/// one that left or lost weight, had to; all else is the strategy's price.
///
/// Where both routers hash keys alike (rings, tables, their presets) the answer is exact, computed from their data, and
/// --ranges lists each range of hashes or partitions. Others are compared by keys: by all of KEYS, or by a
/// sample, with the interval that holds the truth 95 times of 100.
///
/// With sizes it speaks in bytes, too; with --bandwidth in time; --budget cuts it into phases in none of which a node
/// sends or receives more.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute plan before.toml after.toml
  keyroute plan fleet.toml --add cache-11=2 --remove cache-03
  keyroute plan fleet.toml --add db-4 --replicas 3 --zones --ranges --format json
  keyroute plan before.toml after.toml --bytes 3TiB --bandwidth 100MB --budget 50GiB
  keyroute plan fleet.toml --strategy modulo --to-strategy vector-ring
  keyroute plan nginx:nginx.conf#backend fleet.toml keys.txt
  keyroute plan fleet.toml --remove cache-03 --pick all
  keyroute plan before.toml after.toml --plot flows.svg")]
pub(crate) struct PlanArgs {
    /// The fleet file before, or another system's configuration: SYSTEM:FILE#NAME
    before: PathBuf,
    /// The one after [default: the same, with the changes made]
    after: Option<PathBuf>,
    #[command(flatten)]
    keys: KeyArgs,
    /// A node that joins, of weight 1 unless said; split at the last `=`
    #[arg(long, value_name = "ID[=WEIGHT]")]
    add: Vec<Addition>,
    /// A node that leaves
    #[arg(long, value_name = "ID", value_parser = node_id)]
    remove: Vec<NodeId>,
    /// A node whose weight changes
    #[arg(long, value_name = "ID=WEIGHT")]
    reweight: Vec<Reweighting>,
    #[command(flatten)]
    settings: SettingArgs,
    /// Another strategy after the change
    #[arg(long, value_name = "NAME")]
    to_strategy: Option<StrategyName>,
    /// How many copies of each key there are
    #[arg(
        short,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 1
    )]
    replicas: usize,
    /// Copies in different zones, while there are zones left
    #[arg(long)]
    zones: bool,
    #[command(flatten)]
    sizes: ByteArgs,
    /// How much each node sends, and receives at the same time, a second: 100MB
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    bandwidth: Option<Bytes>,
    /// The most that a node may send, or receive, in a phase: 50GiB
    #[arg(long, value_name = "BYTES", allow_negative_numbers = true)]
    budget: Option<Bytes>,
    /// List each range that moves
    #[arg(long)]
    ranges: bool,
    /// Compare what several strategies would move: names, or `all` of our own
    #[arg(long, value_name = "NAMES", value_delimiter = ',',
          conflicts_with_all = ["strategy", "to_strategy", "ranges", "budget", "bandwidth"])]
    pick: Vec<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Draw who sends to whom, too: .svg or .png
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FILE", conflicts_with = "pick")]
    plot: Option<PlotFile>,
}

pub(crate) fn run(args: &PlanArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if args.replicas == 0 {
        return Err(CliError::at(
            "--replicas",
            "0 copies of a key: give 1 or more",
        ));
    }
    if args.bandwidth == Some(Bytes(0)) {
        return Err(CliError::at(
            "--bandwidth",
            "0 bytes a second: give 1 or more",
        ));
    }
    args.check_sides()?;
    let [before, after] = args.fleets()?;
    let holders = Holders {
        replicas: args.replicas,
        zones: args.zones,
    };
    let weighing = args.sizes.read()?;
    if !args.pick.is_empty() {
        let mut picked = Vec::new();
        for name in args.names()? {
            let sides = [&before, &after].map(|(place, fleet, _)| {
                let choice = Choice::Named(name);
                side(place, fleet, choice)
            });
            let outcome = match sides {
                [Ok(before), Ok(after)] => {
                    compare([&before, &after], holders, &args.keys, &weighing, None)
                }
                [Err(error), _] | [_, Err(error)] => Err(error),
            };
            picked.push(Picked {
                strategy: name.to_string(),
                outcome: outcome.map_err(|error| error.to_string()),
            });
        }
        Picked::sort(&mut picked);
        Picked::write(&picked, args.format, out)?;
        return Ok(Outcome::Done);
    }
    let [before, after] =
        [before, after].map(|(place, fleet, choice)| side(&place, &fleet, choice));
    let sides = [&before?, &after?];
    let budget = args.budget.map(|budget| budget.0);
    let comparison = compare(sides, holders, &args.keys, &weighing, budget)?;
    if args.bandwidth.is_some() && comparison.bytes().is_none() {
        return Err(CliError::at("--bandwidth", BYTES_UNKNOWN));
    }
    let report = Report {
        sides,
        replicas: args.replicas,
        comparison: &comparison,
        bandwidth: args.bandwidth.map(|rate| rate.0),
        ranges: args.ranges,
    };
    #[cfg(feature = "plot")]
    if let Some(file) = &args.plot {
        file.write(&FlowFigure::of(&report))?;
    }
    report.write(args.format, out)?;
    Ok(Outcome::Done)
}

fn side(name: &str, fleet: &Fleet, choice: Choice) -> Result<Side, CliError> {
    Ok(Side {
        name: name.to_owned(),
        strategy: router_of(fleet, &choice)?,
        choice,
    })
}

/// A fleet, where it is from, and what routes to it.
type Loaded = (String, Fleet, Choice);

impl PlanArgs {
    /// Checks that there is something to compare, and that standard input is read once.
    fn check_sides(&self) -> Result<(), CliError> {
        let changes = !(self.add.is_empty() && self.remove.is_empty() && self.reweight.is_empty());
        if self.after.is_none() && !changes && self.to_strategy.is_none() {
            return Err(CliError::Input(
                "nothing to compare with: give a second fleet, or --add, --remove, --reweight or --to-strategy"
                    .into(),
            ));
        }
        let stdin = Path::new("-");
        if self.before == stdin && self.after.as_deref() == Some(stdin) {
            return Err(CliError::Input(
                "standard input cannot be both fleets: name a file for one".into(),
            ));
        }
        for file in [Some(self.before.as_path()), self.after.as_deref()] {
            check_stdin(file, &self.keys, Otherwise::Sample)?;
        }
        Ok(())
    }

    fn fleets(&self) -> Result<[Loaded; 2], CliError> {
        let before = self.load(&self.before)?;
        let mut after = match &self.after {
            Some(after) => self.load(after)?,
            None => (
                format!("{}, changed", before.0),
                before.1.clone(),
                before.2.clone(),
            ),
        };
        let additions = self.add.iter().map(|it| Change::Add(it.0.clone()));
        let removals = self.remove.iter().cloned().map(Change::Remove);
        let reweightings = self.reweight.iter().cloned().map(Change::Reweight);
        for change in additions.chain(removals).chain(reweightings) {
            change
                .apply(&mut after.1.nodes)
                .map_err(|error| CliError::at(&after.0, error))?;
        }
        if let Some(strategy) = self.to_strategy {
            after.1.settings.strategy = Some(strategy);
            after.2 = Choice::Named(strategy);
        }
        Ok([before, after])
    }

    fn load(&self, path: &Path) -> Result<Loaded, CliError> {
        let (fleet, choice) = match path.to_str().and_then(Source::find) {
            Some(source) => source.load()?,
            None => self.settings.over(Fleet::read(path)?),
        };
        Ok((path.display().to_string(), fleet, choice))
    }

    /// The strategies to pick from.
    fn names(&self) -> Result<Vec<StrategyName>, CliError> {
        let mut names = Vec::new();
        for name in &self.pick {
            match name.as_str() {
                "all" => names.extend(StrategyName::all()),
                name => names.push(
                    name.parse()
                        .map_err(|error| CliError::at("--pick", error))?,
                ),
            }
        }
        // Each once, also where `all` names it again.
        let mut seen = Vec::new();
        names.retain(|name| {
            let first = !seen.contains(name);
            seen.push(*name);
            first
        });
        Ok(names)
    }
}
