#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod tree_points;

pub use tree_points::TreePoints;

pub use keyroute_core::*;

keyroute_core::named_ring! {
    /// A consistent-hashing ring in an ordered map: the vector ring's answers, bit for bit.
    ///
    /// | | cost, n nodes of V points |
    /// | --- | --- |
    /// | lookup | O(log nV): one hash, one descent of the tree; 8 to 16 lookups of the vector ring at 10 to 1,000 nodes |
    /// | add, remove, reweight | O(V log nV) |
    /// | build | O(nV log nV) |
    /// | memory | about 21 bytes a point over 64-bit positions |
    ///
    /// ```
    /// use keyroute_btree_ring::{BTreeRing, Node};
    ///
    /// let mut ring = BTreeRing::from_ids(["cache-1", "cache-2"])?;
    /// ring.add(Node::new("cache-3")?)?;
    /// assert!(ring.route_id(b"user:1").is_some());
    /// # Ok::<(), keyroute_btree_ring::RouteError>(())
    /// ```
    pub struct BTreeRing<S = DefaultScheme>(TreePoints<S::Position>);
}

impl<H: KeyHasher> BTreeRing<Native<H>> {
    /// An empty ring of the native scheme over this hasher.
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        Self::with_scheme(Native::new(hasher))
    }
}
