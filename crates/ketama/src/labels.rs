//! Where ketama puts points: the words of the digests of `{id}-{i}`.

use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};

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
    let id = id.clone();
    (0..digests)
        .step_by(TOGETHER as usize)
        .flat_map(move |from| {
            let to = digests.min(from.saturating_add(TOGETHER));
            let labels: Vec<String> = (from..to).map(|index| format!("{id}-{index}")).collect();
            let labels: Vec<&[u8]> = labels.iter().map(String::as_bytes).collect();
            let mut words = vec![[0; 4]; labels.len()];
            Md5::words_each(&labels, &mut words);
            words
        })
}

/// How many labels are hashed together: all of a node of weight 1, and many times the lanes of the hash.
const TOGETHER: u32 = 160;
