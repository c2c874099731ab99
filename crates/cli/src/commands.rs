//! The commands, a file each.

pub(crate) mod diff;
pub(crate) mod fingerprint;
pub(crate) mod route;
pub(crate) mod verify;

use crate::CliError;
use crate::fleet::Fleet;
use crate::strategy::{self, Strategy};

/// The router that a fleet's settings name.
pub(crate) fn router_of(fleet: &Fleet) -> Result<Box<dyn Strategy>, CliError> {
    let name = fleet.settings.strategy.unwrap_or_default();
    strategy::build(name, &fleet.settings, &fleet.nodes)
        .map_err(|refusal| CliError::at(name, refusal))
}
