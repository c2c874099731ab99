//! Ring dumps: how many points there are, the first and the last with their owners.

use serde_json::{Value, json};

use super::fields::Fields;
use super::replay::System;
use super::report::{Report, Unusable};

/// Compares `ring`: its `count`, and each point of `first` and `last`.
pub(crate) fn check(
    mut ring: Fields,
    system: &dyn System,
    report: &mut Report,
) -> Result<(), Unusable> {
    let points = system
        .dump()?
        .ok_or_else(|| Unusable::new("\"ring\" is not known of this system"))?;
    if let Some(count) = ring.take("count") {
        report.check(|| "ring count".into(), &count, &json!(points.len()));
    }
    let mut ends = |name: &str, from: &dyn Fn(usize) -> usize| -> Result<(), Unusable> {
        let shown = ring.list(name)?;
        for (place, expected) in shown.iter().enumerate() {
            let computed = points.get((from(shown.len())).wrapping_add(place));
            let computed = computed.map_or(Value::Null, |(position, owner)| {
                // JSON numbers have 64 bits; 128-bit positions are recorded as text in hex.
                match u64::try_from(*position) {
                    Ok(position) if !expected[0].is_string() => json!([position, owner]),
                    _ => json!([format!("{position:032x}"), owner]),
                }
            });
            report.check(|| format!("ring {name} {place}"), expected, &computed);
        }
        Ok(())
    };
    ends("first", &|_| 0)?;
    // More points than there are would begin before the ring does, and be found nowhere.
    ends("last", &|shown| points.len().wrapping_sub(shown))?;
    ring.finish()
}
