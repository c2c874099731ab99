//! `seed000-reachcache`: the cache's ring.

use keyroute_core::{AtOrAfter, LastListed};

use crate::{LabelRule, Labels};

/// `vernmorn/reachcache`'s `consistenthash.Map`: labels `{node}-{i}`, i in decimal from 0; the first point at or
/// after the key's hash owns it. 50 points a node and [`Crc32`](crate::hash::Crc32) unless told otherwise.
///
/// The node added last owns a shared point. Removing that node gives it to the other; **the original keeps
/// such a point without an owner, and panics** on its keys. A node that is added again becomes the last, and the
/// empty key and empty names are nobody's there: callers leave them out. Its rebalancing locks up, and
/// is not here.
///
/// Laws of rings are kept but that the order of adding decides shared points.
///
/// Source: `consistenthash/consistenthash.go`, v0.0.2 to v0.1.1.
///
/// ```
/// use keyroute_interop::{hash::Crc32, seeds::Reachcache};
///
/// let ring = Reachcache::ring(Crc32, 50, ["192.168.1.10:8001", "192.168.1.11:8001", "192.168.1.12:8001"])?;
/// assert_eq!(ring.route_id(b"192.168.1.11:8001-7").unwrap(), "192.168.1.11:8001"); // on its point
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type Reachcache<H> = Labels<ReachcacheRule, H>;

/// The rule of [`Reachcache`].
#[derive(Clone, Copy, Debug)]
pub struct ReachcacheRule;

impl LabelRule for ReachcacheRule {
    const NAME: &'static str = "seed000-reachcache/1";
    const LABEL: &'static str = "{node}-{i}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = LastListed;
}
