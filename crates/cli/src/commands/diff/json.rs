//! What a comparison came to, as one JSON object on a line.

use std::io::{self, Write};

use keyroute::{Agreement, Difference, Fleet, FleetGroup, Side};
use serde_json::{Value, json};

use crate::CliError;

/// Writes the object, and ends the line.
pub(super) fn write(value: &Value, out: &mut dyn Write) -> Result<(), CliError> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    Ok(writeln!(out)?)
}

/// How two sides stand to each other.
pub(super) fn of_pair(agreement: &Agreement) -> Value {
    let (behind, changes) = match agreement {
        Agreement::Behind { who, changes } => (Some(side(*who)), Some(*changes)),
        _ => (None, None),
    };
    let differing: &[Difference] = match agreement {
        Agreement::Differ(differences) => differences,
        _ => &[],
    };
    json!({
        "agreement": name(agreement),
        "behind": behind,
        "changes": changes,
        "differences": differences(differing),
    })
}

/// Which clients agree, the largest group first.
pub(super) fn of_fleet(fleet: &Fleet) -> Value {
    let groups: Vec<Value> = fleet.groups().iter().map(group).collect();
    json!({ "agrees": fleet.agrees(), "groups": groups })
}

fn group(group: &FleetGroup) -> Value {
    let clients = group.clients().iter().map(|client| {
        json!({
            "name": client.name,
            "fingerprint": client.state.to_string(),
            "behind": client.behind,
        })
    });
    json!({
        "fingerprint": group.head().fingerprint().to_string(),
        "clients": clients.collect::<Vec<_>>(),
        "differences": differences(group.differences()),
    })
}

fn differences(all: &[Difference]) -> Vec<Value> {
    let of = |it: &Difference| json!({ "what": it.what, "left": it.left, "right": it.right });
    all.iter().map(of).collect()
}

fn name(agreement: &Agreement) -> &'static str {
    match agreement {
        Agreement::Same => "same",
        Agreement::Ramping => "ramping",
        Agreement::Behind { .. } => "behind",
        Agreement::Crossed => "crossed",
        Agreement::Differ(_) => "differ",
        _ => "unknown", // a kind that this release of the command does not know
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}
