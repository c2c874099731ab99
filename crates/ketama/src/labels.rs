//! Where ketama puts points: the words of the digests of `{id}-{i}`.

use alloc::string::String;
use core::fmt::Write;

use keyroute_core::NodeId;
use keyroute_core::hash::Md5;

/// The points that one digest gives.
pub(crate) const POINTS_PER_DIGEST: u32 = 4;

/// The positions of this node's first digests: the four words of MD5 of `{id}-{i}`, i from 0.
pub(crate) fn positions(id: &NodeId, digests: u32) -> impl Iterator<Item = u32> {
    let mut label = String::from(id.as_str());
    label.push('-');
    let index_at = label.len();
    (0..digests).flat_map(move |index| {
        label.truncate(index_at);
        // Writing to a string cannot fail.
        let _ = write!(label, "{index}");
        Md5::words(label.as_bytes())
    })
}
