//! [`Exact`]: the capacity of the paper, in integers.

use alloc::string::ToString;

use keyroute_core::{Description, RouteError};

use crate::{CapacityRule, Demand, NoOverflow};

/// The largest ε of [`Exact`], in thousandths: 1000.0. A node may then hold 1001 times its fair share.
pub const MAX_EPSILON_THOUSANDTHS: u32 = 1_000_000;

const ONE: u32 = 1000;

/// ⌈(1 + ε)(m + 1) · w ÷ W⌉ for the load after m others, on a node of weight w of W: at most ε over
/// its fair share, rounded up.
///
/// In integers throughout, ε in thousandths. Feasible: the capacities add up to at least
/// (1 + ε)(m + 1), which is more than m.
///
/// Since capacities are whole numbers, a small ε acts only where nodes hold many loads:
/// [`effective_epsilon`](crate::Bounded::effective_epsilon) tells.
///
/// Source: Mirrokni, Thorup and Zadimoghaddam, *Consistent Hashing with Bounded Loads*, 2016 (the
/// simple form).
///
/// ```
/// use keyroute_bounded::{CapacityRule, Demand, Exact};
///
/// let rule = Exact::new(100)?; // ε = 0.1
/// let capacity = |total| rule.capacity(&Demand::new(total, 4, 1, 4));
/// assert_eq!([0, 3, 39, 399].map(capacity), [1, 2, 11, 110]);
/// assert!(Exact::new(0).is_err());
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Record", into = "Record"))]
pub struct Exact {
    thousandths: u32,
}

impl Exact {
    /// The rule with this ε, in thousandths: 250 is 0.25.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] unless it is from 1 to [`MAX_EPSILON_THOUSANDTHS`].
    pub fn new(thousandths: u32) -> Result<Self, RouteError> {
        if thousandths == 0 || thousandths > MAX_EPSILON_THOUSANDTHS {
            return Err(RouteError::Parameter {
                name: "epsilon, in thousandths,",
                given: thousandths.to_string(),
                accepted: "1 to 1000000 (0.001 to 1000)",
            });
        }
        Ok(Self { thousandths })
    }

    /// ε, in thousandths.
    #[must_use]
    pub fn thousandths(self) -> u32 {
        self.thousandths
    }
}

impl CapacityRule for Exact {
    type Overflow = NoOverflow;

    #[inline]
    fn capacity(&self, demand: &Demand) -> u64 {
        self.narrow(demand).unwrap_or_else(|| self.wide(demand))
    }

    fn describe(&self, to: &mut Description) {
        to.field("capacity", "exact");
        to.field("epsilon_thousandths", self.thousandths);
    }
}

impl Exact {
    /// The capacity, where all numbers on the way fit into 64 bits: no processor divides more.
    #[inline]
    fn narrow(self, demand: &Demand) -> Option<u64> {
        let share = u64::from(ONE + self.thousandths)
            .checked_mul(demand.total.checked_add(1)?)?
            .checked_mul(demand.weight)?;
        let whole = u64::from(ONE).checked_mul(demand.total_weight.max(1))?;
        Some(share.div_ceil(whole))
    }

    /// The capacity, whatever the demand.
    #[cold]
    fn wide(self, demand: &Demand) -> u64 {
        // At most 2^20 × 2^64 × 2^32 for the weights that nodes have.
        let share = u128::from(ONE + self.thousandths)
            .saturating_mul(u128::from(demand.total) + 1)
            .saturating_mul(demand.weight.into());
        let whole = u128::from(ONE) * u128::from(demand.total_weight.max(1));
        u64::try_from(share.div_ceil(whole)).unwrap_or(u64::MAX)
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Exact", deny_unknown_fields)]
struct Record {
    epsilon_thousandths: u32,
}

#[cfg(feature = "serde")]
impl From<Exact> for Record {
    fn from(rule: Exact) -> Self {
        Self {
            epsilon_thousandths: rule.thousandths,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Record> for Exact {
    type Error = RouteError;

    fn try_from(record: Record) -> Result<Self, RouteError> {
        Self::new(record.epsilon_thousandths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_64_bits_and_in_128_capacities_are_the_same() {
        // Around the bound, and both sides of it.
        let numbers = (0..64).flat_map(|bits| [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1]);
        let (mut narrow, mut wide) = (0, 0);
        for rule in [1, 250, MAX_EPSILON_THOUSANDTHS].map(|it| Exact::new(it).unwrap()) {
            for total in numbers.clone().chain([u64::MAX - 1, u64::MAX]) {
                for (weight, total_weight) in
                    [(0, 0), (1, 1), (3, 7), (1000, 999_983), (5, u64::MAX)]
                {
                    let demand = Demand::new(total, 3, weight, total_weight);
                    match rule.narrow(&demand) {
                        Some(capacity) => {
                            assert_eq!(capacity, rule.wide(&demand), "{rule:?} {demand:?}");
                            narrow += 1;
                        }
                        None => wide += 1,
                    }
                    assert_eq!(rule.capacity(&demand), rule.wide(&demand));
                }
            }
        }
        assert!(narrow > 1000 && wide > 100, "{narrow} {wide}");
    }
}
