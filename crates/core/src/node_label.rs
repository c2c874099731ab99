//! [`NodeLabel`]: the bytes that native definitions hash of a node.

use alloc::vec::Vec;

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
}
