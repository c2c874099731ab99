//! The command `keyroute`.

use std::path::PathBuf;
use std::process::Command;

/// The command, built for release: figures of another build would say nothing.
///
/// # Panics
///
/// If it cannot be built.
#[must_use]
pub fn command() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked"])
        .args(["-p", "keyroute-cli", "--bin", "keyroute"])
        .args(["--message-format", "json"])
        .output()
        .unwrap_or_else(|error| panic!("cargo: {error}"));
    let messages = String::from_utf8_lossy(&output.stdout);
    let built = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let name = message["target"]["name"].as_str()?;
        let file = message["executable"].as_str()?;
        (name == "keyroute").then(|| PathBuf::from(file))
    });
    built.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}
