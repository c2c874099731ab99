//! Pictures of comparisons: SVG or PNG, with a font that comes with the program.

mod balance;
mod canvas;
mod comparison;
mod flows;
mod movement;
mod points;
mod style;

pub(crate) use canvas::PlotFile;
pub(crate) use comparison::{ComparisonFigure, MAX_CHANGES};
pub(crate) use flows::FlowFigure;
pub(crate) use points::PointsFigure;
