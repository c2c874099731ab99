//! [`ComparisonFigure`]: balance on the left, movement on the right.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::balance::{self, BalancePanel};
use super::canvas::{Area, Drawn, Figure};
use super::movement::{self, MovementPanel};
use super::style::{BLUE, FAINT, Pixels, VERMILION, shortened, thousands};
use crate::compare::Balance;
use crate::compare::output::Comparison;

/// The most changes that one figure shows.
pub(crate) const MAX_CHANGES: usize = 8;

const LEFT_WIDTH: i32 = 720;
const RIGHT_WIDTH: i32 = 620;
const MARGIN: i32 = 20;
const HEADER: i32 = 86;

/// A comparison of strategies as a picture.
#[derive(Debug)]
pub(crate) struct ComparisonFigure<'a> {
    comparison: &'a Comparison<'a>,
    /// Balances, each with the strategies that have it.
    balances: Vec<(String, &'a Balance)>,
    weights: Vec<u64>,
}

impl<'a> ComparisonFigure<'a> {
    /// The figure of this comparison, of at most [`MAX_CHANGES`] changes.
    pub(crate) fn new(comparison: &'a Comparison<'a>) -> Self {
        let mut balances: Vec<(String, &Balance)> = Vec::new();
        let mut show = |name: String, balance: &'a Balance| match balances
            .iter_mut()
            .find(|(_, known)| *known == balance)
        {
            Some((names, _)) => *names = format!("{names}, {name}"),
            None => balances.push((name, balance)),
        };
        for findings in comparison.findings {
            let name = findings.strategy.to_string();
            if let Ok(balance) = &findings.balance {
                show(name.clone(), balance);
            }
        }
        for findings in comparison.findings {
            if let Ok(loaded) = &findings.loaded {
                let epsilon = comparison.study.settings.epsilon.unwrap_or_default();
                let name = format!("{}, loaded, epsilon {epsilon}", findings.strategy);
                show(name, &loaded.balance);
            }
        }
        let nodes = comparison.study.nodes;
        Self {
            comparison,
            balances,
            weights: nodes
                .iter()
                .map(|node| node.weight().get().into())
                .collect(),
        }
    }

    fn names(&self) -> Vec<&str> {
        let nodes = self.comparison.study.nodes;
        nodes.iter().map(|node| node.id().as_str()).collect()
    }

    fn left_height(&self) -> i32 {
        let panels = i32::try_from(self.balances.len()).unwrap_or(0);
        HEADER + panels * balance::HEIGHT + balance::names_height(&self.names(), LEFT_WIDTH)
    }

    fn right_height(&self) -> i32 {
        let panels = i32::try_from(self.comparison.study.scenarios.len()).unwrap_or(0);
        HEADER + panels * movement::height(self.comparison.findings.len())
    }

    fn header<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        let study = self.comparison.study;
        let title = px.bold(20, HPos::Left, VPos::Center);
        area.draw_text(
            "Balance of keys, and keys moved by a change",
            &title,
            px.at(MARGIN, 26),
        )?;
        let settings = &study.settings;
        let subtitle = format!(
            "{} nodes ({}), {} keys ({}); {}, {} points per unit of weight",
            thousands(study.nodes.len()),
            shortened(self.comparison.fleet, 40),
            thousands(study.keys.len()),
            shortened(self.comparison.keys, 40),
            settings.hash.unwrap_or_default(),
            settings.points_or_default(),
        );
        let style = px.text(13, FAINT, HPos::Left, VPos::Center);
        area.draw_text(&subtitle, &style, px.at(MARGIN, 52))?;

        let mut x = MARGIN + LEFT_WIDTH + 128;
        for (colour, label, width) in [
            (BLUE, "needed", 90),
            (VERMILION, "needless: the change does not ask for it", 240),
        ] {
            let square = [px.at(x, 66), px.at(x + 12, 78)];
            area.draw(&Rectangle::new(square, colour.filled()))?;
            let style = px.text(13, super::style::INK, HPos::Left, VPos::Center);
            area.draw_text(label, &style, px.at(x + 18, 72))?;
            x += width;
        }
        Ok(())
    }
}

impl Figure for ComparisonFigure<'_> {
    fn size(&self) -> (u32, u32) {
        let width = 2 * MARGIN + LEFT_WIDTH + RIGHT_WIDTH;
        let height = self.left_height().max(self.right_height()) + MARGIN;
        (width.unsigned_abs(), height.unsigned_abs())
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>, px: Pixels) -> Drawn<B> {
        self.header(area, px)?;
        let part = |x: i32, y: i32, width: i32, height: i32| {
            area.clone().shrink(
                px.at(x, y),
                (px.of(width).unsigned_abs(), px.of(height).unsigned_abs()),
            )
        };
        let loads = self
            .balances
            .iter()
            .map(|(_, balance)| balance.max_over_mean);
        let highest = loads.fold(1.0, f64::max) * 1.1;
        let mut y = HEADER;
        for (title, balance) in &self.balances {
            let panel = BalancePanel {
                title: title.clone(),
                balance,
                weights: &self.weights,
                highest,
            };
            let place = part(MARGIN, y, LEFT_WIDTH, balance::HEIGHT);
            panel.draw(&place, LEFT_WIDTH, px)?;
            y += balance::HEIGHT;
        }
        let names = self.names();
        let place = part(
            MARGIN,
            y,
            LEFT_WIDTH,
            balance::names_height(&names, LEFT_WIDTH),
        );
        balance::draw_names(&place, &names, LEFT_WIDTH, px)?;

        let study = self.comparison.study;
        let height = movement::height(self.comparison.findings.len());
        for (number, scenario) in study.scenarios.iter().enumerate() {
            let panel = MovementPanel {
                scenario,
                number,
                findings: self.comparison.findings,
                keys: study.keys.len() as u64,
            };
            let y = HEADER + height * i32::try_from(number).unwrap_or(0);
            let place = part(MARGIN + LEFT_WIDTH, y, RIGHT_WIDTH, height);
            panel.draw(&place, RIGHT_WIDTH, px)?;
        }
        Ok(())
    }
}
