//! A table of points and hashes, in each form. As JSON it is `keyroute/points/1`.

use std::io::Write;

use serde::Serialize;

use super::Format;
use super::sheet::{NONE, Sheet, percent};
use crate::CliError;
use crate::compare::{Row, Spread, Sweep};

/// What was swept, in words, and what came of it.
#[derive(Debug)]
pub(crate) struct Swept<'a> {
    pub(crate) sweep: &'a Sweep<'a>,
    /// Where the keys came from.
    pub(crate) keys: &'a str,
    /// Where the fleet came from.
    pub(crate) fleet: &'a str,
    pub(crate) rows: &'a [Row],
}

impl Swept<'_> {
    /// Writes it.
    ///
    /// # Errors
    ///
    /// [`CliError::Io`].
    pub(crate) fn write(&self, format: Format, out: &mut dyn Write) -> Result<(), CliError> {
        match format {
            Format::Table => self.tables(out),
            Format::Json => self.json(out),
            Format::Csv => self.csv(out),
        }
    }

    fn tables(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let sweep = self.sweep;
        let trials = sweep.trials;
        writeln!(out, "Fleet: {}: {} nodes", self.fleet, sweep.nodes.len())?;
        writeln!(out, "Keys:  {}: {}", self.keys, sweep.keys.len())?;
        let of = if trials > 1 {
            writeln!(
                out,
                "{trials} fleets: this one, and others with ~2, ~3, ... behind the ids"
            )?;
            format!(", median of {trials} fleets")
        } else {
            String::new()
        };

        writeln!(
            out,
            "\nCV of the keys of a node over the keys its weight asks for{of}"
        )?;
        let theory = |row: &Row| vec![percent(row.rule_of_thumb), percent(row.expected_cv)];
        self.table(
            &["1/sqrt", "expected"],
            theory,
            |spread| percent(spread.cv),
            out,
        )?;
        let none = |_: &Row| Vec::new();
        writeln!(out, "\nmax/mean{of}")?;
        self.table(
            &[],
            none,
            |spread| format!("{:.3}", spread.max_over_mean),
            out,
        )?;
        writeln!(out, "\nmin/mean{of}")?;
        self.table(
            &[],
            none,
            |spread| format!("{:.3}", spread.min_over_mean),
            out,
        )?;
        if trials > 1 {
            writeln!(out, "\nmax/mean, worst of {trials} fleets")?;
            let worst = |spread: &Spread| format!("{:.3}", spread.worst_max_over_mean);
            self.table(&[], none, worst, out)?;
        }
        writeln!(
            out,
            "\n1/sqrt(points) is the CV of many nodes with random points; expected is that of this\n\
             many nodes and keys."
        )?;
        Ok(())
    }

    fn table(
        &self,
        theory_columns: &[&str],
        theory: impl Fn(&Row) -> Vec<String>,
        cell: impl Fn(&Spread) -> String,
        out: &mut dyn Write,
    ) -> Result<(), CliError> {
        let hashes = self.sweep.hashes.iter().map(ToString::to_string);
        let columns = theory_columns.iter().map(ToString::to_string).chain(hashes);
        let mut sheet = Sheet::new("points", columns);
        for row in self.rows {
            let name = row.points.to_string();
            let mut cells = theory(row);
            cells.extend(row.cells.iter().map(|found| match found {
                Ok(spread) => cell(spread),
                Err(_) => NONE.to_owned(),
            }));
            sheet.row(&name, Ok(cells));
            for reason in row.cells.iter().filter_map(|cell| cell.as_ref().err()) {
                sheet.note(&name, reason);
            }
        }
        sheet.write(out)
    }

    fn json(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let document = Document {
            schema: "keyroute/points/1",
            fleet: self.fleet,
            nodes: self.sweep.nodes.len(),
            keys: self.sweep.keys.len() as u64,
            keys_from: self.keys,
            trials: self.sweep.trials,
            rows: self
                .rows
                .iter()
                .map(|row| RowLine {
                    points: row.points,
                    one_over_sqrt_points: row.rule_of_thumb,
                    expected_cv: row.expected_cv,
                    hashes: self.cells(row).collect(),
                })
                .collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &document).map_err(std::io::Error::from)?;
        writeln!(out)?;
        Ok(())
    }

    fn csv(&self, out: &mut dyn Write) -> Result<(), CliError> {
        let mut table = csv::Writer::from_writer(out);
        for row in self.rows {
            for cell in self.cells(row) {
                let line = CsvLine {
                    points: row.points,
                    hash: cell.hash,
                    trials: self.sweep.trials,
                    one_over_sqrt_points: row.rule_of_thumb,
                    expected_cv: row.expected_cv,
                    cv: cell.cv,
                    max_over_mean: cell.max_over_mean,
                    min_over_mean: cell.min_over_mean,
                    worst_max_over_mean: cell.worst_max_over_mean,
                    reason: cell.reason,
                };
                table
                    .serialize(line)
                    .map_err(|error| CliError::Io(error.into()))?;
            }
        }
        table.flush()?;
        Ok(())
    }

    fn cells(&self, row: &Row) -> impl Iterator<Item = CellLine> {
        self.sweep
            .hashes
            .iter()
            .zip(&row.cells)
            .map(|(hash, found)| {
                let spread = found.as_ref().ok();
                CellLine {
                    hash: hash.to_string(),
                    cv: spread.map(|spread| spread.cv),
                    max_over_mean: spread.map(|spread| spread.max_over_mean),
                    min_over_mean: spread.map(|spread| spread.min_over_mean),
                    worst_max_over_mean: spread.map(|spread| spread.worst_max_over_mean),
                    reason: found.as_ref().err().cloned(),
                }
            })
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    fleet: &'a str,
    nodes: usize,
    keys: u64,
    keys_from: &'a str,
    trials: u32,
    rows: Vec<RowLine>,
}

#[derive(Serialize)]
struct RowLine {
    points: u32,
    one_over_sqrt_points: f64,
    expected_cv: f64,
    hashes: Vec<CellLine>,
}

#[derive(Serialize)]
struct CellLine {
    hash: String,
    cv: Option<f64>,
    max_over_mean: Option<f64>,
    min_over_mean: Option<f64>,
    worst_max_over_mean: Option<f64>,
    reason: Option<String>,
}

#[derive(Serialize)]
struct CsvLine {
    points: u32,
    hash: String,
    trials: u32,
    one_over_sqrt_points: f64,
    expected_cv: f64,
    cv: Option<f64>,
    max_over_mean: Option<f64>,
    min_over_mean: Option<f64>,
    worst_max_over_mean: Option<f64>,
    reason: Option<String>,
}
