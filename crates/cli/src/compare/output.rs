//! The forms a comparison is written in.

mod csv;
mod json;
pub(crate) mod sheet;
mod sweep;
mod table;

use std::io::Write;

use clap::ValueEnum;

use super::{Findings, Study};

use crate::CliError;
pub(crate) use sweep::Swept;

/// A form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables to read
    #[default]
    Table,
    /// One JSON object
    Json,
    /// Rows of comma-separated values, with a header
    Csv,
}

/// What was measured, or why it was not.
type Measured<'a, T> = Result<T, &'a str>;

/// Why there are no times where none are taken.
const NOT_TIMED: &str = "not timed: --no-timing";

/// What was compared, in words, and what came of it.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    pub(crate) study: &'a Study<'a>,
    /// Where the keys came from.
    pub(crate) keys: &'a str,
    /// Where the fleet came from.
    pub(crate) fleet: &'a str,
    /// Whether the changes are ours, because the command line gave none.
    pub(crate) default_changes: bool,
    pub(crate) findings: &'a [Findings],
}

impl Comparison<'_> {
    /// Writes it.
    ///
    /// # Errors
    ///
    /// [`CliError::Io`].
    pub(crate) fn write(&self, format: Format, out: &mut dyn Write) -> Result<(), CliError> {
        match format {
            Format::Table => table::write(self, out),
            Format::Json => json::write(self, out),
            Format::Csv => csv::write(self, out),
        }
    }
}
