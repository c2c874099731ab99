//! `seed002-geecache`: the cache article's map.

use keyroute_core::{AtOrAfter, LastListed};

use crate::{LabelRule, Labels};

/// A cache article's `Map`, after groupcache's: labels `{i}{node}`, i in decimal from 0; the first point at or after
/// the key's hash owns it. The hash is the caller's, [`Crc32`](crate::hash::Crc32) by default.
///
/// It routes as [`Groupcache`](crate::Groupcache), which says where labels are ambiguous. The original has no
/// removal; a node that is added again becomes the last.
///
/// Laws of rings are kept but that the order of adding decides shared points.
///
/// Source: the article's code.
///
/// ```
/// use keyroute_interop::{hash::Crc32, seeds::Geecache};
///
/// let peers = ["http://localhost:8001", "http://localhost:8002", "http://localhost:8003"];
/// let map = Geecache::ring(Crc32, 3, peers)?;
/// assert_eq!(map.route_id(b"Tom").unwrap(), "http://localhost:8002");
/// assert_eq!(map.route_id(b"w23").unwrap(), "http://localhost:8001"); // round the end
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type Geecache<H> = Labels<GeecacheRule, H>;

/// The rule of [`Geecache`].
#[derive(Clone, Copy, Debug)]
pub struct GeecacheRule;

impl LabelRule for GeecacheRule {
    const NAME: &'static str = "seed002-geecache/1";
    const LABEL: &'static str = "{i}{node}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = LastListed;
}
