//! What a check comes to: [`Report`], [`Difference`], [`Unusable`].

use serde::Serialize;
use serde_json::{Map, Value};

/// How many differences a report shows; the others are counted.
pub const SHOWN: usize = 5;

/// A file's answers beside ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The system whose answers were recorded.
    pub system: String,
    /// How many answers were compared: cases, and what else the file says of the run.
    pub checks: u64,
    /// How many of them agree.
    pub agree: u64,
    /// The first that differ, at most [`SHOWN`].
    pub differences: Vec<Difference>,
}

impl Report {
    pub(crate) fn new(system: &str) -> Self {
        Self {
            system: system.into(),
            checks: 0,
            agree: 0,
            differences: Vec::new(),
        }
    }

    /// Whether all answers agree. There is at least one.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.agree == self.checks
    }

    /// Compares one recorded answer with the computed one.
    pub(crate) fn check(
        &mut self,
        what: impl FnOnce() -> String,
        expected: &Value,
        computed: &Value,
    ) {
        self.checks += 1;
        if same(expected, computed) {
            self.agree += 1;
        } else if self.differences.len() < SHOWN {
            self.differences.push(Difference {
                what: what(),
                expected: expected.clone(),
                computed: computed.clone(),
            });
        }
    }
}

/// Whether two answers are one. Originals write "no owner" as an empty text or as null, and may leave
/// out a count of 0.
fn same(expected: &Value, computed: &Value) -> bool {
    let none = |answer: &Value| answer.is_null() || answer == "";
    if let (Value::Object(expected), Value::Object(computed)) = (expected, computed) {
        let mut names = expected.keys().chain(computed.keys());
        let counted = |object: &Map<String, Value>, name: &String| {
            object.get(name).cloned().unwrap_or_else(|| 0.into())
        };
        return names.all(|name| counted(expected, name) == counted(computed, name));
    }
    expected == computed || none(expected) && none(computed)
}

/// A recorded answer that is not ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Which: the case with its key, or the fact of the run.
    pub what: String,
    /// What the file says.
    pub expected: Value,
    /// What we compute.
    pub computed: Value,
}

/// Why a file cannot be checked: unreadable, malformed, of a system or with a setting that we do not
/// know, or without a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub(crate) String);

impl Unusable {
    pub(crate) fn new(problem: impl ToString) -> Self {
        Self(problem.to_string())
    }

    /// The same problem, its place in front.
    pub(crate) fn at(self, place: impl std::fmt::Display) -> Self {
        Self(format!("{place}: {}", self.0))
    }
}

impl From<keyroute::RouteError> for Unusable {
    fn from(error: keyroute::RouteError) -> Self {
        Self::new(error)
    }
}
