//! The commands, a file each.

pub(crate) mod compare;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod fingerprint;
#[cfg(feature = "kv")]
pub(crate) mod kv;
pub(crate) mod plan;
pub(crate) mod route;
pub(crate) mod strategies;
pub(crate) mod verify;
pub(crate) mod zones;

use std::path::Path;

use keyroute::{NodeId, Walk};

use crate::CliError;
use crate::fleet::Fleet;
use crate::keys::{KeyArgs, Otherwise};
use crate::strategy::{Choice, Strategy};

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

/// The router of a fleet.
pub(crate) fn router_of(fleet: &Fleet, choice: &Choice) -> Result<Box<dyn Strategy>, CliError> {
    choice
        .build(&fleet.settings, &fleet.nodes)
        .map_err(|refusal| CliError::at(choice, refusal))
}

/// The strategy's order of nodes, or a refusal that says what to choose, after `instead`.
pub(crate) fn order_of<'a>(
    strategy: &'a dyn Strategy,
    choice: &Choice,
    instead: &str,
) -> Result<&'a dyn Walk, CliError> {
    strategy.as_walk().ok_or_else(|| {
        let other = match choice {
            Choice::Named(_) => "choose a ring, rendezvous, slot-table or ranking",
            Choice::Configured(_) => "take a fleet file instead of --from",
        };
        CliError::at(
            choice,
            format!("has no order of replicas: {instead}{other}"),
        )
    })
}

/// Reads a node's id from a command line.
pub(crate) fn node_id(text: &str) -> Result<NodeId, String> {
    NodeId::new(text).map_err(|error| error.to_string())
}
