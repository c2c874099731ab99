//! What a command can come to: [`Outcome`] or [`CliError`].

use std::io;
use std::process::ExitCode;

use keyroute::RouteError;

/// How a command that ran to its end answers the question it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, or yes: exit code 0.
    Done,
    /// Done, and the two sides differ: exit code 1.
    Differs,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Differs => Self::from(1),
        }
    }
}

/// Why a command could not run to its end: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A router refused.
    #[error(transparent)]
    Route(#[from] RouteError),
    /// Anything else, said in full.
    #[error("{0}")]
    Input(String),
}

impl CliError {
    /// An error about this file or argument.
    pub(crate) fn at(place: impl std::fmt::Display, problem: impl std::fmt::Display) -> Self {
        Self::Input(format!("{place}: {problem}"))
    }
}
