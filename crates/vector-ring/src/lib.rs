#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod batch;
mod below;
mod build;
mod change;
mod index;
mod owners;
mod rounds;
mod search;
mod sorted_points;

pub use sorted_points::SortedPoints;

pub use keyroute_core::*;

keyroute_core::named_ring! {
    /// A consistent-hashing ring in a sorted array.
    ///
    /// | | cost, n nodes of V points |
    /// | --- | --- |
    /// | lookup | O(1): one hash, one entry of an index, eight consecutive points |
    /// | many lookups | the same, and their waits for memory overlap |
    /// | add, remove, reweight | O(nV): one pass over the arrays, in whole runs |
    /// | build | O(nV): points are dealt into chunks of a thousand, and the chunks sorted digit by digit |
    /// | memory | 11.5 bytes a point over 64-bit positions, 7.5 over 32-bit ones, the index among them; from 65,536 nodes on two more |
    ///
    /// Where positions crowd (of a bad hash, or of one cut short) lookup and build fall back to O(log nV) and
    /// O(nV log nV). [`SortedPoints`] draws how it all lies in memory.
    ///
    /// ```
    /// use keyroute_vector_ring::{Node, VectorRing};
    ///
    /// let mut ring = VectorRing::from_ids(["cache-1", "cache-2"])?;
    /// let before = ring.route_id(b"user:1").cloned();
    /// ring.add(Node::new("cache-3")?)?;
    /// let after = ring.route_id(b"user:1").cloned();
    /// assert!(after == before || after.unwrap() == "cache-3");
    /// # Ok::<(), keyroute_vector_ring::RouteError>(())
    /// ```
    pub struct VectorRing<S = DefaultScheme>(SortedPoints<S::Position>);
}

keyroute_core::named_ring! {
    /// A ring that searches both ways: the nearest point serves a key, ahead of it or behind.
    ///
    /// Shares differ as on a ring of twice the points (a CV of 5.6 % for 160, not 7.9 %), in the same memory.
    /// The price is the lookup, which takes 1.7 to 2.6 times as long as [`VectorRing`]'s (the barometer of
    /// `benches`, 10 to 1,000 nodes): it reads the point behind the key too, and whole positions. Everything else is
    /// [`VectorRing`]'s: any node may join, leave or change its weight, walks keep the restriction property, nodes own
    /// ranges. Answers are not: its description says `lookup`: `nearest`.
    ///
    /// It is the native scheme under [`Nearest`]. Other hashers and numbers of points:
    ///
    /// ```
    /// use keyroute_vector_ring::{Native, Nearest, TwoSidedRing, WithLookup, hash::Xxh3};
    ///
    /// let ring = TwoSidedRing::from_ids(["cache-1", "cache-2"])?;
    /// assert!(ring.route(b"user:1").is_some());
    ///
    /// let scheme = WithLookup::new(Native::new(Xxh3).with_points_per_weight(80)?, Nearest);
    /// let ring = TwoSidedRing::from_ids_with(scheme, ["cache-1", "cache-2"])?;
    /// assert_eq!(ring.points(), 160);
    /// # Ok::<(), keyroute_vector_ring::RouteError>(())
    /// ```
    pub struct TwoSidedRing<S = WithLookup<DefaultScheme, Nearest>>(SortedPoints<S::Position>);
}

impl<H: KeyHasher> VectorRing<Native<H>> {
    /// An empty ring of the native scheme over this hasher.
    #[must_use]
    pub fn with_hasher(hasher: H) -> Self {
        Self::with_scheme(Native::new(hasher))
    }
}
