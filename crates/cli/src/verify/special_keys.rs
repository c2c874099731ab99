//! Special keys: cases that were searched for because of where they fall on the ring.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::document::{Key, KeyEncoding};
use super::fields::Fields;
use super::replay::System;
use super::report::{Report, Unusable};

/// Checks that each special key is a case and falls where the file says.
pub(crate) fn check(
    mut special: Fields,
    cases: &[(String, Value)],
    keys: KeyEncoding,
    system: &dyn System,
    report: &mut Report,
) -> Result<(), Unusable> {
    if special.names().next().is_none() {
        return special.finish();
    }
    let positions: Vec<u128> = system
        .points()?
        .ok_or_else(|| Unusable::new("\"special_keys\" are not known of this system"))?
        .into_iter()
        .map(|(position, _)| position)
        .collect();
    let shared = |at: u128| {
        let end = positions.partition_point(|&position| position < at) % positions.len().max(1);
        positions.get(end).is_some() && positions.get(end) == positions.get(end + 1)
    };
    let cases: HashSet<&str> = cases.iter().map(|(key, _)| key.as_str()).collect();
    let (first, last) = (positions.first(), positions.last());
    let mut kind = |name: &str, holds: &dyn Fn(u128) -> bool| -> Result<(), Unusable> {
        for key in special.list(name)? {
            let Value::String(text) = &key else {
                return Err(Unusable(format!("special key {key} is not a text")));
            };
            let place = || format!("special_keys {name}, key {text:?}");
            let is_case = cases.contains(text.as_str());
            let at = match keys.decode(text)? {
                Key::Bytes(bytes) => system.locate(&bytes),
                Key::Number(_) | Key::Pair(..) => None,
            };
            let computed = is_case && at.is_some_and(holds);
            report.check(place, &json!(true), &json!(computed));
        }
        Ok(())
    };
    kind("exact_hit", &|at| positions.binary_search(&at).is_ok())?;
    kind("above_last", &|at| last.is_none_or(|&last| at > last))?;
    for name in ["at_or_below_first", "below_or_at_first"] {
        kind(name, &|at| first.is_none_or(|&first| at <= first))?;
    }
    kind("in_arc", &shared)?;
    // What a wrong share formula would answer is not ours to compute: the case itself is the check.
    kind("share_sensitive", &|_| true)?;
    special.finish()
}
