//! One strategy's balance: a bar for each node.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Area, Drawn};
use super::style::{BLUE, FAINT, GRID, INK, Pixels, shortened, styled, width_of};
use crate::compare::{Balance, ratio};

/// Over so many nodes bars are thinner than a pixel: then the nodes are sorted and sampled.
const MOST_BARS: usize = 400;

/// The height of a panel without the names of nodes.
pub(super) const HEIGHT: i32 = 118;

const LEFT: i32 = 52;
const TOP: i32 = 26;
const RIGHT: i32 = 8;
const BOTTOM: i32 = 6;

/// A balance to draw.
#[derive(Debug)]
pub(super) struct BalancePanel<'a> {
    /// Which strategies have it.
    pub(super) title: String,
    pub(super) balance: &'a Balance,
    pub(super) weights: &'a [u64],
    /// The highest load that all panels show.
    pub(super) highest: f64,
}

impl BalancePanel<'_> {
    /// Draws it, `width` × [`HEIGHT`].
    pub(super) fn draw<B: DrawingBackend>(
        &self,
        area: &Area<B>,
        width: i32,
        px: Pixels,
    ) -> Drawn<B> {
        let title = px.bold(14, HPos::Left, VPos::Center);
        area.draw_text(&self.title, &title, px.at(LEFT, 12))?;
        let balance = self.balance;
        let numbers = format!(
            "max {:.3} · min {:.3} · CV {:.2} %",
            balance.max_over_mean,
            balance.min_over_mean,
            100.0 * balance.cv
        );
        let style = px.text(13, FAINT, HPos::Right, VPos::Center);
        area.draw_text(&numbers, &style, px.at(width - RIGHT, 12))?;

        let loads = self.loads();
        let count = ratio(loads.len() as u64, 1u32);
        let mut chart = ChartBuilder::on(area)
            .margin_top(px.of(TOP))
            .margin_right(px.of(RIGHT))
            .margin_bottom(px.of(BOTTOM))
            .set_label_area_size(LabelAreaPosition::Left, px.of(LEFT))
            .build_cartesian_2d(0.0..count, 0.0..self.highest)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .y_max_light_lines(0)
            .y_labels(4)
            .y_label_formatter(&|load| format!("{load}"))
            .label_style(px.text(12, FAINT, HPos::Right, VPos::Center))
            .bold_line_style(px.stroke(GRID))
            .axis_style(px.stroke(GRID))
            .set_all_tick_mark_size(px.of(4))
            .draw()?;
        // Bars touch once they are too many to stand apart.
        let gap = if loads.len() > 150 { 0.0 } else { 0.12 };
        chart.draw_series(loads.iter().zip(0u32..).map(|(&load, place)| {
            let left = f64::from(place);
            Rectangle::new([(left + gap, 0.0), (left + 1.0 - gap, load)], BLUE.filled())
        }))?;
        chart.draw_series([PathElement::new([(0.0, 1.0), (count, 1.0)], px.stroke(INK))])?;
        Ok(())
    }

    /// The nodes' loads, in the order of the fleet; if they are too many, sorted, and as many of them
    /// as there is room for, evenly chosen.
    fn loads(&self) -> Vec<f64> {
        let total: u128 = self.balance.keys.iter().map(|&keys| u128::from(keys)).sum();
        let weight: u128 = self.weights.iter().map(|&weight| u128::from(weight)).sum();
        let mut loads: Vec<f64> = self
            .balance
            .keys
            .iter()
            .zip(self.weights)
            .map(|(&keys, &own)| ratio(u128::from(keys) * weight, total * u128::from(own)))
            .collect();
        if is_sampled(loads.len()) {
            loads.sort_by(f64::total_cmp);
            let last = loads.len() - 1;
            loads = (0..MOST_BARS)
                .map(|place| loads[place * last / (MOST_BARS - 1)])
                .collect();
        }
        loads
    }
}

/// Whether a panel of so many nodes shows them sorted and sampled.
pub(super) fn is_sampled(nodes: usize) -> bool {
    nodes > MOST_BARS
}

/// The height that [`draw_names`] needs.
pub(super) fn names_height(names: &[&str], width: i32) -> i32 {
    match Names::of(names, width) {
        Names::Flat => 40,
        Names::Upright => 34 + widest(names),
        Names::None => 24,
    }
}

/// Draws the names of nodes under a column of panels, and what the axes are.
pub(super) fn draw_names<B: DrawingBackend>(
    area: &Area<B>,
    names: &[&str],
    width: i32,
    px: Pixels,
) -> Drawn<B> {
    let form = Names::of(names, width);
    let room = width - LEFT - RIGHT;
    let count = i32::try_from(names.len()).unwrap_or(i32::MAX);
    for (name, place) in names.iter().zip(0..) {
        let middle = LEFT + (2 * place + 1) * room / (2 * count);
        let name = shortened(name, MOST_CHARACTERS);
        match form {
            Names::Flat => {
                let style = px.text(NAME_SIZE, INK, HPos::Center, VPos::Top);
                area.draw_text(&name, &style, px.at(middle, 2))?;
            }
            Names::Upright => {
                let font = px.font(NAME_SIZE).transform(FontTransform::Rotate270);
                let style = styled(font, INK, HPos::Right, VPos::Center);
                area.draw_text(&name, &style, px.at(middle, 4))?;
            }
            Names::None => break,
        }
    }
    let caption = match form {
        Names::None if is_sampled(names.len()) => {
            format!("{count} nodes, sorted by load; 1 is the share its weight asks for")
        }
        Names::None => {
            format!(
                "nodes 1 to {count}, in the order of the fleet; 1 is the share its weight asks for"
            )
        }
        _ => "keys of a node; 1 is the share its weight asks for".to_owned(),
    };
    let style = px.text(12, FAINT, HPos::Center, VPos::Bottom);
    let bottom = names_height(names, width) - 2;
    area.draw_text(&caption, &style, px.at(LEFT + room / 2, bottom))
}

const MOST_CHARACTERS: usize = 20;

const NAME_SIZE: i32 = 12;

/// How names stand under the bars.
#[derive(Clone, Copy)]
enum Names {
    /// Beside each other, where they fit.
    Flat,
    /// On end, where a line's height fits.
    Upright,
    /// Not at all.
    None,
}

impl Names {
    fn of(names: &[&str], width: i32) -> Self {
        let count = i32::try_from(names.len()).unwrap_or(i32::MAX);
        let slot = (width - LEFT - RIGHT) / count.max(1);
        if slot < 14 {
            Self::None
        } else if widest(names) + 8 <= slot {
            Self::Flat
        } else {
            Self::Upright
        }
    }
}

/// The width of the longest name, shortened as it is drawn. For few names: it measures each.
fn widest(names: &[&str]) -> i32 {
    let widths = names
        .iter()
        .map(|name| width_of(&shortened(name, MOST_CHARACTERS), NAME_SIZE));
    widths.max().unwrap_or(0)
}
