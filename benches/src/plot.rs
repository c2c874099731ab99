//! Cost curves, as SVG that is readable on light and dark pages.

use std::fmt::Write as _;

/// One curve.
#[derive(Clone, Debug)]
pub struct Curve {
    /// What is written at its end.
    pub name: String,
    /// Curves of one colour belong together.
    pub colour: usize,
    /// Another's crate is dashed.
    pub is_dashed: bool,
    /// Nodes and nanoseconds.
    pub points: Vec<(f64, f64)>,
}

/// On light pages, and on dark ones.
const COLOURS: [[&str; 2]; 9] = [
    ["#0072b2", "#56b4e9"],
    ["#d55e00", "#ff9f4a"],
    ["#007a5a", "#2fc79b"],
    ["#a3417f", "#e39bc8"],
    ["#8a6d00", "#e6c84a"],
    ["#5b5bd6", "#a5a5ff"],
    ["#b3261e", "#ff8a80"],
    ["#57606a", "#9aa4ae"],
    ["#6b4226", "#c8956c"],
];

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 640.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 56.0;
/// Between the labels of curves.
const LINE: f64 = 17.0;

/// Both axes in powers of ten.
struct Axes {
    x: [i32; 2],
    y: [i32; 2],
}

impl Axes {
    fn around(curves: &[Curve]) -> Self {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let powers = |values: Vec<f64>| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            [power(least.log10().floor()), power(most.log10().ceil())]
        };
        Self {
            x: powers(points().map(|p| p.0).collect()),
            y: powers(points().map(|p| p.1).collect()),
        }
    }

    fn x(&self, nodes: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * share(nodes, self.x)
    }

    fn y(&self, nanoseconds: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share(nanoseconds, self.y)
    }
}

fn share(value: f64, [least, most]: [i32; 2]) -> f64 {
    (value.log10() - f64::from(least)) / f64::from(most - least)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a logarithm of a number of nodes or nanoseconds"
)]
fn power(logarithm: f64) -> i32 {
    logarithm as i32
}

/// Draws the curves under this title.
#[must_use]
pub fn draw(title: &str, curves: &[Curve]) -> String {
    let axes = Axes::around(curves);
    let mut out = String::new();
    style(&mut out);
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        r#"<text x="{LEFT}" y="24" class="title">{title}</text>"#
    );
    grid(&mut out, &axes);
    let labels = labels(curves, &axes);
    for (curve, label) in curves.iter().zip(labels) {
        draw_curve(&mut out, curve, &axes, label);
    }
    out.push_str("</svg>\n");
    out
}

fn style(out: &mut String) {
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">"#
    );
    let rules = |page: usize, ink: &str, line: &str| {
        let mut rules =
            format!("text {{ fill: {ink} }} .title {{ font-weight: bold; font-size: 15px }} ");
        let _ = write!(
            rules,
            ".grid {{ stroke: {line} }} polyline {{ fill: none; stroke-width: 2 }} "
        );
        for (index, colour) in COLOURS.iter().enumerate() {
            let colour = colour[page];
            let _ = write!(
                rules,
                ".c{index} {{ stroke: {colour} }} text.c{index} {{ fill: {colour}; stroke: none }} "
            );
        }
        rules
    };
    let _ = writeln!(
        out,
        "<style>\n{}\n@media (prefers-color-scheme: dark) {{\n{}\n}}\n</style>",
        rules(0, "#222b33", "#d9dee3"),
        rules(1, "#dfe5ea", "#3a434c"),
    );
}

fn grid(out: &mut String, axes: &Axes) {
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    for power in axes.x[0]..=axes.x[1] {
        let value = 10_f64.powi(power);
        let x = axes.x(value);
        let _ = writeln!(
            out,
            r#"<line class="grid" x1="{x:.1}" y1="{TOP}" x2="{x:.1}" y2="{bottom}"/>"#
        );
        let y = bottom + 20.0;
        let _ = writeln!(
            out,
            r#"<text x="{x:.1}" y="{y}" text-anchor="middle">{value}</text>"#
        );
    }
    for power in axes.y[0]..=axes.y[1] {
        let value = 10_f64.powi(power);
        let y = axes.y(value);
        let _ = writeln!(
            out,
            r#"<line class="grid" x1="{LEFT}" y1="{y:.1}" x2="{right}" y2="{y:.1}"/>"#
        );
        let (x, y) = (LEFT - 8.0, y + 4.0);
        let _ = writeln!(
            out,
            r#"<text x="{x}" y="{y:.1}" text-anchor="end">{value}</text>"#
        );
    }
    let (x, y) = (f64::midpoint(LEFT, right), HEIGHT - 14.0);
    let _ = writeln!(
        out,
        r#"<text x="{x}" y="{y}" text-anchor="middle">nodes</text>"#
    );
    let y = TOP - 8.0;
    let _ = writeln!(
        out,
        r#"<text x="{LEFT}" y="{y}" text-anchor="end">ns a key</text>"#
    );
}

/// The heights of the labels: where curves end, moved apart.
fn labels(curves: &[Curve], axes: &Axes) -> Vec<f64> {
    let end = |curve: &Curve| curve.points.last().map_or(HEIGHT, |&(_, y)| axes.y(y));
    let mut order: Vec<(usize, f64)> = curves.iter().map(end).enumerate().collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    // From above each at least a line below the last; then from below, so that none leaves the picture.
    let mut last = TOP - LINE;
    for (_, y) in &mut order {
        *y = y.max(last + LINE);
        last = *y;
    }
    let mut next = HEIGHT - BOTTOM + LINE;
    for (_, y) in order.iter_mut().rev() {
        *y = y.min(next - LINE);
        next = *y;
    }
    let mut heights = vec![0.0; curves.len()];
    for (index, y) in order {
        heights[index] = y;
    }
    heights
}

fn draw_curve(out: &mut String, curve: &Curve, axes: &Axes, label: f64) {
    let class = curve.colour % COLOURS.len();
    let dash = if curve.is_dashed {
        r#" stroke-dasharray="5 4""#
    } else {
        ""
    };
    let points: String = curve
        .points
        .iter()
        .map(|&(x, y)| format!("{:.1},{:.1} ", axes.x(x), axes.y(y)))
        .collect();
    let _ = writeln!(
        out,
        r#"<polyline class="c{class}"{dash} points="{}"/>"#,
        points.trim_end()
    );
    let Some(&(x, y)) = curve.points.last() else {
        return;
    };
    // To the label, thinly.
    let (x, y, edge) = (axes.x(x), axes.y(y), WIDTH - RIGHT + 14.0);
    let _ = writeln!(
        out,
        r#"<line class="c{class}" stroke-width="0.5" x1="{x:.1}" y1="{y:.1}" x2="{edge}" y2="{label:.1}"/>"#
    );
    let (x, y, name) = (edge + 4.0, label + 4.0, &curve.name);
    let _ = writeln!(
        out,
        r#"<text class="c{class}" x="{x}" y="{y:.1}">{name}</text>"#
    );
}

#[cfg(test)]
mod tests {
    use super::{Axes, Curve, LINE, draw, labels};

    fn curve(name: &str, last: f64) -> Curve {
        Curve {
            name: name.to_owned(),
            colour: 0,
            is_dashed: false,
            points: vec![(3.0, 5.0), (1_000.0, last)],
        }
    }

    #[test]
    fn labels_keep_apart_in_the_order_of_the_curves() {
        let curves = [
            curve("low", 10.0),
            curve("high", 11.0),
            curve("higher", 5_000.0),
        ];
        let heights = labels(&curves, &Axes::around(&curves));
        assert!(
            heights[2] + LINE <= heights[1] && heights[1] + LINE <= heights[0] + 1e-9,
            "{heights:?}"
        );
        let svg = draw("Cost", &curves);
        assert!(svg.contains(">higher</text>") && svg.ends_with("</svg>\n"));
    }
}
