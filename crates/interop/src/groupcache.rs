//! `golang/groupcache`'s `consistenthash`.

use keyroute_core::{AtOrAfter, LastListed};

use crate::{LabelRule, Labels};

/// groupcache's `consistenthash.Map`: point i of a node is the hash of `{i}{node}`, i in decimal from 0; the
/// first point at or after the key's hash owns it.
///
/// The hash is the caller's, by default [`Crc32`](crate::hash::Crc32); the HTTP pool has 50 replicas. The
/// label is ambiguous where names begin with a digit (`111.2.3.4` is point 11 of `1.2.3.4` and point 1 of
/// `11.2.3.4`): the node added last owns a shared point, so **the order of adding decides**. A node
/// that is added again becomes the last: remove and add it. The original has no removal.
///
/// All other laws of rings are kept; cost as [`VectorRing`](keyroute_vector_ring::VectorRing).
///
/// Source: `consistenthash/consistenthash.go` at commit 2c02b82.
///
/// ```
/// use keyroute_interop::{Groupcache, hash::Crc32};
///
/// let peers = Groupcache::ring(Crc32, 50, ["1.2.3.4:80", "11.2.3.4:80"])?;
/// assert_eq!(peers.route_id(b"271.2.3.4:80").unwrap(), "1.2.3.4:80");
/// assert_eq!(peers.route_id(b"111.2.3.4:80").unwrap(), "11.2.3.4:80"); // a shared point: the last
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type Groupcache<H> = Labels<GroupcacheRule, H>;

/// The rule of [`Groupcache`].
#[derive(Clone, Copy, Debug)]
pub struct GroupcacheRule;

impl LabelRule for GroupcacheRule {
    const NAME: &'static str = "groupcache/1";
    const LABEL: &'static str = "{i}{node}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = LastListed;
}
