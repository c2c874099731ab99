//! [`Inputs`]: how much is drawn, and from which seed.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::{Verdict, Violation};

/// How many cases laws draw, and from which seed.
///
/// The default is fixed, so a suite that passed passes again. `KEYROUTE_CASES` and `KEYROUTE_SEED`
/// change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How many cases each law draws, 1 or more.
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

    /// Holds a law to everything that is drawn, and reports the smallest input found that breaks it.
    ///
    /// For laws of your own, over the [generators](crate::generators) or other strategies:
    ///
    /// ```
    /// use keyroute_conformance::{Inputs, Violation, generators};
    ///
    /// Inputs::default().each(generators::ids(), |id| match id.as_bytes().len() {
    ///     1..=4096 => Ok(()),
    ///     length => Err(Violation::new(format!("{id:?} has {length} bytes"))),
    /// })?;
    /// # Ok::<(), Violation>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The law's violation, with the input and the seed.
    pub fn each<S: Strategy>(&self, drawn: S, law: impl Fn(&S::Value) -> Verdict) -> Verdict {
        if self.cases == 0 {
            // Every law would hold.
            return Err(Violation::new("0 cases: ask for 1 or more"));
        }
        let config = Config {
            cases: self.cases,
            failure_persistence: None,
            max_shrink_iters: self.shrinks,
            ..Config::default()
        };
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        TestRunner::new_with_rng(config, rng)
            .run(&drawn, |input| {
                let verdict = caught(|| law(&input));
                verdict.map_err(|violation| TestCaseError::fail(violation.what().to_owned()))
            })
            .map_err(|error| match error {
                TestError::Fail(what, input) => {
                    Violation::new(what.message()).shown_by(format_args!("{input:?}\n{self}"))
                }
                TestError::Abort(why) => Violation::new(format!("nothing could be drawn: {why}")),
            })
    }
}

/// A law that panics is broken by what it panics under.
fn caught(law: impl FnOnce() -> Verdict) -> Verdict {
    catch_unwind(AssertUnwindSafe(law)).unwrap_or_else(|payload| {
        let words = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied());
        Err(Violation::new(format!(
            "panicked: {}",
            words.unwrap_or("without words")
        )))
    })
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
