//! [`Ledger`]: which keys each step moved, as the clients saw it, and whether they had to.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};

use crate::load::{Answer, KEYS};
use crate::oracle::Between;
use crate::upstream::Error;

/// Columns apart by spaces, a rule under the header.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('-'))
    .content_lines(ContentLineStyle::none());

pub(crate) type Answers = Vec<Result<Answer, Error>>;

/// What a step was.
pub(crate) struct Step {
    pub(crate) name: String,
    pub(crate) owners: Between,
    /// Whether a node may be full.
    pub(crate) bounded: bool,
    /// While the fleet changed.
    pub(crate) during: Answers,
    /// When it had changed: every key at least once.
    pub(crate) settled: Answers,
    /// Requests that went on because a node failed.
    pub(crate) retries: u64,
}

/// All steps so far.
#[derive(Default)]
pub(crate) struct Ledger {
    rows: Vec<Row>,
    /// Who answered each key last.
    last: BTreeMap<u32, String>,
    faults: Vec<String>,
}

#[derive(Default)]
struct Row {
    name: String,
    requests: usize,
    retries: u64,
    failed: usize,
    wrong: usize,
    away: usize,
    keys: usize,
    moved: usize,
    needed: usize,
}

impl Ledger {
    pub(crate) fn enter(&mut self, step: Step) {
        let mut row = Row {
            name: step.name,
            requests: step.during.len() + step.settled.len(),
            retries: step.retries,
            ..Row::default()
        };
        let (owners, before, after) = (&step.owners, step.owners.before(), step.owners.after());
        // To any node that is in service.
        let away_is_right = |it: &Answer| step.bounded && after.serve(&it.by);
        for answer in step.during {
            self.hold(
                &mut row,
                answer,
                |it| owners.allow(it.key, &it.by),
                away_is_right,
            );
        }
        let mut now = BTreeMap::new();
        for answer in step.settled {
            let held = self.hold(
                &mut row,
                answer,
                |it| after.allow(it.key, &it.by),
                away_is_right,
            );
            if let Some(answer) = held {
                now.insert(answer.key, answer.by);
            }
        }
        row.keys = now.len();
        if row.keys != KEYS as usize {
            let keys = row.keys;
            self.fault(
                &row.name,
                &format!("only {keys} keys were answered at home in the end"),
            );
        }
        for (&key, to) in &now {
            let Some(from) = self.last.get(&key).filter(|from| *from != to) else {
                continue;
            };
            row.moved += 1;
            let needed =
                !after.allow(key, from) || !before.allow(key, to) || before.await_move(key, to);
            row.needed += usize::from(needed);
        }
        if row.moved > row.needed {
            let needless = row.moved - row.needed;
            self.fault(&row.name, &format!("{needless} keys moved needlessly"));
        }
        self.last.extend(now);
        self.rows.push(row);
    }

    /// Counts an answer that failed, that was given away from home since the node was full, or that the rule does not
    /// allow; gives the others.
    fn hold(
        &mut self,
        row: &mut Row,
        answer: Result<Answer, Error>,
        is_right: impl Fn(&Answer) -> bool,
        away_is_right: impl Fn(&Answer) -> bool,
    ) -> Option<Answer> {
        match answer {
            Ok(answer) if answer.away && away_is_right(&answer) => row.away += 1,
            Ok(answer) if !answer.away && is_right(&answer) => return Some(answer),
            Ok(answer) => {
                row.wrong += 1;
                self.fault(
                    &row.name,
                    &format!("key {} was answered by {}", answer.key, answer.by),
                );
            }
            Err(error) => {
                row.failed += 1;
                self.fault(&row.name, &error.to_string());
            }
        }
        None
    }

    /// Holds answers to come from where the nodes are now.
    pub(crate) fn check_addresses(
        &mut self,
        step: &str,
        answers: &Answers,
        address: impl Fn(&str) -> Option<String>,
    ) {
        for answer in answers.iter().flatten() {
            if address(&answer.by).as_ref() != Some(&answer.at) {
                self.fault(step, &format!("{} answered from {}", answer.by, answer.at));
            }
        }
    }

    /// Something that should not have been.
    pub(crate) fn fault(&mut self, step: &str, what: &str) {
        self.faults.push(format!("{step}: {what}"));
    }

    pub(crate) fn faults(&self) -> &[String] {
        &self.faults
    }

    /// Who answers each key.
    pub(crate) fn owners(&self) -> BTreeMap<u32, String> {
        self.last.clone()
    }

    pub(crate) fn requests(&self) -> usize {
        self.rows.iter().map(|row| row.requests).sum()
    }

    /// How many answers of the last step were given away from home.
    pub(crate) fn away(&self) -> usize {
        self.rows.last().map_or(0, |row| row.away)
    }

    pub(crate) fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(STYLE).set_header([
            "step", "requests", "went on", "away", "failed", "wrong", "keys", "moved", "needed",
            "needless",
        ]);
        for row in &self.rows {
            let numbers = [
                row.requests,
                usize::try_from(row.retries).unwrap_or(usize::MAX),
                row.away,
                row.failed,
                row.wrong,
                row.keys,
                row.moved,
                row.needed,
                row.moved - row.needed,
            ];
            let numbers = numbers.iter().map(ToString::to_string);
            table.add_row(std::iter::once(row.name.clone()).chain(numbers));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}
