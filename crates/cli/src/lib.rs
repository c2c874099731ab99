#![doc = include_str!("../README.md")]

mod args;
mod error;

pub mod change;
mod commands;
mod compare;
pub mod config;
pub mod fleet;
pub mod hashes;
pub mod keys;
#[cfg(feature = "kv")]
mod kv;
mod plan;
#[cfg(feature = "plot")]
mod plot;
mod progress;
pub mod strategy;
pub mod verify;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

pub use error::{CliError, Outcome};

/// Runs the command on these arguments, the program's name first.
///
/// # Errors
///
/// [`CliError`]: input that cannot be used, arguments included. A request for help is one, too.
///
/// ```
/// use keyroute_cli::{Outcome, run};
///
/// let mut out = Vec::new();
/// let outcome = run(["keyroute", "route", "--keys-pattern", "k{}", "--count", "2"], &mut out)?;
/// assert_eq!(outcome, Outcome::Done);
/// assert_eq!(out.split(|&byte| byte == b'\n').count(), 3);
/// # Ok::<(), keyroute_cli::CliError>(())
/// ```
pub fn run(
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    out: &mut dyn Write,
) -> Result<Outcome, CliError> {
    let args = args::Args::try_parse_from(args);
    args.map_err(|error| CliError::Input(error.to_string()))?
        .run(out)
}

/// Runs the command on the process's arguments and streams.
///
/// Exit codes: 0 for yes and done, 1 for "they differ" (`diff`, `verify`), 2 for input that cannot be
/// used. A reader that closes the pipe early is not an error.
#[must_use]
pub fn main() -> ExitCode {
    let args = args::Args::parse();
    let stdout = io::stdout().lock();
    let mut out = io::BufWriter::with_capacity(1 << 16, stdout);
    let result = args.run(&mut out).and_then(|outcome| {
        out.flush()?;
        Ok(outcome)
    });
    match result {
        Ok(outcome) => outcome.into(),
        Err(CliError::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("keyroute: {error}");
            ExitCode::from(2)
        }
    }
}
