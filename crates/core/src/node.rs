//! Who can own a key: [`Node`], its parts, and [`Slot`], the number a router gives it.

use alloc::sync::Arc;
use core::borrow::Borrow;
use core::fmt;
use core::num::NonZeroU32;

use crate::{MAX_ID_LEN, RouteError};

/// A node's stable identity: 1 to [`MAX_ID_LEN`] bytes of any UTF-8 text.
///
/// The bytes *are* the identity. An id is not an address and not an index: a machine that is
/// replaced keeps its id and with it its keys. Ids are compared and ordered by their bytes; nothing
/// is trimmed, lower-cased or normalised.
///
/// Cloning is cheap (one reference count).
///
/// ```
/// use keyroute_core::NodeId;
///
/// let id = NodeId::new("cache-1:11211/eu")?;
/// assert_eq!(id.as_str(), "cache-1:11211/eu");
/// assert!(NodeId::new("").is_err());
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(Arc<str>);

impl NodeId {
    /// Makes an id of this text.
    ///
    /// # Errors
    ///
    /// [`RouteError::EmptyId`], or [`RouteError::IdTooLong`] over [`MAX_ID_LEN`] bytes.
    pub fn new(id: impl AsRef<str>) -> Result<Self, RouteError> {
        let id = id.as_ref();
        match id.len() {
            0 => Err(RouteError::EmptyId),
            length if length > MAX_ID_LEN => Err(RouteError::IdTooLong { length }),
            _ => Ok(Self(id.into())),
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id as bytes: what hashes and orders.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

// `str` and `NodeId` order alike (by bytes), so a map keyed by ids can be asked with a `&str`.
impl Borrow<str> for NodeId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for NodeId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for NodeId {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other
    }
}

impl PartialEq<&str> for NodeId {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == **other
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A failure domain: the rack, zone or region a node stands in.
///
/// 1 to [`MAX_ID_LEN`] bytes of UTF-8, compared by bytes. Nodes without a zone count as standing
/// together in one nameless zone.
///
/// ```
/// use keyroute_core::{Node, Zone};
///
/// let node = Node::new("cache-1")?.with_zone(Zone::new("eu-west-1a")?);
/// assert_eq!(node.zone().map(Zone::as_str), Some("eu-west-1a"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zone(Arc<str>);

impl Zone {
    /// Makes a zone of this name.
    ///
    /// # Errors
    ///
    /// [`RouteError::EmptyZone`], or [`RouteError::ZoneTooLong`] over [`MAX_ID_LEN`] bytes.
    pub fn new(name: impl AsRef<str>) -> Result<Self, RouteError> {
        let name = name.as_ref();
        match name.len() {
            0 => Err(RouteError::EmptyZone),
            length if length > MAX_ID_LEN => Err(RouteError::ZoneTooLong { length }),
            _ => Ok(Self(name.into())),
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// How much of the keys a node should own, beside the others: a whole number, 1 to 2^32 − 1.
///
/// Weight 0 does not exist here: a router holds only nodes that may own keys. (A fleet file may
/// say 0; such a node is drained and given to no router.)
///
/// ```
/// use keyroute_core::Weight;
///
/// assert_eq!(Weight::new(3)?.get(), 3);
/// assert_eq!(Weight::default(), Weight::ONE);
/// assert!(Weight::new(0).is_err());
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Weight(NonZeroU32);

impl Weight {
    /// The weight of a node that says none.
    pub const ONE: Self = Self(NonZeroU32::MIN);

    /// Makes a weight.
    ///
    /// # Errors
    ///
    /// [`RouteError::ZeroWeight`] for 0.
    pub fn new(weight: u32) -> Result<Self, RouteError> {
        NonZeroU32::new(weight)
            .map(Self)
            .ok_or(RouteError::ZeroWeight)
    }

    /// The number.
    #[inline]
    #[must_use]
    pub fn get(self) -> u32 {
        self.0.get()
    }
}

impl Default for Weight {
    fn default() -> Self {
        Self::ONE
    }
}

impl From<NonZeroU32> for Weight {
    fn from(weight: NonZeroU32) -> Self {
        Self(weight)
    }
}

impl TryFrom<u32> for Weight {
    type Error = RouteError;

    fn try_from(weight: u32) -> Result<Self, RouteError> {
        Self::new(weight)
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A node: id, weight (1 unless said) and zone (none unless said).
///
/// ```
/// use keyroute_core::{Node, Weight, Zone};
///
/// let plain = Node::new("cache-1")?;
/// let big = Node::new("cache-2")?.with_weight(Weight::new(3)?).with_zone(Zone::new("b")?);
/// assert_eq!((plain.weight().get(), big.weight().get()), (1, 3));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    id: NodeId,
    weight: Weight,
    zone: Option<Zone>,
}

impl Node {
    /// A node with this id, weight 1 and no zone.
    ///
    /// # Errors
    ///
    /// As [`NodeId::new`].
    pub fn new(id: impl AsRef<str>) -> Result<Self, RouteError> {
        Ok(NodeId::new(id)?.into())
    }

    /// The same node with this weight.
    #[must_use]
    pub fn with_weight(mut self, weight: Weight) -> Self {
        self.weight = weight;
        self
    }

    /// The same node in this zone.
    #[must_use]
    pub fn with_zone(mut self, zone: Zone) -> Self {
        self.zone = Some(zone);
        self
    }

    /// Its identity.
    #[must_use]
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// Its weight.
    #[inline]
    #[must_use]
    pub fn weight(&self) -> Weight {
        self.weight
    }

    /// Its zone, if it has one.
    #[must_use]
    pub fn zone(&self) -> Option<&Zone> {
        self.zone.as_ref()
    }
}

impl From<NodeId> for Node {
    fn from(id: NodeId) -> Self {
        Self {
            id,
            weight: Weight::ONE,
            zone: None,
        }
    }
}

/// The number under which a router holds a node: small, dense, and valid until that node leaves.
///
/// Slots are what lookups answer, because a number can be compared, stored beside a counter and
/// copied in a batch for nothing. They are **not** identities: two routers with the same nodes may
/// number them differently, and the slot of a node that left is given to the next that joins (the
/// lowest free one). Ask [`Members::get`](crate::Members::get) for the node, and store ids.
///
/// `Option<Slot>` takes 4 bytes.
///
/// ```
/// use keyroute_core::{Members, Node};
///
/// let mut members = Members::new();
/// let slot = members.add(Node::new("cache-1")?)?;
/// assert_eq!(slot.index(), 0);
/// assert_eq!(members.get(slot).map(|node| node.id().as_str()), Some("cache-1"));
/// # Ok::<(), keyroute_core::RouteError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(NonZeroU32); // index + 1

impl Slot {
    /// The slot with this index; `None` at `u32::MAX`.
    #[inline]
    #[must_use]
    pub fn new(index: u32) -> Option<Self> {
        index.checked_add(1).and_then(NonZeroU32::new).map(Self)
    }

    /// Its index, from 0.
    #[inline]
    #[must_use]
    pub fn index(self) -> u32 {
        self.0.get() - 1
    }

    /// Its index, to look into a slice.
    #[inline]
    pub(crate) fn at(self) -> usize {
        self.index() as usize // u32 fits: the smallest supported usize has 32 bits
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.index(), f)
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({})", self.index())
    }
}
