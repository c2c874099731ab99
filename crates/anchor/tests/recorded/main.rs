//! What other systems answered, by our engines over their hash functions.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod cpp;
mod java;

use std::fs;

use serde_json::Value;

/// The recordings of a system. A missing folder fails.
fn recordings(system: &str) -> Vec<(String, Value)> {
    let folder = format!("{}/tests/data/{system}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
        .into_iter()
        .map(|file| {
            let recording: Value =
                serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
            assert_eq!(recording["system"], system);
            (file.display().to_string(), recording)
        })
        .collect()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

/// What an operation asks for, and the bucket that the system says it changed, where it was recorded.
enum Change {
    Remove(u32),
    Add,
}

fn changes(recording: &Value) -> Vec<(Change, Option<u32>)> {
    let Some(operations) = recording["config"]["ops"].as_array() else {
        return Vec::new();
    };
    let returned = recording["aux"]["ops_returned"].as_array();
    let changes = operations
        .iter()
        .map(|operation| match operation[0].as_str().unwrap() {
            "remove_bucket" => Change::Remove(number(&operation[1])),
            "add_bucket" => Change::Add,
            other => panic!("an unknown operation: {other}"),
        });
    let said = |at: usize| returned.map(|returned| number(&returned[at]));
    changes
        .enumerate()
        .map(|(at, change)| (change, said(at)))
        .collect()
}

fn cases(recording: &Value) -> Vec<(&str, u32)> {
    let cases = recording["cases"].as_array().unwrap();
    assert!(cases.len() >= 100, "only {} cases", cases.len());
    cases
        .iter()
        .map(|case| (case[0].as_str().unwrap(), number(&case[1])))
        .collect()
}
