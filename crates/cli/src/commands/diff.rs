//! `keyroute diff`: what differs between two fleets.

mod json;
mod views;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use keyroute::Agreement;

use crate::args::SettingArgs;
use crate::commands::router_of;
use crate::config::Source;
use crate::fleet::Fleet;
use crate::{CliError, Outcome};

/// Show what differs between the routers of two fleet files
///
/// Prints nothing and exits with 0 if both give every key the same owner by the same scheme; else one
/// line a difference, `what: left | right`, and exit code 1. Flags override both files,
/// and say nothing to a configuration.
///
/// Of views that clients of a cluster published (JSON) it says whether they agree: the same, a change in flight, both of
/// which are exit code 0, or what differs. Of more than two: groups of clients, the largest first.
///
/// With --format json it is one object on a line, whether they differ or not. Exit code 2 if a file cannot be used.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute diff client.toml proxy.toml
  keyroute diff before.toml after.toml && echo same
  keyroute diff nginx:before.conf#backend nginx:after.conf#backend
  keyroute diff before.toml after.toml --format json
  keyroute diff views/*.json                   # of all clients of a cluster")]
pub(crate) struct DiffArgs {
    /// A fleet file, or another system's configuration: SYSTEM:FILE#NAME
    left: PathBuf,
    /// Another
    right: PathBuf,
    /// More, if they are views of clients
    more: Vec<PathBuf>,
    #[command(flatten)]
    settings: SettingArgs,
    /// Form of the output: `json` is one object
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn run(args: &DiffArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let mut paths = vec![&*args.left, &*args.right];
    paths.extend(args.more.iter().map(PathBuf::as_path));
    if let Some(views) = views::read(&paths)? {
        return views::compare(views, args.format, out);
    }
    if let Some(third) = args.more.first() {
        let place = third.display();
        return Err(CliError::at(
            place,
            "unexpected argument: only views of clients are compared by more than two",
        ));
    }
    let describe = |path: &Path| {
        let (fleet, choice) = match path.to_str().and_then(Source::find) {
            Some(source) => source.load()?,
            None => args.settings.over(Fleet::read(path)?),
        };
        Ok::<_, CliError>(router_of(&fleet, &choice)?.router().describe())
    };
    let differences = describe(&args.left)?.differences(&describe(&args.right)?);
    let outcome = if differences.is_empty() {
        Outcome::Done
    } else {
        Outcome::Differs
    };
    match args.format {
        Format::Text => {
            for difference in &differences {
                writeln!(out, "{difference}")?;
            }
        }
        Format::Json => {
            let agreement = match outcome {
                Outcome::Done => Agreement::Same,
                Outcome::Differs => Agreement::Differ(differences),
            };
            json::write(&json::of_pair(&agreement), out)?;
        }
    }
    Ok(outcome)
}
