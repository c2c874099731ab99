//! The commands of the README print what it says they print.

// A shell, and the sizes of 64-bit machines.
#![cfg(all(unix, target_pointer_width = "64"))]

mod common;

use std::path::Path;
use std::process::Command;

use common::path;

/// A command line, and the output shown below it.
struct Example {
    line: String,
    shown: Vec<String>,
}

/// The examples of all `console` blocks.
fn examples(markdown: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for line in markdown.lines() {
        match (inside, line) {
            (_, "```console") => inside = true,
            (_, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), examples.last_mut()) {
                (Some(line), _) => examples.push(Example {
                    line: line.to_owned(),
                    shown: Vec::new(),
                }),
                (None, Some(example)) => example.shown.push(line.to_owned()),
                (None, None) => panic!("output before any command: {line}"),
            },
            _ => {}
        }
    }
    examples
}

#[test]
fn every_example_prints_what_is_shown() {
    let binary = Path::new(env!("CARGO_BIN_EXE_keyroute")).parent().unwrap();
    let search = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let folder = path("here");
    std::fs::create_dir_all(&folder).unwrap();
    let examples = examples(include_str!("../README.md"));
    assert!(examples.len() >= 10);
    for Example { line, mut shown } in examples {
        let output = Command::new("sh")
            .args(["-c", &format!("{line} 2>&1")])
            .env("PATH", &search)
            .current_dir(&folder)
            .output()
            .unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let mut printed: Vec<&str> = printed.lines().collect();
        if shown.last().is_some_and(|last| last == "...") {
            shown.pop();
            assert!(printed.len() > shown.len(), "$ {line}: nothing is left out");
            printed.truncate(shown.len());
        }
        assert_eq!(printed, shown, "$ {line}");
    }
}
