//! What the tests share: recorded data, streams of keys, counts. A missing file is a failure.

use std::path::PathBuf;

use serde_json::Value;

/// The path of a file or folder under `tests/data`.
#[must_use]
pub fn data(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("data")
        .join(path)
}

/// A JSON file under `tests/data`.
///
/// # Panics
///
/// If the file is missing or is not JSON.
#[must_use]
pub fn json(path: &str) -> Value {
    let place = data(path);
    let text = std::fs::read_to_string(&place)
        .unwrap_or_else(|error| panic!("{}: {error}", place.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", place.display()))
}

/// The elements of an array.
///
/// # Panics
///
/// If the value is not an array, or is an empty one: a test over it would pass without a check.
#[must_use]
pub fn list(value: &Value) -> &[Value] {
    let elements = value
        .as_array()
        .unwrap_or_else(|| panic!("not a list: {value}"));
    assert!(!elements.is_empty(), "an empty list checks nothing");
    elements
}

/// The text.
///
/// # Panics
///
/// If the value is not a text.
#[must_use]
pub fn text(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a text: {value}"))
}

/// The whole number, in any width.
///
/// # Panics
///
/// If the value is not a number, or does not fit.
#[must_use]
pub fn number<N: TryFrom<u64>>(value: &Value) -> N {
    value
        .as_u64()
        .and_then(|number| N::try_from(number).ok())
        .unwrap_or_else(|| panic!("not a number of this width: {value}"))
}
