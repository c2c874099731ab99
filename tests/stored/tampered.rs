//! Every small change of a JSON document.

use serde_json::{Map, Value, json};

/// What stands in the place of a part: numbers at and over limits, other types, texts that no id may be.
fn strange() -> [Value; 17] {
    [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2),
        json!(-1),
        json!(1.5),
        json!(1 << 24),
        json!((1 << 24) + 1),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(""),
        json!("\0"),
        json!("zz"),
        json!("x".repeat(4097)),
        json!([]),
        json!({}),
    ]
}

/// The document with one part changed, in every way: each part replaced by strange ones; lists cut,
/// lengthened and turned round; fields left out and added.
pub(crate) fn tampered(document: &Value) -> Vec<Value> {
    let mut changed: Vec<Value> = strange().into();
    match document {
        Value::Array(items) => {
            changed.push(items.iter().rev().cloned().collect());
            changed.push(items.iter().chain(items.first()).cloned().collect());
            for at in 0..items.len() {
                let with = |part: Option<Value>| {
                    let mut items = items.clone();
                    items.splice(at..=at, part);
                    Value::Array(items)
                };
                changed.push(with(None));
                changed.extend(
                    tampered(&items[at])
                        .into_iter()
                        .map(|part| with(Some(part))),
                );
            }
        }
        Value::Object(fields) => {
            let with = |name: &str, part: Option<Value>| {
                let mut fields: Map<String, Value> = fields.clone();
                match part {
                    Some(part) => fields.insert(name.into(), part),
                    None => fields.remove(name),
                };
                Value::Object(fields)
            };
            changed.push(with("another", Some(json!(1))));
            for (name, part) in fields {
                changed.push(with(name, None));
                let parts = tampered(part).into_iter();
                changed.extend(parts.map(|part| with(name, Some(part))));
            }
        }
        _ => {}
    }
    changed
}
