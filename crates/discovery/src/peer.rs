//! [`Peer`]: a member as discovery knows it.

use std::fmt;
use std::sync::Arc;

use keyroute_cluster::Listing;
use keyroute_core::{Node, NodeId, Weight, Zone};

use crate::SkipReason;

/// The longest address, in bytes.
pub const MAX_ADDRESS_LEN: usize = 4096;

/// A member as discovery knows it: id, address, weight, zone, all within their limits.
///
/// The id is what keys are hashed with, so a machine that gets another address keeps its keys. Weight 0 is a member that
/// is listed and owns nothing. Cloning counts references.
///
/// ```
/// use keyroute_discovery::{Peer, Zone};
///
/// let peer = Peer::new("cache-1", "10.0.0.1:11211")?.with_weight(2).with_zone(Zone::new("eu-1a")?);
/// assert_eq!((peer.id().as_str(), peer.address(), peer.weight()), ("cache-1", "10.0.0.1:11211", 2));
/// assert_eq!(peer.zone().map(Zone::as_str), Some("eu-1a"));
/// assert!(Peer::new("cache-1", "").is_err());
///
/// // As it is stored under PREFIX/cache-1, and in a file's list.
/// let stored = r#"{"id":"cache-1","address":"10.0.0.1:11211","weight":2,"zone":"eu-1a"}"#;
/// assert_eq!(peer.to_json(), stored);
/// assert_eq!(Peer::from_json("cache-1", stored.as_bytes())?, peer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Peer {
    id: NodeId,
    address: Arc<str>,
    weight: u32,
    zone: Option<Zone>,
}

impl Peer {
    /// A member with this id and address, of weight 1, in no zone.
    ///
    /// # Errors
    ///
    /// [`SkipReason::Invalid`] for an empty id, or one over 4096 bytes; [`SkipReason::NoAddress`] and
    /// [`SkipReason::AddressTooLong`].
    pub fn new(id: impl AsRef<str>, address: impl AsRef<str>) -> Result<Self, SkipReason> {
        let id = NodeId::new(id)?;
        let address = address.as_ref();
        match address.len() {
            0 => Err(SkipReason::NoAddress),
            length if length > MAX_ADDRESS_LEN => Err(SkipReason::AddressTooLong { length }),
            _ => Ok(Self {
                id,
                address: address.into(),
                weight: 1,
                zone: None,
            }),
        }
    }

    /// The same with this weight; 0 owns nothing.
    #[must_use]
    pub fn with_weight(self, weight: u32) -> Self {
        Self { weight, ..self }
    }

    /// The same in this zone.
    #[must_use]
    pub fn with_zone(self, zone: Zone) -> Self {
        self.in_zone(Some(zone))
    }

    pub(crate) fn in_zone(self, zone: Option<Zone>) -> Self {
        Self { zone, ..self }
    }

    /// Its identity.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// Where it is reached: text of 1 to 4096 bytes, which nobody here reads.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Its weight; 0 if it shall own nothing.
    #[must_use]
    pub fn weight(&self) -> u32 {
        self.weight
    }

    /// Its zone, if it has one.
    #[must_use]
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }

    /// It as a cluster lists it, with this payload.
    ///
    /// ```
    /// use keyroute_cluster::Cluster;
    /// use keyroute_discovery::Peer;
    /// use keyroute_vector_ring::VectorRing;
    ///
    /// let peer = Peer::new("a", "10.0.0.1:80")?;
    /// let cluster = Cluster::from_members(VectorRing::new(), [peer.listing(peer.address())])?;
    /// assert_eq!(*cluster.load().member("a").unwrap().payload(), "10.0.0.1:80");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn listing<T>(&self, payload: T) -> Listing<T> {
        let node = Node::from(self.id.clone());
        let node = match &self.zone {
            Some(zone) => node.with_zone(zone.clone()),
            None => node,
        };
        match Weight::new(self.weight) {
            Ok(weight) => Listing::new(node.with_weight(weight), payload),
            Err(_) => Listing::new(node, payload).drained(),
        }
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} weight {}", self.id, self.address, self.weight)?;
        match &self.zone {
            Some(zone) => write!(f, " zone {zone}"),
            None => Ok(()),
        }
    }
}
