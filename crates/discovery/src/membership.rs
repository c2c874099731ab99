//! [`Membership`]: all members at one moment.

use std::collections::BTreeMap;

use keyroute_core::NodeId;

use crate::Peer;

/// All members at one moment, in the order of ids, each id once.
///
/// ```
/// use keyroute_discovery::{Membership, Peer};
///
/// let members: Membership = [Peer::new("b", "10.0.0.2:80")?, Peer::new("a", "10.0.0.1:80")?].into_iter().collect();
/// let ids: Vec<&str> = members.iter().map(|peer| peer.id().as_str()).collect();
/// assert_eq!(ids, ["a", "b"]);
/// assert_eq!(members.get("b").map(Peer::address), Some("10.0.0.2:80"));
/// assert_eq!((members.len(), members.is_empty()), (2, false));
/// # Ok::<(), keyroute_discovery::SkipReason>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Membership {
    peers: BTreeMap<NodeId, Peer>,
}

impl Membership {
    /// Nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The member with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Peer> {
        self.peers.get(id)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.peers.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.peers.is_empty()
    }

    /// All of them, in the order of ids.
    pub fn iter(&self) -> impl Iterator<Item = &Peer> {
        self.peers.values()
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Peer> {
        self.peers.remove(id)
    }

    pub(crate) fn insert(&mut self, peer: Peer) -> Option<Peer> {
        self.peers.insert(peer.id().clone(), peer)
    }
}

/// Of peers with one id the last.
impl FromIterator<Peer> for Membership {
    fn from_iter<I: IntoIterator<Item = Peer>>(peers: I) -> Self {
        let peers = peers.into_iter().map(|peer| (peer.id().clone(), peer));
        Self {
            peers: peers.collect(),
        }
    }
}
