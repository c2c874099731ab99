//! [`CapacityRule`]: how many loads a node may hold.

use keyroute_core::Description;

use crate::Overflow;

/// How many loads a node may hold when one more is placed.
///
/// Shipped are [`Exact`](crate::Exact) (the default) and
/// [`TruncatedAverage`](crate::TruncatedAverage); proxies and libraries in the field have others, and
/// no two agree.
///
/// A rule says by type whether it is *feasible*, that is, whether some node always holds less than
/// its capacity: its [`Overflow`](Self::Overflow) is then [`NoOverflow`](crate::NoOverflow). A rule that
/// rounds down may admit nobody, and names who takes the load then.
///
/// Implementors: the answer depends on the rule and the [`Demand`] alone. Declare `NoOverflow` only if
/// the capacities of all nodes add up to more than `demand.total`, for every demand.
///
/// ```
/// use keyroute_bounded::{Bounded, CapacityRule, Demand, Description, ToLeastLoaded};
/// use keyroute_vector_ring::VectorRing;
///
/// /// At most so many loads on every node, however many there are.
/// struct AtMost(u64);
///
/// impl CapacityRule for AtMost {
///     type Overflow = ToLeastLoaded; // not feasible: all nodes can be full
///
///     fn capacity(&self, _demand: &Demand) -> u64 {
///         self.0
///     }
///     fn describe(&self, to: &mut Description) {
///         to.field("capacity", format!("at most {}", self.0));
///     }
/// }
///
/// let router = Bounded::new(VectorRing::from_ids(["a", "b"])?, AtMost(1));
/// let leases: Vec<_> = (0..3).filter_map(|_| router.acquire(b"hot")).collect();
/// assert_ne!(leases[0].node(), leases[1].node());
/// assert!(leases[2].is_overflow());
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
pub trait CapacityRule {
    /// What happens when a whole lap admits nobody.
    type Overflow: Overflow;

    /// The most loads that the node may hold, the one being placed included.
    fn capacity(&self, demand: &Demand) -> u64;

    /// Says the rule as the field `capacity`, and its parameters.
    fn describe(&self, to: &mut Description);
}

/// What a node's capacity is computed from.
///
/// ```
/// use keyroute_bounded::{CapacityRule, Demand, Exact};
///
/// // 30 loads on three equal nodes, and one more to place: 1.25 × 31 ÷ 3, rounded up.
/// assert_eq!(Exact::new(250)?.capacity(&Demand::new(30, 3, 1, 3)), 13);
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Demand {
    /// The loads that all nodes hold together, without the one being placed.
    pub total: u64,
    /// How many nodes there are.
    pub nodes: u64,
    /// The weight of the node.
    pub weight: u64,
    /// The sum of all weights.
    pub total_weight: u64,
}

impl Demand {
    /// A demand of these numbers.
    #[must_use]
    pub fn new(total: u64, nodes: u64, weight: u64, total_weight: u64) -> Self {
        Self {
            total,
            nodes,
            weight,
            total_weight,
        }
    }
}
