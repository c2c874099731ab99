//! Views that clients of a cluster published, compared.

use std::fs;
use std::io::Write;
use std::path::Path;

use keyroute::{Fleet, View};
use serde_json::Value;

use super::{Format, json};
use crate::{CliError, Outcome};

/// A client's view and the name of its file.
type Named = (String, View);

/// These files as views; `None` if the first is none.
pub(super) fn read(paths: &[&Path]) -> Result<Option<Vec<Named>>, CliError> {
    let mut views = Vec::new();
    for path in paths {
        let place = path.display().to_string();
        let value: Option<Value> = fs::read(path)
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        match value.filter(is_view) {
            Some(value) => {
                let view = serde_json::from_value(value);
                let view = view.map_err(|error| CliError::at(&place, error))?;
                views.push((place, view));
            }
            None if views.is_empty() => return Ok(None),
            None => {
                return Err(CliError::at(
                    place,
                    "this is no view of a client: compare views with views, fleets with fleets",
                ));
            }
        }
    }
    Ok(Some(views))
}

/// What no fleet file has.
fn is_view(value: &Value) -> bool {
    value.get("recent").is_some()
}

/// Says of two views how they stand to each other, of more which agree.
pub(super) fn compare(
    views: Vec<Named>,
    format: Format,
    out: &mut dyn Write,
) -> Result<Outcome, CliError> {
    let agrees = if let [(_, left), (_, right)] = &views[..] {
        let agreement = left.compare(right);
        match format {
            Format::Json => json::write(&json::of_pair(&agreement), out)?,
            Format::Text if agreement.is_same() => {}
            Format::Text => writeln!(out, "{agreement}")?,
        }
        agreement.is_same() || agreement.is_in_flight()
    } else {
        let fleet = Fleet::of(views);
        match format {
            Format::Json => json::write(&json::of_fleet(&fleet), out)?,
            Format::Text => write!(out, "{fleet}")?,
        }
        fleet.agrees()
    };
    Ok(if agrees {
        Outcome::Done
    } else {
        Outcome::Differs
    })
}
