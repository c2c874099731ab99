//! The commands, a file each.

pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod fingerprint;
pub(crate) mod route;
pub(crate) mod strategies;
pub(crate) mod verify;

use std::path::Path;

use crate::CliError;
use crate::fleet::Fleet;
use crate::keys::{KeyArgs, Otherwise};
use crate::strategy::{self, Strategy};

/// Checks that standard input is not both the fleet and the keys.
pub(crate) fn check_stdin(
    fleet: Option<&Path>,
    keys: &KeyArgs,
    otherwise: Otherwise,
) -> Result<(), CliError> {
    if fleet == Some(Path::new("-")) && keys.reads_stdin(otherwise) {
        return Err(CliError::Input(
            "standard input cannot be both the fleet and the keys: name a file for one".into(),
        ));
    }
    Ok(())
}

/// The router that a fleet's settings name.
pub(crate) fn router_of(fleet: &Fleet) -> Result<Box<dyn Strategy>, CliError> {
    let name = fleet.settings.strategy.unwrap_or_default();
    strategy::build(name, &fleet.settings, &fleet.nodes)
        .map_err(|refusal| CliError::at(name, refusal))
}
