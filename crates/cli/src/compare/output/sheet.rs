//! [`Sheet`]: a table to read, in ASCII, so that any terminal and any file shows it.

use std::io::Write;

use comfy_table::{Cell, CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};

use crate::CliError;

/// Columns apart by spaces, a rule under the header.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('-'))
    .content_lines(ContentLineStyle::none());

/// What stands where there is no number.
pub(crate) const NONE: &str = "n/a";

/// A table with names in its first column and numbers in the others, and notes on what is missing from it.
pub(crate) struct Sheet {
    table: Table,
    columns: usize,
    /// Reasons, and the rows that have them.
    notes: Vec<(String, Vec<String>)>,
}

impl Sheet {
    pub(crate) fn new(first: &str, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut table = Table::new();
        table.load_style(STYLE);
        let headers: Vec<Cell> = std::iter::once(first.to_owned())
            .chain(columns.into_iter().map(Into::into))
            .map(Cell::new)
            .collect();
        let columns = headers.len() - 1;
        table.set_header(headers);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        Self {
            table,
            columns,
            notes: Vec::new(),
        }
    }

    /// A row of these cells, or a row without numbers and a note that says why.
    pub(crate) fn row(
        &mut self,
        name: &str,
        cells: Result<impl IntoIterator<Item = String>, &String>,
    ) {
        let mut row = vec![name.to_owned()];
        match cells {
            Ok(cells) => row.extend(cells),
            Err(reason) => {
                row.extend((0..self.columns).map(|_| NONE.to_owned()));
                self.note(name, reason);
            }
        }
        self.table.add_row(row);
    }

    /// Says why a row lacks a number.
    pub(crate) fn note(&mut self, name: &str, reason: &str) {
        let name = name.to_owned();
        match self.notes.iter_mut().find(|(given, _)| given == reason) {
            Some((_, names)) => names.push(name),
            None => self.notes.push((reason.to_owned(), vec![name])),
        }
    }

    pub(crate) fn write(self, out: &mut dyn Write) -> Result<(), CliError> {
        for line in self.table.lines() {
            writeln!(out, "{}", line.trim_end())?;
        }
        for (reason, names) in self.notes {
            writeln!(out, " {NONE}: {}: {reason}", names.join(", "))?;
        }
        Ok(())
    }
}

pub(crate) fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
