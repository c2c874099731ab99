//! `keyroute verify`: recorded answers of other systems beside ours.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::verify::{Report, Unusable, check_file};
use crate::{CliError, Outcome};

/// Check recorded answers of other systems
///
/// Each file says how a system was set up and what it answered. The answers are computed anew from the
/// set-up and compared: cases, ring dumps and other facts of the run. Exit code 0 if all agree, 1 if
/// any differs, 2 if a file cannot be checked; the other files are checked all the same.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  keyroute verify answers.json
  keyroute verify --format json recorded/*.json")]
pub(crate) struct VerifyArgs {
    /// Files of recorded answers, JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Form of the output: `json` is one object a file, a line each
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn run(args: &VerifyArgs, out: &mut dyn Write) -> Result<Outcome, CliError> {
    let mut outcome = Outcome::Done;
    let mut unusable = Vec::new();
    for file in &args.files {
        let result = check_file(file);
        match args.format {
            Format::Text => write_text(file, &result, out)?,
            Format::Json => write_json(file, &result, out)?,
        }
        match result {
            Ok(report) if report.agrees() => {}
            Ok(_) => outcome = Outcome::Differs,
            Err(problem) => unusable.push(format!("{}: {problem}", file.display())),
        }
    }
    if unusable.is_empty() {
        Ok(outcome)
    } else {
        Err(CliError::Input(unusable.join("\nkeyroute: ")))
    }
}

/// What cannot be checked goes to standard error, with the exit code.
fn write_text(
    file: &Path,
    result: &Result<Report, Unusable>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let Ok(report) = result else {
        return Ok(());
    };
    let Report { checks, agree, .. } = report;
    writeln!(out, "{}: {agree} of {checks} agree", file.display())?;
    for difference in &report.differences {
        let (what, expected, computed) =
            (&difference.what, &difference.expected, &difference.computed);
        writeln!(out, "  {what}: expected {expected}, computed {computed}")?;
    }
    let more = checks - agree - report.differences.len() as u64;
    if more > 0 {
        writeln!(out, "  and {more} more")?;
    }
    Ok(())
}

fn write_json(
    file: &Path,
    result: &Result<Report, Unusable>,
    out: &mut dyn Write,
) -> Result<(), CliError> {
    let file = file.display().to_string();
    let line = match result {
        Ok(report) => json!({
            "file": file,
            "system": report.system,
            "checks": report.checks,
            "agree": report.agree,
            "differences": report.differences,
        }),
        Err(problem) => json!({"file": file, "error": problem.to_string()}),
    };
    writeln!(out, "{line}")?;
    Ok(())
}
