//! The collection's rendezvous.

use alloc::vec::Vec;

use keyroute_core::{Description, Node, RouteError};

use super::Hash;
use crate::{HighestScore, Score};

/// `RendezvousEngine`: the hash of the key followed by the node's name; the greatest wins.
///
/// Scores have 32 bits. Equal ones are left to the order of a hash set; here the node listed first wins.
///
/// Source: `consistenthash/rendezvous/RendezvousEngine.java`.
///
/// ```
/// use keyroute_interop::Router;
/// use keyroute_interop::java::{Hash, RendezvousEngine};
///
/// let engine = RendezvousEngine::from_names(Hash::Xx, ["node-A", "node-B", "node-C"])?;
/// assert_eq!(engine.route_id(b" ").unwrap(), "node-C");
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type RendezvousEngine = HighestScore<Rendezvous>;

impl RendezvousEngine {
    /// Nodes with these names.
    ///
    /// # Errors
    ///
    /// As [`HighestScore::new`] and [`Node::new`].
    pub fn from_names(
        hash: Hash,
        names: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self, RouteError> {
        let nodes: Result<Vec<_>, _> = names.into_iter().map(Node::new).collect();
        Self::new(Rendezvous(hash), nodes?)
    }
}

/// The collection's score.
#[derive(Clone, Copy, Debug)]
pub struct Rendezvous(pub Hash);

impl Score for Rendezvous {
    const NAME: &'static str = "java-collection/rendezvous/1";
    type OfKey<'k> = &'k [u8];
    type OfNode = Vec<u8>;
    type Value = i64;
    const LATER_WINS: bool = false;

    fn of_key<'k>(&self, key: &'k [u8]) -> &'k [u8] {
        key
    }

    fn of_node(&self, node: &Node) -> Vec<u8> {
        node.id().as_bytes().to_vec()
    }

    fn value(&self, key: &&[u8], node: &Vec<u8>) -> i64 {
        self.0.parts([*key, node]).cast_signed()
    }

    fn describe(&self, to: &mut Description) {
        to.hasher("hasher", &self.0);
    }
}
