//! [`ClientPicker`]: which peer has a key, or is it this process itself?

use std::fmt;

use keyroute_cluster::{Member, Reader, Snapshot, Unavailable};
use keyroute_core::{NodeId, Walk};

/// Which peer has a key, or is it this process itself: for caches whose every process serves and asks, as groupcache's.
///
/// A thread or task keeps one of its own; clones are made for that. A pick costs what one of a [`Reader`] costs, and a
/// comparison of ids: it takes no lock and allocates nothing.
///
/// If this process is not a member (yet, or any more), it owns no key, and each has a peer.
///
/// ```
/// use std::sync::Arc;
///
/// use keyroute_discovery::{ClientPicker, Cluster, NodeId, Picked};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["cache-1", "cache-2", "cache-3"])?;
/// let cluster = Arc::new(Cluster::new(ring, |node| format!("http://{}:8080", node.id())));
/// let picker = ClientPicker::new(cluster.reader(), NodeId::new("cache-2")?);
///
/// // In each thread:
/// let mut picker = picker.clone();
/// let mut served = 0;
/// for key in 0..300u32 {
///     match picker.pick_peer(&key.to_le_bytes())? {
///         Picked::Own => served += 1, // load it here, from the database
///         Picked::Peer(peer) => assert_ne!(peer.id(), "cache-2"), // ask peer.payload() for it
///     }
/// }
/// assert!((60..140).contains(&served));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ClientPicker<R, T> {
    reader: Reader<R, T>,
    own: NodeId,
}

/// Who has a key.
#[derive(Debug)]
pub enum Picked<'a, T> {
    /// This process.
    Own,
    /// This peer: its payload says how to ask it.
    Peer(&'a Member<T>),
}

impl<'a, T> Picked<'a, T> {
    /// The peer, if it is one.
    ///
    /// ```
    /// use keyroute_discovery::{ClientPicker, Cluster, NodeId};
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let cluster = Cluster::new(VectorRing::from_ids(["a"])?, |_| "10.0.0.1:80");
    /// let mut elsewhere = ClientPicker::new(cluster.reader(), NodeId::new("b")?);
    /// assert_eq!(*elsewhere.pick_peer(b"user:1")?.peer().unwrap().payload(), "10.0.0.1:80");
    /// let mut there = ClientPicker::new(cluster.reader(), NodeId::new("a")?);
    /// assert!(there.pick_peer(b"user:1")?.peer().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn peer(self) -> Option<&'a Member<T>> {
        match self {
            Self::Own => None,
            Self::Peer(peer) => Some(peer),
        }
    }
}

impl<R, T> ClientPicker<R, T> {
    /// Picks by this cluster, for the process that is this member of it.
    #[must_use]
    pub fn new(reader: Reader<R, T>, own: NodeId) -> Self {
        Self { reader, own }
    }

    /// Which member this process is.
    #[must_use]
    pub fn own(&self) -> &NodeId {
        &self.own
    }

    /// The cluster as it is now, for questions that go together.
    pub fn snapshot(&mut self) -> &Snapshot<R, T> {
        self.reader.snapshot()
    }
}

impl<R: Walk, T> ClientPicker<R, T> {
    /// Who has this key now: the first node of its order that admits it.
    ///
    /// # Errors
    ///
    /// [`Unavailable`], if nobody has: while there are no members, the key is for this process to load itself.
    #[inline]
    pub fn pick_peer(&mut self, key: &[u8]) -> Result<Picked<'_, T>, Unavailable> {
        let member = self.reader.pick(key)?.member();
        Ok(if *member.id() == self.own {
            Picked::Own
        } else {
            Picked::Peer(member)
        })
    }
}

impl<R, T> Clone for ClientPicker<R, T> {
    fn clone(&self) -> Self {
        Self::new(self.reader.clone(), self.own.clone())
    }
}

impl<R, T> fmt::Debug for ClientPicker<R, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientPicker")
            .field("own", &self.own)
            .finish_non_exhaustive()
    }
}
