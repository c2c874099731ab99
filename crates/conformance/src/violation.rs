//! [`Violation`]: how a router breaks a law.

use std::fmt;

use keyroute_core::RouteError;

/// What a law says of a router: nothing, or how it is broken.
pub type Verdict = Result<(), Violation>;

/// How a router breaks a law: one key or node and the difference, then the input that showed it.
///
/// ```
/// use keyroute_conformance::Violation;
///
/// let violation = Violation::new("key \"k\" moved from \"a\" to \"b\"");
/// assert_eq!(violation.to_string(), "key \"k\" moved from \"a\" to \"b\"");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Violation {
    what: String,
    input: Option<String>,
}

impl Violation {
    /// A violation in these words.
    #[must_use]
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            input: None,
        }
    }

    /// The same violation, shown by this input.
    #[must_use]
    pub fn shown_by(mut self, input: impl fmt::Display) -> Self {
        self.input = Some(input.to_string());
        self
    }

    /// The key or node and the difference, without the input.
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }
}

/// A refusal where the law expects an answer.
impl From<RouteError> for Violation {
    fn from(error: RouteError) -> Self {
        Self::new(format!("refused: {error}"))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.input {
            Some(input) => write!(f, "\n{input}"),
            None => Ok(()),
        }
    }
}

// Test output shows errors by `Debug`.
impl fmt::Debug for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Violation {}

/// Leaves the law with a violation in these words unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($words:tt)+) => {
        if $condition {
        } else {
            return Err($crate::Violation::new(format!($($words)+)));
        }
    };
}

pub(crate) use ensure;
