//! `keyroute compare`: strategies side by side.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use keyroute::NodeId;

use crate::change::{Addition, Change, Reweighting};
use crate::commands::check_stdin;
use crate::compare::output::{Comparison, Format};
use crate::compare::{KeyArena, Scenario, Study};
use crate::fleet::{Fleet, Settings};
use crate::hashes::HashName;
use crate::keys::{KeyArgs, Otherwise};
use crate::progress::Progress;
use crate::strategy::{Epsilon, StrategyName};
use crate::{CliError, Outcome};

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
/// Times are medians of several rounds on this machine in this run, through one pointer more than in
/// a program that names the strategy; all else is the same everywhere.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute compare
  keyroute compare keys.txt --fleet fleet.toml --add cache-11=2
  keyroute compare --fleet fleet.toml --remove cache-04 --reweight cache-02=3 --format json
  keyroute compare --strategies modulo,jump --keys-pattern 'user:{}:session' --count 10000")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    keys: KeyArgs,
    /// Fleet file: TOML, JSON, or lines ID[TAB WEIGHT[TAB ZONE]]; `-` is standard input [default: a
    /// sample of ten caches]
    #[arg(short, long, value_name = "FILE")]
    fleet: Option<PathBuf>,
    /// Strategies, by name [default: all]
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',')]
    strategies: Vec<StrategyName>,
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
    /// How many replicas a key has, 1 to 100; all nodes if there are fewer
    #[arg(
        short,
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 2
    )]
    replicas: usize,
    /// Hash function, by name
    #[arg(long, value_name = "NAME")]
    hash: Option<HashName>,
    /// Points per unit of weight, of rings
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    points: Option<u32>,
    /// How far over its fair share a node may be loaded, of bounded loads: 0.001 to 1000
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    epsilon: Option<Epsilon>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Take no times, so that the output is the same in every run
    #[arg(long)]
    no_timing: bool,
}

fn node_id(text: &str) -> Result<NodeId, String> {
    NodeId::new(text).map_err(|error| error.to_string())
}

pub(crate) fn run(args: &CompareArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if !(1..=MAX_REPLICAS).contains(&args.replicas) {
        return Err(CliError::at(
            "--replicas",
            format!("{} nodes a key: give 1 to {MAX_REPLICAS}", args.replicas),
        ));
    }
    check_stdin(args.fleet.as_deref(), &args.keys, Otherwise::Sample)?;
    let fleet = Fleet::read_or_sample(args.fleet.as_deref())?;
    fleet.check_not_empty()?;
    let scenarios = args.scenarios(&fleet)?;
    let mut keys = args.keys.open(Otherwise::Sample)?;
    let source = keys.source();
    let keys = KeyArena::read(&mut keys)?;
    let study = Study {
        settings: args.settings().or(fleet.settings),
        nodes: &fleet.nodes,
        keys: &keys,
        scenarios: &scenarios,
        replicas: args.replicas,
        timing: !args.no_timing,
    };
    let strategies = args.strategies();
    let passes = study.passes() * strategies.len() as u64;
    let mut progress = Progress::new("comparing", Some(passes * keys.len() as u64));
    let findings: Vec<_> = strategies
        .into_iter()
        .map(|strategy| study.of(strategy, &mut progress))
        .collect();
    drop(progress);
    let comparison = Comparison {
        study: &study,
        keys: &source,
        fleet: &args
            .fleet
            .as_ref()
            .map_or("the bundled sample".into(), |path| {
                path.display().to_string()
            }),
        default_changes: !args.has_changes(),
        findings: &findings,
    };
    comparison.write(args.format, out)?;
    Ok(Outcome::Done)
}

impl CompareArgs {
    fn settings(&self) -> Settings {
        Settings {
            strategy: None,
            hash: self.hash,
            points: self.points,
            epsilon: self.epsilon,
        }
    }

    fn strategies(&self) -> Vec<StrategyName> {
        if self.strategies.is_empty() {
            StrategyName::ALL.map(|(strategy, _)| strategy).to_vec()
        } else {
            self.strategies.clone()
        }
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
