//! `seed003-hashring`: a key–value article's ring.

use keyroute_core::{AtOrAfter, ById};

use crate::{LabelRule, Labels};

/// `hxzhouh/blog-example`'s `HashRing`: labels `{id}-{i}`, i in decimal from 0, 2048 of them, under
/// [`Crc32`](crate::hash::Crc32); the first point at or after the key's hash owns it.
///
/// The original keeps equal points of two nodes and leaves it to an unstable sort which is found. **No rule can be
/// stated for that**, so it is the native one here: the lower id. All laws of rings are kept.
///
/// Source: `Distributed/consistent_hashing/chash/hash_ring.go` at commit bb85938.
///
/// ```
/// use keyroute_interop::{hash::Crc32, seeds::HashRing};
///
/// let ring = HashRing::ring(Crc32, HashRing::<Crc32>::POINTS, ["Node0", "Node1", "Node2"])?;
/// assert_eq!(ring.route_id(b"user:0:session").unwrap(), "Node2");
/// assert_eq!(ring.route_id(b"Node1-100").unwrap(), "Node1"); // on its point
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type HashRing<H> = Labels<HashRingRule, H>;

impl<H> HashRing<H> {
    /// The original's constant.
    pub const POINTS: u32 = 2048;
}

/// The rule of [`HashRing`].
#[derive(Clone, Copy, Debug)]
pub struct HashRingRule;

impl LabelRule for HashRingRule {
    const NAME: &'static str = "seed003-hashring/1";
    const LABEL: &'static str = "{node}-{i}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = ById;
}
