//! [`TruncatedAverage`]: a capacity in floating point, as programs in the field compute it.

use alloc::string::ToString;

use keyroute_core::{Description, RouteError};

use crate::{CapacityRule, Demand, NoOverflow};

/// The largest ε of [`TruncatedAverage`].
pub const MAX_EPSILON: f64 = 1000.0;

/// ⌊(⌊m ÷ n⌋ + 1)(1 + ε)⌋ for the load after m others on n nodes, in double precision; weights are
/// ignored.
///
/// For systems that compute it so. Both divisions round down, so ε has no effect until nodes hold
/// about 1/ε loads each; [`Exact`](crate::Exact) is the native rule.
///
/// Feasible for every ε that is accepted: each capacity is over ⌊m ÷ n⌋, and one node at least holds
/// no more than that. The conversions are exact up to 2^53 loads.
///
/// ```
/// use keyroute_bounded::{CapacityRule, Demand, TruncatedAverage};
///
/// let rule = TruncatedAverage::new(0.1)?;
/// let capacity = |total| rule.capacity(&Demand::new(total, 4, 1, 4));
/// assert_eq!([0, 3, 35, 36, 400].map(capacity), [1, 1, 9, 11, 111]);
/// assert!(TruncatedAverage::new(-0.5).is_err());
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Record", into = "Record"))]
pub struct TruncatedAverage {
    epsilon: f64,
}

impl TruncatedAverage {
    /// The rule with this ε.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is a number from 0 to [`MAX_EPSILON`].
    pub fn new(epsilon: f64) -> Result<Self, RouteError> {
        // NaN is in no range.
        if !(0.0..=MAX_EPSILON).contains(&epsilon) {
            return Err(RouteError::Parameter {
                name: "epsilon",
                given: epsilon.to_string(),
                accepted: "0 to 1000",
            });
        }
        // −0 is 0, also when it is written.
        Ok(Self {
            epsilon: epsilon + 0.0,
        })
    }

    /// ε.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        self.epsilon
    }
}

impl CapacityRule for TruncatedAverage {
    type Overflow = NoOverflow;

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the rule is the truncation of a product that is not negative"
    )]
    fn capacity(&self, demand: &Demand) -> u64 {
        let average = demand.total / demand.nodes.max(1);
        (average.saturating_add(1) as f64 * (1.0 + self.epsilon)) as u64
    }

    fn describe(&self, to: &mut Description) {
        to.field("capacity", "truncated average");
        to.field("epsilon", self.epsilon);
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "TruncatedAverage", deny_unknown_fields)]
struct Record {
    epsilon: f64,
}

#[cfg(feature = "serde")]
impl From<TruncatedAverage> for Record {
    fn from(rule: TruncatedAverage) -> Self {
        Self {
            epsilon: rule.epsilon,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Record> for TruncatedAverage {
    type Error = RouteError;

    fn try_from(record: Record) -> Result<Self, RouteError> {
        Self::new(record.epsilon)
    }
}
