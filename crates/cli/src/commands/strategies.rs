//! `keyroute strategies`: which there are.

use std::io::Write;

use clap::Args;

use crate::strategy::{Setting, StrategyName};
use crate::{CliError, Outcome};

/// List the strategies: a line each, and the settings it has
///
/// Names with a star are compared where no strategy is named. Behind our own stand presets, which answer as
/// another system does with its defaults: they have no settings, and ask of ids what that system asks.
#[derive(Args, Debug)]
pub(crate) struct StrategiesArgs {}

pub(crate) fn run(_args: &StrategiesArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    list(StrategyName::all(), out)?;
    writeln!(out, "\nPresets, each as its system with its defaults:")?;
    list(StrategyName::presets(), out)?;
    Ok(Outcome::Done)
}

fn list(
    strategies: impl Iterator<Item = StrategyName>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let strategies: Vec<_> = strategies.collect();
    let width = strategies.iter().map(|name| name.name().len()).max();
    for strategy in strategies {
        let star = if strategy.is_shown() { '*' } else { ' ' };
        let settings: Vec<String> = strategy.settings().iter().map(Setting::to_string).collect();
        write!(
            out,
            "{star} {strategy:width$}  {}",
            strategy.summary(),
            width = width.unwrap_or_default()
        )?;
        if !settings.is_empty() {
            write!(out, " [{}]", settings.join(", "))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
