//! `keyroute fingerprint`: what two clients compare.

use std::io::Write;

use clap::Args;

use crate::args::FleetArgs;
use crate::commands::router_of;
use crate::{CliError, Outcome};

/// Print the fingerprint of a fleet: equal fingerprints, equal answers
///
/// 128 bits over the scheme, its parameters, the hash function, and every node's id, weight and zone.
/// Not over addresses, drained nodes, or the container: both rings print the same.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute fingerprint --fleet fleet.toml
  keyroute fingerprint --fleet fleet.toml --long     # and everything it covers")]
pub(crate) struct FingerprintArgs {
    #[command(flatten)]
    fleet: FleetArgs,
    /// Print everything that the fingerprint covers, too
    #[arg(short, long)]
    long: bool,
}

pub(crate) fn run(args: &FingerprintArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let (fleet, choice) = args.fleet.load()?;
    let router = router_of(&fleet, &choice)?;
    let description = router.router().describe();
    writeln!(out, "{}", description.fingerprint())?;
    if args.long {
        write!(out, "{description}")?;
    }
    Ok(Outcome::Done)
}
