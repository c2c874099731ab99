#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod next_points;
mod probed_points;
mod scheme;

pub use probed_points::ProbedPoints;
pub use scheme::MultiProbeScheme;

pub use keyroute_core::*;

keyroute_core::named_ring! {
    /// Multi-probe consistent hashing, in [`ProbedPoints`]; [`MultiProbeScheme`] says where points and probes
    /// stand.
    ///
    /// | | cost, n nodes of weight 1, K probes |
    /// | --- | --- |
    /// | lookup | O(K): one hash, K readings of two numbers; beyond 256 points K searches of an index entry and eight points |
    /// | first k of the walk | K searches, then at most k × K steps of K comparisons each |
    /// | add, remove, reweight | O(n): one pass over the arrays |
    /// | build | O(n) |
    /// | memory | over 64-bit positions 12 bytes a node, up to 256 points 156 to 300, and the members |
    ///
    /// ```
    /// use keyroute_multi_probe::{MultiProbe, Node};
    ///
    /// let mut router = MultiProbe::from_ids(["cache-1", "cache-2"])?;
    /// let before = router.route_id(b"user:1").cloned();
    /// router.add(Node::new("cache-3")?)?;
    /// let after = router.route_id(b"user:1").cloned();
    /// assert!(after == before || after.unwrap() == "cache-3");
    /// # Ok::<(), keyroute_multi_probe::RouteError>(())
    /// ```
    ///
    /// Nodes own no arcs, so there are no ranges:
    ///
    /// ```compile_fail,E0599
    /// use keyroute_multi_probe::{MultiProbe, Ranges};
    ///
    /// MultiProbe::from_ids(["a", "b"]).unwrap().ranges();
    /// ```
    pub struct MultiProbe<S = MultiProbeScheme>(ProbedPoints<S::Position>);
}

impl<H: KeyHasher> MultiProbe<MultiProbeScheme<H>> {
    /// No nodes; keys and ids are hashed with this function, 21 probes a key.
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        Self::with_scheme(MultiProbeScheme::new(hasher))
    }
}
