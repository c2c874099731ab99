//! [`FlowFigure`]: who sends how much to whom, as a table of shaded cells.

use std::collections::BTreeMap;

use keyroute::plan::Flows;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Drawn, Figure};
use super::style::{BLUE, FAINT, GRID, INK, Pixels, VERMILION, fitting, shortened};
use crate::plan::Report;

/// The most nodes on a side of the picture: those that send, or receive, most.
const MOST: usize = 32;

const LEFT: i32 = 150;
const TOP: i32 = 150;
const RIGHT: i32 = 90;
const BOTTOM: i32 = 30;
const CELL: i32 = 30;
/// Room for title and legend, whatever the number of nodes.
const NARROWEST: i32 = 560;

/// Who sends to whom.
#[derive(Debug)]
pub(crate) struct FlowFigure {
    title: String,
    subtitle: String,
    /// Senders down, receivers across, by name.
    rows: Vec<String>,
    columns: Vec<String>,
    /// Row, column, and the parts of all keys that move there: needed and needless.
    cells: Vec<(usize, usize, f64, f64)>,
    /// How many senders and receivers are left out.
    left_out: [usize; 2],
}

impl FlowFigure {
    /// The flows of a report.
    pub(crate) fn of(report: &Report<'_>) -> Self {
        let flows = report.comparison.flows();
        let share = |amount| report.comparison.share(amount);
        let [(rows, senders), (columns, receivers)] = [true, false].map(|from| ends(&flows, from));
        let mut cells = Vec::new();
        for ((from, to), flow) in flows.iter() {
            let from = crate::plan::sender(from.as_ref());
            let row = rows.iter().position(|it| it == from);
            let column = columns.iter().position(|it| it == to.as_str());
            if let (Some(row), Some(column)) = (row, column) {
                cells.push((row, column, share(flow.needed), share(flow.needless)));
            }
        }
        let [before, after] = report.sides.map(|side| shortened(file_of(&side.name), 30));
        let [moved, _, needless] = report.comparison.totals(&flows).map(|it| 100.0 * it);
        Self {
            title: format!("{before} to {after}"),
            subtitle: format!("{moved:.2} % of the keys move, {needless:.2} % needlessly"),
            left_out: [senders - rows.len(), receivers - columns.len()],
            rows,
            columns,
            cells,
        }
    }

    fn extent(&self) -> (i32, i32) {
        let cells = |nodes: &[String]| CELL * i32::try_from(nodes.len()).unwrap_or(0).max(1);
        let width = LEFT + cells(&self.columns) + RIGHT;
        (width.max(NARROWEST), TOP + cells(&self.rows) + BOTTOM)
    }
}

/// The names of those that send, or receive, most, in the order of names; and how many do at all.
fn ends(flows: &Flows, from: bool) -> (Vec<String>, usize) {
    let mut amounts: BTreeMap<&str, u128> = BTreeMap::new();
    for ((sender, receiver), flow) in flows.iter() {
        let name = if from {
            crate::plan::sender(sender.as_ref())
        } else {
            receiver.as_str()
        };
        let amount = amounts.entry(name).or_default();
        *amount = amount.saturating_add(flow.amount());
    }
    let all = amounts.len();
    let mut most: Vec<(&str, u128)> = amounts.into_iter().collect();
    most.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    most.truncate(MOST);
    let mut names: Vec<String> = most.into_iter().map(|(name, _)| name.to_owned()).collect();
    names.sort();
    (names, all)
}

impl Figure for FlowFigure {
    fn size(&self) -> (u32, u32) {
        let (width, height) = self.extent();
        (width.unsigned_abs(), height.unsigned_abs())
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        let (width, height) = self.extent();
        let title = fitting(&self.title, 18, width - 40);
        area.draw_text(
            &title,
            &px.bold(18, HPos::Left, VPos::Center),
            px.at(20, 24),
        )?;
        let faint = px.text(13, FAINT, HPos::Left, VPos::Center);
        area.draw_text(&self.subtitle, &faint, px.at(20, 48))?;
        area.draw_text(
            "rows send, columns receive; in % of the keys",
            &faint,
            px.at(20, 68),
        )?;
        legend(area, px)?;
        if self.left_out != [0, 0] {
            let [senders, receivers] = self.left_out;
            let note =
                format!("not shown: {senders} that send less, {receivers} that receive less");
            area.draw_text(&note, &faint, px.at(20, height - 14))?;
        }
        self.names(area, px)?;
        self.grid(area, px)
    }
}

/// What the colours mean.
fn legend<B: DrawingBackend>(area: &Area<B>, px: Pixels) -> Drawn<B> {
    let faint = px.text(12, FAINT, HPos::Left, VPos::Center);
    for (left, colour, text) in [(330, BLUE, "needed"), (410, VERMILION, "needless, in part")] {
        let corners = [px.at(left, 62), px.at(left + 12, 74)];
        area.draw(&Rectangle::new(corners, colour.filled()))?;
        area.draw_text(text, &faint, px.at(left + 18, 68))?;
    }
    Ok(())
}

impl FlowFigure {
    fn names<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        let right = px.text(12, INK, HPos::Right, VPos::Center);
        for (name, row) in self.rows.iter().zip(0..) {
            let name = fitting(name, 12, LEFT - 30);
            area.draw_text(&name, &right, px.at(LEFT - 8, TOP + CELL * row + CELL / 2))?;
        }
        let up = px
            .text(12, INK, HPos::Left, VPos::Center)
            .transform(FontTransform::Rotate270);
        for (name, column) in self.columns.iter().zip(0..) {
            let name = fitting(name, 12, TOP - 90);
            area.draw_text(&name, &up, px.at(LEFT + CELL * column + CELL / 2, TOP - 6))?;
        }
        Ok(())
    }

    fn grid<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        let most = self.cells.iter().map(|it| it.2 + it.3).fold(0.0, f64::max);
        for row in 0..self.rows.len() {
            for column in 0..self.columns.len() {
                let frame = Rectangle::new(cell(px, row, column), px.stroke(GRID));
                area.draw(&frame)?;
            }
        }
        for &(row, column, needed, needless) in &self.cells {
            let moved = needed + needless;
            let shade = if most > 0.0 { moved / most } else { 0.0 };
            // Even the least is to be seen.
            let shade = 0.12 + 0.88 * shade;
            let colour = if needless > 0.0 { VERMILION } else { BLUE };
            let fill = Rectangle::new(cell(px, row, column), colour.mix(shade).filled());
            area.draw(&fill)?;
            let ink = if shade > 0.6 { WHITE } else { INK };
            let [(left, top), (right, bottom)] = cell(px, row, column);
            let style = px.text(9, ink, HPos::Center, VPos::Center);
            let text = match 100.0 * moved {
                little if little < 0.05 => "<0.1".to_owned(),
                share => format!("{share:.1}"),
            };
            area.draw_text(&text, &style, ((left + right) / 2, (top + bottom) / 2))?;
        }
        Ok(())
    }
}

/// A path without its folders.
fn file_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The corners of a cell.
fn cell(px: Pixels, row: usize, column: usize) -> [(i32, i32); 2] {
    let at = |number: usize| CELL * i32::try_from(number).unwrap_or(0);
    let (left, top) = (LEFT + at(column), TOP + at(row));
    [px.at(left, top), px.at(left + CELL, top + CELL)]
}
