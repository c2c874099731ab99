//! [`Epsilon`]: ε as people write it, held exactly.

use std::fmt;
use std::str::FromStr;

/// ε in thousandths: 1 to 1,000,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Epsilon(pub u32);

/// A quarter over the fair share.
impl Default for Epsilon {
    fn default() -> Self {
        Self(250)
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

impl FromStr for Epsilon {
    type Err = String;

    /// A decimal number with at most three digits after the point, read exactly.
    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || {
            format!("epsilon {text:?}: give a decimal number from 0.001 to 1000 in steps of 0.001")
        };
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > 3 {
            return Err(refuse());
        }
        let whole: u32 = whole.parse().map_err(|_| refuse())?;
        let decimals: u32 = format!("{decimals:0<3}").parse().map_err(|_| refuse())?;
        match whole
            .checked_mul(1000)
            .and_then(|whole| whole.checked_add(decimals))
        {
            Some(thousandths @ 1..=1_000_000) => Ok(Self(thousandths)),
            _ => Err(refuse()),
        }
    }
}
