//! `keyroute compare`: strategies side by side.

use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use keyroute::NodeId;

use crate::args::{SizeArgs, fleet_source};
use crate::change::{Addition, Change, Reweighting};
use crate::commands::{check_stdin, node_id};
use crate::compare::output::{Comparison, Format, Swept};
use crate::compare::{KeyArena, Scenario, Study, Sweep};
use crate::config::Source;
use crate::fleet::{Fleet, Settings};
use crate::hashes::HashName;
use crate::keys::{KeyArgs, Otherwise};
#[cfg(feature = "plot")]
use crate::plot::{ComparisonFigure, MAX_CHANGES, PlotFile, PointsFigure};
use crate::progress::Progress;
use crate::strategy::{Choice, Setting, StrategyName};
use crate::{CliError, Outcome};

/// How many replicas are compared unless said: the owner and the next node.
const DEFAULT_REPLICAS: usize = 2;

/// The most replicas that are compared.
const MAX_REPLICAS: usize = 100;

/// Compare strategies: balance, what a change moves, memory and time
///
/// Routes the same keys through each strategy, makes a change, and routes them again. A key moves
/// needfully if it leaves a node that left or lost weight, or comes to one that joined or gained
/// weight; needlessly otherwise. Without files it uses a bundled sample of ten caches and 120,000 keys.
///
/// Changes given together are made as one: first all --add, then all --remove, then all --reweight,
/// each kind in the order given; --each compares each alone. Without any, two examples are compared: a
/// node that joins, and the middle node of the list leaving. What a strategy refuses shows as n/a with
/// the reason.
///
/// With several --points or several --hash it tabulates instead how even the vector ring is with each
/// pair, beside what random points give.
///
/// Times are medians of several rounds on this machine in this run, through one pointer more than in
/// a program that names the strategy; all else is the same everywhere.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute compare
  keyroute compare keys.txt --fleet fleet.toml --add cache-11=2
  keyroute compare --fleet fleet.toml --remove cache-04 --reweight cache-02=3 --format json
  keyroute compare --from nginx:/etc/nginx/nginx.conf#backend --strategies vector-ring
  keyroute compare --strategies all --capacity 100
  keyroute compare --fleet servers.txt --strategies presets,ketama --add 10.0.0.9:11212
  keyroute compare --strategies modulo,jump --keys-pattern 'user:{}:session' --count 10000
  keyroute compare --points 1,10,150,500 --hash crc32,fnv1a,md5,xxh3 --trials 20")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    keys: KeyArgs,
    /// Fleet file: TOML, JSON, or lines ID[TAB WEIGHT[TAB ZONE]]; `-` is standard input [default: a
    /// sample of ten caches]
    #[arg(short, long, value_name = "FILE")]
    fleet: Option<PathBuf>,
    /// Another system's configuration, whose router is compared, too: SYSTEM:FILE#NAME, as
    /// `nginx:nginx.conf#backend`
    #[arg(long, value_name = "CONFIG", conflicts_with = "fleet")]
    from: Option<Source>,
    /// Strategies, by name, or `all` of our own, or all `presets` of other systems [default: one or two of
    /// each family, and the fleet file's]; `keyroute strategies` lists them
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    strategies: Vec<Selection>,
    /// A node that joins, of weight 1 unless said; split at the last `=`
    #[arg(long, value_name = "ID[=WEIGHT]")]
    add: Vec<Addition>,
    /// A node that leaves
    #[arg(long, value_name = "ID", value_parser = node_id)]
    remove: Vec<NodeId>,
    /// A node whose weight changes
    #[arg(long, value_name = "ID=WEIGHT")]
    reweight: Vec<Reweighting>,
    /// Compare each change alone, not all as one
    #[arg(long)]
    each: bool,
    /// How many replicas a key has, 1 to 100; all nodes if there are fewer [default: 2]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    replicas: Option<usize>,
    /// Hash functions, by name; one to compare strategies, several for a table
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    hash: Vec<HashName>,
    /// Points per unit of weight, of rings: one number to compare strategies, several for a table
    #[arg(long, value_name = "LIST", value_delimiter = ',', allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    points: Vec<u32>,
    /// For a table: how many fleets of these weights to try, the ids of others ending in ~2, ~3, ...
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    trials: Option<u32>,
    #[command(flatten)]
    sizes: SizeArgs,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Draw the result, too: .svg or .png
    #[cfg(feature = "plot")]
    #[arg(long, value_name = "FILE")]
    plot: Option<PlotFile>,
    /// Take no times, so that the output is the same in every run
    #[arg(long)]
    no_timing: bool,
}

/// One strategy, or all of our own that the fleet can have, or all presets. Tables whose partitions have no
/// owners are none that it can have.
#[derive(Clone, Copy, Debug)]
enum Selection {
    All,
    Presets,
    One(StrategyName),
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "presets" => Ok(Self::Presets),
            name => name.parse().map(Self::One),
        }
    }
}

pub(crate) fn run(args: &CompareArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    args.check_replicas()?;
    args.check_kind()?;
    check_stdin(args.fleet.as_deref(), &args.keys, Otherwise::Sample)?;
    let (fleet, configured) = args.load()?;
    fleet.check_not_empty()?;
    if args.tabulates() {
        tabulate(args, &fleet, out)?;
    } else {
        compare(args, &fleet, configured, out)?;
    }
    Ok(Outcome::Done)
}

/// Compares the router that a configuration describes, if one is given, with strategies.
fn compare(
    args: &CompareArgs,
    fleet: &Fleet,
    configured: Option<Choice>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let scenarios = args.scenarios(fleet)?;
    #[cfg(feature = "plot")]
    if args.plot.is_some() && scenarios.len() > MAX_CHANGES {
        return Err(CliError::at(
            "--plot",
            format!(
                "{} changes, at most {MAX_CHANGES} fit a picture: give fewer, or leave --each out",
                scenarios.len()
            ),
        ));
    }
    let (keys, source) = args.keys()?;
    let settings = Settings {
        strategy: None,
        hash: args.hash.first().copied(),
        points: args.points.first().copied(),
        ..args.sizes.settings()
    };
    let study = Study {
        settings: settings.or(fleet.settings.clone()),
        nodes: &fleet.nodes,
        keys: &keys,
        scenarios: &scenarios,
        replicas: args.replicas.unwrap_or(DEFAULT_REPLICAS),
        timing: !args.no_timing,
    };
    let named = args.strategies(fleet).into_iter().map(Choice::Named);
    let strategies: Vec<Choice> = configured.into_iter().chain(named).collect();
    let passes = study.passes() * strategies.len() as u64;
    let mut progress = Progress::new("comparing", Some(passes * keys.len() as u64));
    let findings: Vec<_> = strategies
        .iter()
        .map(|strategy| study.of(strategy, &mut progress))
        .collect();
    drop(progress);
    let comparison = Comparison {
        study: &study,
        keys: &source,
        fleet: &args.fleet_source(),
        default_changes: !args.has_changes(),
        findings: &findings,
    };
    comparison.write(args.format, out)?;
    #[cfg(feature = "plot")]
    if let Some(file) = &args.plot {
        file.write(&ComparisonFigure::new(&comparison))?;
    }
    Ok(())
}

fn tabulate(args: &CompareArgs, fleet: &Fleet, out: &mut dyn Write) -> Result<(), CliError> {
    let (keys, source) = args.keys()?;
    let settings = &fleet.settings;
    let points = [settings.points_or_default()];
    let hashes = [settings.hash.unwrap_or_default()];
    let sweep = Sweep {
        nodes: &fleet.nodes,
        keys: &keys,
        points: if args.points.is_empty() {
            &points
        } else {
            &args.points
        },
        hashes: if args.hash.is_empty() {
            &hashes
        } else {
            &args.hash
        },
        trials: args.trials.unwrap_or(1),
    };
    let swept = Swept {
        sweep: &sweep,
        keys: &source,
        fleet: &args.fleet_source(),
        rows: &sweep.run()?,
    };
    swept.write(args.format, out)?;
    #[cfg(feature = "plot")]
    if let Some(file) = &args.plot {
        file.write(&PointsFigure(&swept))?;
    }
    Ok(())
}

impl CompareArgs {
    /// Whether a table of points and hashes is asked for.
    fn tabulates(&self) -> bool {
        self.points.len() > 1 || self.hash.len() > 1 || self.trials.is_some()
    }

    fn check_replicas(&self) -> Result<(), CliError> {
        match self.replicas {
            Some(n) if !(1..=MAX_REPLICAS).contains(&n) => Err(CliError::at(
                "--replicas",
                format!("{n} nodes a key: give 1 to {MAX_REPLICAS}"),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses flags that a table would pass over.
    fn check_kind(&self) -> Result<(), CliError> {
        let foreign = [
            ("--add", !self.add.is_empty()),
            ("--remove", !self.remove.is_empty()),
            ("--reweight", !self.reweight.is_empty()),
            ("--each", self.each),
            ("--strategies", !self.strategies.is_empty()),
            ("--replicas", self.replicas.is_some()),
        ];
        let sizes = self.sizes.given();
        let given = foreign.iter().chain(&sizes).find(|(_, given)| *given);
        match given {
            Some((flag, _)) if self.tabulates() => Err(CliError::at(
                flag,
                "several --points or --hash, or --trials, ask for a table of the vector ring's \
                 balance: leave this out, or give one of each",
            )),
            _ => Ok(()),
        }
    }

    fn keys(&self) -> Result<(KeyArena, String), CliError> {
        let mut keys = self.keys.open(Otherwise::Sample)?;
        let source = keys.source();
        Ok((KeyArena::read(&mut keys)?, source))
    }

    /// The fleet, and the router that a configuration describes. Notes on it are shown.
    fn load(&self) -> Result<(Fleet, Option<Choice>), CliError> {
        if let Some(source) = &self.from {
            let (fleet, choice) = source.load()?;
            return Ok((fleet, Some(choice)));
        }
        Ok((Fleet::read_or_sample(self.fleet.as_deref())?, None))
    }

    fn fleet_source(&self) -> String {
        fleet_source(self.fleet.as_deref(), self.from.as_ref())
    }

    /// The strategies to compare, each once.
    fn strategies(&self, fleet: &Fleet) -> Vec<StrategyName> {
        let mut chosen = Vec::new();
        let mut choose = |strategy| {
            if !chosen.contains(&strategy) {
                chosen.push(strategy);
            }
        };
        if self.strategies.is_empty() {
            let own = fleet.settings.strategy;
            StrategyName::all()
                .chain(StrategyName::presets())
                .filter(|&strategy| strategy.is_shown() || Some(strategy) == own)
                .for_each(choose);
            return chosen;
        }
        for selection in &self.strategies {
            match *selection {
                Selection::One(strategy) => choose(strategy),
                Selection::Presets => StrategyName::presets().for_each(&mut choose),
                Selection::All => StrategyName::all()
                    .filter(|strategy| {
                        let is_told = strategy.settings().contains(&Setting::Owners);
                        !is_told || !fleet.settings.owners.is_empty()
                    })
                    .for_each(&mut choose),
            }
        }
        chosen
    }

    fn has_changes(&self) -> bool {
        !(self.add.is_empty() && self.remove.is_empty() && self.reweight.is_empty())
    }

    fn scenarios(&self, fleet: &Fleet) -> Result<Vec<Scenario>, CliError> {
        if !self.has_changes() {
            return Scenario::defaults(&fleet.nodes);
        }
        let adds = self
            .add
            .iter()
            .map(|Addition(node)| Change::Add(node.clone()));
        let removes = self.remove.iter().cloned().map(Change::Remove);
        let reweights = self.reweight.iter().cloned().map(Change::Reweight);
        let steps = adds.chain(removes).chain(reweights);
        if self.each {
            steps
                .map(|step| Scenario::new(vec![step], &fleet.nodes))
                .collect()
        } else {
            Ok(vec![Scenario::new(steps.collect(), &fleet.nodes)?])
        }
    }
}
