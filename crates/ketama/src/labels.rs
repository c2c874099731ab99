//! Where ketama puts points: the words of the digests of `{id}-{i}`.

use alloc::string::String;
use core::fmt::Write;

use keyroute_core::NodeId;
use keyroute_core::hash::Md5;

/// The points that one digest gives.
pub(crate) const POINTS_PER_DIGEST: u32 = 4;

/// The positions of this node's first digests: the four words of each.
pub(crate) fn positions(id: &NodeId, digests: u32) -> impl Iterator<Item = u32> {
    digest_words(id, digests).flatten()
}

/// The first digests of a ketama node: the little-endian words of MD5 of `{id}-{i}`, i in decimal from 0. Every
/// ketama in the field has them; which words are points, and how many digests, they decide differently.
///
/// ```
/// use keyroute_ketama::{NodeId, digest_words};
///
/// let words = digest_words(&NodeId::new("10.0.1.1:11211")?, 2);
/// assert_eq!(words.flatten().count(), 8);
/// # Ok::<(), keyroute_ketama::RouteError>(())
/// ```
pub fn digest_words(id: &NodeId, digests: u32) -> impl Iterator<Item = [u32; 4]> + use<> {
    let mut label = String::from(id.as_str());
    label.push('-');
    let index_at = label.len();
    (0..digests).map(move |index| {
        label.truncate(index_at);
        // Writing to a string cannot fail.
        let _ = write!(label, "{index}");
        Md5::words(label.as_bytes())
    })
}
