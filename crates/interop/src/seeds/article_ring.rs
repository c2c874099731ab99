//! `seed001-ring`: the Go article's ring.

use keyroute_core::{AtOrAfter, LastListed};

use crate::{LabelRule, Labels};

/// A Go article's `HashRing`: labels `{node}#{i}`, i in decimal from 0, under [`Crc32`](crate::hash::Crc32); the
/// first point at or after the key's hash owns it.
///
/// The node added last owns a shared point. Removing that node gives it to the other; **the original takes the
/// point from both**. Adding a node that is present changes nothing there.
///
/// Laws of rings are kept but that the order of adding decides shared points.
///
/// Source: the article's code.
///
/// ```
/// use keyroute_interop::{hash::Crc32, seeds::ArticleRing};
///
/// let ring = ArticleRing::ring(Crc32, 150, ["node-A", "node-B", "node-C", "node-D"])?;
/// assert_eq!(ring.route_id(b"user:0:session").unwrap(), "node-B");
/// assert_eq!(ring.route_id(b"w2947").unwrap(), "node-D"); // round the end
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type ArticleRing<H> = Labels<ArticleRule, H>;

/// The rule of [`ArticleRing`].
#[derive(Clone, Copy, Debug)]
pub struct ArticleRule;

impl LabelRule for ArticleRule {
    const NAME: &'static str = "seed001-ring/1";
    const LABEL: &'static str = "{node}#{i}";
    const WEIGHTED: bool = false;
    type Lookup = AtOrAfter;
    type Ties = LastListed;
}
