//! What one change moves: a bar for each strategy, needed and needless.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Drawn};
use super::style::{BLUE, FAINT, GRID, INK, Pixels, VERMILION, fitting};
use crate::compare::{Findings, Scenario, ratio};

const LEFT: i32 = 128;
const TOP: i32 = 46;
const RIGHT: i32 = 66;
const BOTTOM: i32 = 26;
const ROW: i32 = 24;

/// A change to draw.
#[derive(Debug)]
pub(super) struct MovementPanel<'a> {
    pub(super) scenario: &'a Scenario,
    /// Its place among the changes.
    pub(super) number: usize,
    pub(super) findings: &'a [Findings],
    pub(super) keys: u64,
}

/// The height of a panel for so many strategies.
pub(super) fn height(strategies: usize) -> i32 {
    TOP + ROW * i32::try_from(strategies).unwrap_or(0) + BOTTOM
}

impl MovementPanel<'_> {
    /// Draws it, `width` × [`height`].
    pub(super) fn draw<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        width: i32,
        px: Pixels,
    ) -> Drawn<B> {
        let title = format!("Moved by: {}", self.scenario.label());
        let title = fitting(&title, 15, width - LEFT - 10);
        area.draw_text(
            &title,
            &px.bold(14, HPos::Left, VPos::Center),
            px.at(LEFT, 12),
        )?;
        let least = self.scenario.least_share;
        let style = px.text(12, FAINT, HPos::Left, VPos::Center);
        let note = format!(
            "share of all keys; line: {:.2} %, what the weights ask for",
            100.0 * least
        );
        area.draw_text(&note, &style, px.at(LEFT, 31))?;

        let rows = ratio(self.findings.len() as u64, 1u32);
        let mut chart = ChartBuilder::on(area)
            .margin_top(px.of(TOP))
            .margin_right(px.of(RIGHT))
            .set_label_area_size(LabelAreaPosition::Left, px.of(LEFT))
            .set_label_area_size(LabelAreaPosition::Bottom, px.of(BOTTOM))
            .build_cartesian_2d(0.0..self.widest(), rows..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .x_max_light_lines(0)
            .x_labels(6)
            .x_label_formatter(&|share| format!("{} %", (share * 1e4).round() / 1e2))
            .x_label_style(px.text(12, FAINT, HPos::Center, VPos::Top))
            .bold_line_style(px.stroke(GRID))
            .axis_style(px.stroke(GRID))
            .set_all_tick_mark_size(px.of(4))
            .draw()?;
        for (findings, row) in self.findings.iter().zip(0u32..) {
            let middle = TOP + ROW * i32::try_from(row).unwrap_or(0) + ROW / 2;
            let name = px.text(13, INK, HPos::Right, VPos::Center);
            area.draw_text(
                &findings.strategy.to_string(),
                &name,
                px.at(LEFT - 8, middle),
            )?;
            let (top, bottom) = (f64::from(row) + 0.18, f64::from(row) + 0.82);
            let movement = match &findings.outcomes[self.number].movement {
                Ok(movement) => movement,
                Err(reason) => {
                    let text = fitting(&format!("n/a: {reason}"), 12, width - LEFT - 10);
                    let style = px.text(12, FAINT, HPos::Left, VPos::Center);
                    area.draw_text(&text, &style, px.at(LEFT + 6, middle))?;
                    continue;
                }
            };
            let needed = ratio(movement.needed, self.keys);
            let moved = ratio(movement.moved(), self.keys);
            chart.draw_series([
                Rectangle::new([(0.0, top), (needed, bottom)], BLUE.filled()),
                Rectangle::new([(needed, top), (moved, bottom)], VERMILION.filled()),
            ])?;
            // The line only where there are bars: it would cross the text of a refusal.
            let line = [(least, f64::from(row)), (least, f64::from(row + 1))];
            chart.draw_series([PathElement::new(line, px.stroke(INK))])?;
            let (end, _) = chart.backend_coord(&(moved.max(least), f64::from(row)));
            let (left, _) = area.get_base_pixel();
            let style = px.text(12, INK, HPos::Left, VPos::Center);
            let label = format!("{:.2} %", 100.0 * moved);
            area.draw_text(&label, &style, (end - left + px.of(6), px.of(middle)))?;
        }
        Ok(())
    }

    /// The highest share that is shown.
    fn widest(&self) -> f64 {
        let moved = self.findings.iter().filter_map(|findings| {
            let movement = findings.outcomes[self.number].movement.as_ref().ok()?;
            Some(ratio(movement.moved(), self.keys))
        });
        let widest = moved.fold(self.scenario.least_share, f64::max);
        // A change that moves nothing still has an axis.
        widest.max(0.01)
    }
}
