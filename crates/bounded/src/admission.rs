//! [`Admission`]: when a node takes one more load.

/// Whether a node that holds so many loads takes one more.
pub trait Admission {
    /// The test's name in descriptions.
    const NAME: &'static str;

    /// Whether a node that holds `held` loads, under this capacity, takes another.
    fn admits(held: u64, capacity: u64) -> bool;
}

/// A node takes loads while it holds less than its capacity: the capacity is the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Below;

impl Admission for Below {
    const NAME: &'static str = "below";

    fn admits(held: u64, capacity: u64) -> bool {
        held < capacity
    }
}

/// A node takes a load even at its capacity, as Envoy does: the limit is the capacity and one.
///
/// ```
/// use keyroute_bounded::{AtOrBelow, Bounded, Exact};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b"])?;
/// let router = Bounded::new(ring, Exact::new(250)?).with_admission(AtOrBelow);
/// let lease = router.acquire(b"hot");
/// let second = router.acquire(b"hot");
/// assert_eq!(second.map(|it| (it.load(), it.capacity())), Some((2, 2)));
/// # Ok::<(), keyroute_bounded::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AtOrBelow;

impl Admission for AtOrBelow {
    const NAME: &'static str = "at or below";

    fn admits(held: u64, capacity: u64) -> bool {
        held <= capacity
    }
}
