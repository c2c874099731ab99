//! [`Inputs`]: how much is drawn, and from which seed.

use std::fmt;
use std::str::FromStr;

use crate::Violation;

/// How many cases laws draw, and from which seed.
///
/// The default is fixed, so a suite that passed passes again. `KEYROUTE_CASES` and `KEYROUTE_SEED`
/// change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How many cases each law draws.
    pub cases: u32,
    /// The seed of everything drawn.
    pub seed: u64,
    /// How often a case that breaks a law is made smaller, at most.
    pub shrinks: u32,
}

impl Default for Inputs {
    fn default() -> Self {
        Self {
            cases: 64,
            seed: 1,
            shrinks: 5000,
        }
    }
}

impl Inputs {
    /// The default, as changed by the environment.
    ///
    /// # Errors
    ///
    /// A violation that names the variable which is not a whole number.
    pub fn from_env() -> Result<Self, Violation> {
        let mut inputs = Self::default();
        if let Some(cases) = number("KEYROUTE_CASES")? {
            inputs.cases = cases;
        }
        if let Some(seed) = number("KEYROUTE_SEED")? {
            inputs.seed = seed;
        }
        Ok(inputs)
    }
}

fn number<N: FromStr>(name: &str) -> Result<Option<N>, Violation> {
    let Some(text) = std::env::var_os(name) else {
        return Ok(None);
    };
    match text.to_str().and_then(|text| text.parse().ok()) {
        Some(number) => Ok(Some(number)),
        None => Err(Violation::new(format!(
            "{name} is {text:?}: give a whole number"
        ))),
    }
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "drawn with KEYROUTE_SEED={} KEYROUTE_CASES={}",
            self.seed, self.cases
        )
    }
}
