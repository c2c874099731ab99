//! [`PointsFigure`]: the CV over the number of points, a line for each hash.

use plotters::coord::combinators::LogCoord;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Drawn, Figure};
use super::style::{FAINT, GRID, INK, LINES, Pixels, shortened, thousands, width_of};
use crate::compare::output::Swept;

/// A table of points and hashes as a picture.
#[derive(Debug)]
pub(crate) struct PointsFigure<'a>(pub(crate) &'a Swept<'a>);

const WIDTH: i32 = 980;
const HEIGHT: i32 = 560;
const LEFT: i32 = 64;
const TOP: i32 = 100;
const RIGHT: i32 = 150;
const BOTTOM: i32 = 56;

type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<LogCoord<f64>, LogCoord<f64>>>;

impl Figure for PointsFigure<'_> {
    fn size(&self) -> (u32, u32) {
        (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs())
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        self.header(area, px)?;
        let [x, y] = [self.points(), self.cvs()];
        let mut chart = ChartBuilder::on(area)
            .margin_top(px.of(TOP))
            .margin_right(px.of(RIGHT))
            .set_label_area_size(LabelAreaPosition::Left, px.of(LEFT))
            .set_label_area_size(LabelAreaPosition::Bottom, px.of(BOTTOM))
            .build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?;
        self.grid(area, &mut chart, x, y, px)?;
        self.lines(area, &mut chart, px)
    }
}

impl PointsFigure<'_> {
    fn header<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        let sweep = self.0.sweep;
        let title = px.bold(20, HPos::Left, VPos::Center);
        area.draw_text("How many points, and which hash?", &title, px.at(20, 26))?;
        let trials = if sweep.trials > 1 {
            format!("; medians of {} fleets", sweep.trials)
        } else {
            String::new()
        };
        let subtitle = format!(
            "{} nodes ({}), {} keys ({}){trials}",
            thousands(sweep.nodes.len()),
            shortened(self.0.fleet, 40),
            thousands(sweep.keys.len()),
            shortened(self.0.keys, 40),
        );
        let style = px.text(13, FAINT, HPos::Left, VPos::Center);
        area.draw_text(&subtitle, &style, px.at(20, 52))
    }

    /// Lines and numbers at the points that were measured, and at 1, 2 and 5 times powers of ten.
    fn grid<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        chart: &mut Chart<'_, B>,
        x: (f64, f64),
        y: (f64, f64),
        px: Pixels,
    ) -> Drawn<B> {
        let bottom = px.of(HEIGHT - BOTTOM);
        let style = px.text(13, FAINT, HPos::Center, VPos::Top);
        let mut points: Vec<u32> = self.0.rows.iter().map(|row| row.points).collect();
        points.sort_unstable();
        let mut free = 0;
        for points in points {
            let at = f64::from(points);
            let line = PathElement::new([(at, y.0), (at, y.1)], px.stroke(GRID));
            chart.draw_series([line])?;
            let (place, _) = chart.backend_coord(&(at, y.0));
            let text = points.to_string();
            let half = px.of(width_of(&text, 13) / 2 + 4);
            if place - half >= free {
                area.draw_text(&text, &style, (place, bottom + px.of(6)))?;
                free = place + half;
            }
        }
        let style = px.text(13, FAINT, HPos::Right, VPos::Center);
        for at in ticks(y) {
            let line = PathElement::new([(x.0, at), (x.1, at)], px.stroke(GRID));
            chart.draw_series([line])?;
            let (_, place) = chart.backend_coord(&(x.0, at));
            area.draw_text(&format!("{at} %"), &style, (px.of(LEFT - 6), place))?;
        }
        let style = px.text(14, INK, HPos::Center, VPos::Bottom);
        let middle = (LEFT + WIDTH - RIGHT) / 2;
        area.draw_text(
            "points per unit of weight",
            &style,
            px.at(middle, HEIGHT - 10),
        )?;
        let style = px.text(14, INK, HPos::Left, VPos::Bottom);
        let meaning = "CV of the keys of a node over the keys its weight asks for";
        area.draw_text(meaning, &style, px.at(20, TOP - 12))
    }

    /// What random points give, dashed, and what was measured, each with its name on the right.
    fn lines<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        chart: &mut Chart<'_, B>,
        px: Pixels,
    ) -> Drawn<B> {
        let mut rows: Vec<_> = self.0.rows.iter().collect();
        rows.sort_by_key(|row| row.points);
        let expected = rows
            .iter()
            .map(|row| (f64::from(row.points), 100.0 * row.expected_cv));
        chart.draw_series(DashedLineSeries::new(
            expected,
            px.of(6).unsigned_abs(),
            px.of(4).unsigned_abs(),
            px.stroke(INK),
        ))?;
        let names = self.0.sweep.hashes.iter().map(ToString::to_string);
        let style = px.text(13, INK, HPos::Left, VPos::Center);
        let legend = |row: i32| TOP + 12 + 22 * row;
        let sample = |row: i32| {
            let x = WIDTH - RIGHT + 16;
            [px.at(x, legend(row)), px.at(x + 20, legend(row))]
        };
        let label = |row: i32| px.at(WIDTH - RIGHT + 42, legend(row));
        area.draw(&DashedPathElement::new(
            sample(0),
            px.of(6).unsigned_abs(),
            px.of(4).unsigned_abs(),
            px.stroke(INK),
        ))?;
        area.draw_text("random points", &style, label(0))?;
        for ((name, place), row) in names.zip(0..).zip(1..) {
            let colour = LINES[place % LINES.len()];
            let line: Vec<(f64, f64)> = rows
                .iter()
                .filter_map(|row| {
                    let spread = row.cells[place].as_ref().ok()?;
                    let cv = 100.0 * spread.cv;
                    (cv > 0.0).then_some((f64::from(row.points), cv))
                })
                .collect();
            let stroke = colour.stroke_width(px.of(2).unsigned_abs());
            chart.draw_series(LineSeries::new(line.iter().copied(), stroke))?;
            let dots = line.into_iter();
            chart.draw_series(dots.map(|at| Circle::new(at, px.of(4), colour.filled())))?;
            area.draw(&PathElement::new(sample(row), stroke))?;
            area.draw_text(&name, &style, label(row))?;
        }
        Ok(())
    }

    /// The ends of the horizontal axis.
    fn points(&self) -> (f64, f64) {
        let points = self.0.rows.iter().map(|row| f64::from(row.points));
        let fewest = points.clone().fold(f64::INFINITY, f64::min);
        let most = points.fold(0.0, f64::max);
        (fewest / 1.15, most * 1.15)
    }

    /// The ends of the vertical axis, in percent: all lines, and some room.
    fn cvs(&self) -> (f64, f64) {
        let shown = self.0.rows.iter().flat_map(|row| {
            let cells = row.cells.iter().filter_map(|cell| cell.as_ref().ok());
            cells.map(|spread| spread.cv).chain([row.expected_cv])
        });
        // A CV of 0, which one node has, has no place on this axis.
        let shown = shown.filter(|cv| *cv > 0.0).map(|cv| 100.0 * cv);
        let (lowest, highest) = shown.fold((f64::INFINITY, 0.0_f64), |(lowest, highest), cv| {
            (lowest.min(cv), highest.max(cv))
        });
        if lowest > highest {
            return (0.1, 100.0);
        }
        (lowest / 1.3, highest * 1.3)
    }
}

/// 1, 2 and 5 times the powers of ten within these ends; the powers alone over three decades.
fn ticks((lowest, highest): (f64, f64)) -> Vec<f64> {
    let steps: &[f64] = if highest / lowest > 1000.0 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let powers = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4];
    let all = powers
        .iter()
        .flat_map(|power| steps.iter().map(move |step| step * power));
    all.filter(|tick| (lowest..=highest).contains(tick))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_ends() {
        assert_eq!(ticks((3.1, 60.0)), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(ticks((0.5, 900.0)), [1.0, 10.0, 100.0]);
    }
}
