//! Tables, in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::questions::{Question, Who};
use crate::rounds::Series;

/// What was measured for one question.
#[derive(Debug)]
pub struct Answer {
    /// The question.
    pub question: Question,
    /// Who was measured, in the order of the lists.
    pub rows: Vec<Row>,
}

/// What was measured of one contestant.
#[derive(Debug)]
pub struct Row {
    /// Who it is.
    pub who: Who,
    /// Its times, by the number of nodes.
    pub times: BTreeMap<u32, Series>,
}

impl Answer {
    /// Nobody measured yet.
    #[must_use]
    pub fn new(question: Question) -> Self {
        let rows = Vec::new();
        Self { question, rows }
    }

    /// Adds what was measured of this one.
    pub fn add(&mut self, who: Who, nodes: u32, times: Series) {
        let known = self.rows.iter().position(|row| row.who == who);
        let index = known.unwrap_or_else(|| {
            let times = BTreeMap::new();
            self.rows.push(Row { who, times });
            self.rows.len() - 1
        });
        self.rows[index].times.insert(nodes, times);
    }

    /// The fastest reference of a group at this size.
    #[must_use]
    pub fn fastest_reference(&self, group: &str, nodes: u32) -> Option<(&Row, &Series)> {
        let of_group = self
            .rows
            .iter()
            .filter(|row| row.who.is_reference && row.who.group == group);
        of_group
            .filter_map(|row| Some((row, row.times.get(&nodes)?)))
            .min_by(|(_, a), (_, b)| a.median().total_cmp(&b.median()))
    }

    /// The sizes at which somebody was measured.
    fn sizes(&self) -> Vec<u32> {
        let all = self.question.sizes.iter().copied();
        all.filter(|size| self.rows.iter().any(|row| row.times.contains_key(size)))
            .collect()
    }

    /// Both tables: times, and ratios where there is something to take them to.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let sizes = self.sizes();
        let mut out = format!("## {}\n\n{}\n\n", self.question.name, self.question.asks);
        let (unit, nanoseconds) = self.question.unit;
        head(&mut out, &format!("{unit}: median (least)"), &sizes);
        for row in &self.rows {
            let cell = |times: &Series| {
                let [median, least] = [times.median(), times.least()].map(|ns| ns / nanoseconds);
                format!("{} ({})", three_digits(median), three_digits(least))
            };
            let cells = sizes
                .iter()
                .map(|size| row.times.get(size).map_or(String::new(), cell));
            line(&mut out, &row.who.name, cells);
        }
        let ratios = self.ratios(&sizes);
        if !ratios.is_empty() {
            let _ = write!(out, "\nRatios to {}:\n\n", self.question.against); // a string takes all
            head(&mut out, "", &sizes);
            out.push_str(&ratios);
        }
        out
    }

    fn ratios(&self, sizes: &[u32]) -> String {
        let mut out = String::new();
        let mut groups: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !groups.contains(&row.who.group) {
                groups.push(row.who.group);
            }
        }
        for group in groups {
            let fastest: Vec<_> = sizes
                .iter()
                .map(|&n| self.fastest_reference(group, n))
                .collect();
            let has_own = self
                .rows
                .iter()
                .any(|row| !row.who.is_reference && row.who.group == group);
            if !has_own || fastest.iter().all(Option::is_none) {
                continue;
            }
            let names = fastest.iter().map(|found| match found {
                Some((row, _)) => format!("*{}*", row.who.name),
                None => String::new(),
            });
            line(&mut out, &format!("*{group}*"), names);
            for row in self
                .rows
                .iter()
                .filter(|row| !row.who.is_reference && row.who.group == group)
            {
                let cells = sizes.iter().zip(&fastest).map(|(size, reference)| {
                    let times = row.times.get(size).zip(reference.map(|(_, times)| times));
                    times.map_or(String::new(), |(own, other)| {
                        three_digits(own.ratio_to(other))
                    })
                });
                line(&mut out, &row.who.name, cells);
            }
        }
        out
    }
}

fn head(out: &mut String, first: &str, sizes: &[u32]) {
    line(
        out,
        first,
        sizes
            .iter()
            .map(|&size| format!("{} nodes", thousands(size))),
    );
    line(out, "---", sizes.iter().map(|_| "---".to_owned()));
}

fn line(out: &mut String, first: &str, cells: impl Iterator<Item = String>) {
    let cells: String = cells.map(|cell| format!(" {cell} |")).collect();
    let _ = writeln!(out, "| {first} |{cells}"); // a string takes all
}

/// With a comma before each three digits.
#[must_use]
pub fn thousands(number: u32) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// To three digits, or to whole numbers.
fn three_digits(value: f64) -> String {
    let decimals = match value {
        value if value < 0.9995 => 3,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::{thousands, three_digits};

    #[test]
    fn numbers_are_short() {
        let shown = [0.0421, 0.9996, 4.567, 9.996, 56.78, 1234.5].map(three_digits);
        assert_eq!(shown, ["0.042", "1.00", "4.57", "10.0", "56.8", "1234"]);
        assert_eq!(
            [3, 1_000, 1_000_001].map(thousands),
            ["3", "1,000", "1,000,001"]
        );
    }
}
