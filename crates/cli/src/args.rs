//! The command line.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args as ClapArgs, Parser, Subcommand};

#[cfg(feature = "kv")]
use crate::commands::kv;
use crate::commands::{
    compare, diff, explain, fingerprint, plan, route, strategies, verify, zones,
};
use crate::config::Source;
use crate::fleet::{Fleet, Settings};
use crate::hashes::HashName;
use crate::strategy::{Choice, Epsilon, StrategyName};
use crate::{CliError, Outcome};

/// Consistent hashing at the command line.
///
/// Without a fleet file the commands use a bundled sample of ten caches.
#[derive(Debug, Parser)]
#[command(
    name = "keyroute",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    after_help = "\
Exit codes: 0 for done and yes, 1 for \"they differ\" (diff, verify), 2 for input that cannot be used."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Compare(compare::CompareArgs),
    Route(route::RouteArgs),
    Explain(explain::ExplainArgs),
    Zones(zones::ZonesArgs),
    Plan(plan::PlanArgs),
    Strategies(strategies::StrategiesArgs),
    Fingerprint(fingerprint::FingerprintArgs),
    Diff(diff::DiffArgs),
    Verify(verify::VerifyArgs),
    #[cfg(feature = "kv")]
    Kv(kv::KvArgs),
}

impl Args {
    pub(crate) fn run(self, out: &mut dyn Write) -> Result<Outcome, CliError> {
        match self.command {
            Command::Compare(args) => compare::run(&args, out),
            Command::Route(args) => route::run(&args, out),
            Command::Explain(args) => explain::run(&args, out),
            Command::Zones(args) => zones::run(&args, out),
            Command::Plan(args) => plan::run(&args, out),
            Command::Strategies(args) => strategies::run(&args, out),
            Command::Fingerprint(args) => fingerprint::run(&args, out),
            Command::Diff(args) => diff::run(&args, out),
            Command::Verify(args) => verify::run(&args, out),
            #[cfg(feature = "kv")]
            Command::Kv(args) => kv::run(args, out),
        }
    }
}

/// Which fleet, and settings that override what its file says.
#[derive(ClapArgs, Debug)]
pub(crate) struct FleetArgs {
    /// Fleet file: TOML, JSON, or lines ID[TAB WEIGHT[TAB ZONE]]; `-` is standard input [default: a
    /// sample of ten caches]
    #[arg(short, long, value_name = "FILE")]
    fleet: Option<PathBuf>,
    /// Another system's configuration, whose answers these are then: SYSTEM:FILE#NAME, as
    /// `nginx:nginx.conf#backend`, or `haproxy:haproxy.cfg#backend` (on 3.0.0 to 3.2 before October 2025
    /// `haproxy-3.0:`)
    #[arg(long, value_name = "CONFIG", conflicts_with_all = ["fleet", "strategy", "hash", "points", "epsilon",
          "node_points", "table_size", "partitions", "capacity"])]
    from: Option<Source>,
    #[command(flatten)]
    settings: SettingArgs,
}

/// Settings that override what a fleet file says.
#[derive(ClapArgs, Debug)]
pub(crate) struct SettingArgs {
    /// Strategy, by name: `keyroute strategies` lists them [default: vector-ring]
    #[arg(short, long, value_name = "NAME")]
    strategy: Option<StrategyName>,
    /// Hash function, by name
    #[arg(long, value_name = "NAME")]
    hash: Option<HashName>,
    /// Points per unit of weight, of rings [default: 160]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    points: Option<u32>,
    #[command(flatten)]
    sizes: SizeArgs,
}

/// Settings of single strategies. Those without one pass it over.
#[derive(ClapArgs, Debug)]
pub(crate) struct SizeArgs {
    /// How far over its fair share a node may go, of bounded loads and bounded slot tables: 0.001 to 1000
    /// [default: 0.25]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    epsilon: Option<Epsilon>,
    /// Points of a node of weight 1, of strategies that take few: multi-probe 1, token-ring 16, window-ring
    /// 64, buraksezer's tables 20 unless said
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    node_points: Option<u32>,
    /// Entries of Maglev's table, a prime [default: 65537]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    table_size: Option<u32>,
    /// Partitions of a slot table [default: 16384; of buraksezer's 271]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    partitions: Option<u32>,
    /// The most nodes there will ever be, of anchor and dx [default: 1024]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    capacity: Option<u32>,
}

impl SizeArgs {
    /// What these flags say.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            epsilon: self.epsilon,
            node_points: self.node_points,
            table_size: self.table_size,
            partitions: self.partitions,
            capacity: self.capacity,
            ..Settings::default()
        }
    }

    /// The flags, and whether each is given.
    pub(crate) fn given(&self) -> [(&'static str, bool); 5] {
        [
            ("--epsilon", self.epsilon.is_some()),
            ("--node-points", self.node_points.is_some()),
            ("--table-size", self.table_size.is_some()),
            ("--partitions", self.partitions.is_some()),
            ("--capacity", self.capacity.is_some()),
        ]
    }
}

impl SettingArgs {
    /// The fleet under the settings of the flags, and what routes to it.
    pub(crate) fn over(&self, mut fleet: Fleet) -> (Fleet, Choice) {
        let (settings, choice) = self.over_settings(fleet.settings);
        fleet.settings = settings;
        (fleet, choice)
    }

    /// The same of a file's settings alone.
    pub(crate) fn over_settings(&self, settings: Settings) -> (Settings, Choice) {
        let flags = Settings {
            strategy: self.strategy,
            hash: self.hash,
            points: self.points,
            ..self.sizes.settings()
        };
        let settings = flags.or(settings);
        let choice = Choice::Named(settings.strategy.unwrap_or_default());
        (settings, choice)
    }
}

impl FleetArgs {
    /// The fleet, and what routes to it: the flags' settings override those of a fleet file. Notes on a
    /// configuration are shown.
    ///
    /// # Errors
    ///
    /// As [`Fleet::read`] and [`Source::load`].
    pub(crate) fn load(&self) -> Result<(Fleet, Choice), CliError> {
        if let Some(source) = &self.from {
            return source.load();
        }
        let fleet = Fleet::read_or_sample(self.fleet.as_deref())?;
        Ok(self.settings.over(fleet))
    }

    /// The fleet file, if one is named.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.fleet.as_deref()
    }

    /// Where the fleet comes from, in words.
    pub(crate) fn source(&self) -> String {
        fleet_source(self.fleet.as_deref(), self.from.as_ref())
    }
}

/// Where a fleet comes from, in words.
pub(crate) fn fleet_source(file: Option<&Path>, from: Option<&Source>) -> String {
    match (file, from) {
        (_, Some(source)) => source.to_string(),
        (Some(file), None) => file.display().to_string(),
        (None, None) => "the bundled sample".into(),
    }
}
