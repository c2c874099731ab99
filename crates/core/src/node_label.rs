//! [`NodeLabel`]: the bytes that native definitions hash of a node.

use alloc::vec::Vec;
use core::ops::Range;

use crate::{KeyHasher, NodeId};

/// What the native definitions hash of a node: the id's length as a `u32`, the id, and an index as a
/// `u32`, little-endian.
///
/// The length in front makes them unambiguous: no two (id, index) share their bytes, whatever the ids
/// are. The index tells a node's hashes apart: the points of a ring, offset and skip in a table.
///
/// ```
/// use keyroute_core::hash::Xxh3;
/// use keyroute_core::{KeyHasher, NodeId, NodeLabel};
///
/// let mut label = NodeLabel::new(&NodeId::new("a")?);
/// assert_eq!(label.hash(&Xxh3, 1), Xxh3.hash(b"\x01\0\0\0a\x01\0\0\0"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NodeLabel {
    bytes: Vec<u8>,
    index_at: usize,
}

impl NodeLabel {
    /// The label of the node with this id.
    #[must_use]
    pub fn new(id: &NodeId) -> Self {
        let id = id.as_bytes();
        // MAX_ID_LEN is far below u32::MAX.
        let length = u32::try_from(id.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(id.len() + 8);
        bytes.extend(length.to_le_bytes());
        bytes.extend(id);
        let index_at = bytes.len();
        bytes.extend([0; 4]);
        Self { bytes, index_at }
    }

    /// Hashes the label with this index.
    pub fn hash<H: KeyHasher>(&mut self, hasher: &H, index: u32) -> H::Out {
        self.bytes[self.index_at..].copy_from_slice(&index.to_le_bytes());
        hasher.hash(&self.bytes)
    }

    /// Hashes the label with each of these indices: what [`hash`](Self::hash) gives for them in turn.
    ///
    /// It is faster, by half for XXH3. A hash waits until the index that it reads is written; here several labels
    /// lie side by side, and wait together.
    ///
    /// ```
    /// use keyroute_core::hash::Xxh3;
    /// use keyroute_core::{NodeId, NodeLabel};
    ///
    /// let mut label = NodeLabel::new(&NodeId::new("a")?);
    /// assert_eq!(label.hash_each(&Xxh3, 5..7), [5, 6].map(|index| label.hash(&Xxh3, index)));
    /// # Ok::<(), keyroute_core::RouteError>(())
    /// ```
    #[must_use]
    pub fn hash_each<H: KeyHasher>(&self, hasher: &H, indices: Range<u32>) -> Vec<H::Out> {
        let mut out = alloc::vec![H::Out::default(); indices.len()];
        let mut labels = self.bytes.repeat(LANES.min(out.len()));
        let length = self.bytes.len();
        for (first, out) in indices.step_by(LANES).zip(out.chunks_mut(LANES)) {
            for (index, label) in (first..=u32::MAX).zip(labels.chunks_exact_mut(length)) {
                label[self.index_at..].copy_from_slice(&index.to_le_bytes());
            }
            let mut keys = [&[][..]; LANES];
            for (key, label) in keys.iter_mut().zip(labels.chunks_exact(length)) {
                *key = label;
            }
            hasher.hash_each(&keys, out);
        }
        out
    }
}

/// How many labels lie side by side.
const LANES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash_fn;

    #[test]
    fn many_indices_give_what_each_alone_gives() {
        let hasher = hash_fn(|label: &[u8]| {
            let fold = |sum: u64, &byte: &u8| sum.wrapping_mul(257).wrapping_add(byte.into());
            label.iter().fold(0, fold)
        });
        let id = "n".repeat(300);
        let mut label = NodeLabel::new(&NodeId::new(&id).expect("a short id"));
        let ends = [
            u32::MAX - 40..u32::MAX,
            0..0,
            3..4,
            0..15,
            0..16,
            0..17,
            250..600,
        ];
        for indices in ends {
            let alone: Vec<u64> = indices
                .clone()
                .map(|index| label.hash(&hasher, index))
                .collect();
            assert_eq!(
                label.hash_each(&hasher, indices.clone()),
                alone,
                "{indices:?}"
            );
        }
    }
}
