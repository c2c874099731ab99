//! [`RouteDigest`]: hash a key once, route it through many routers.

use core::fmt;

use crate::hash::identify;
use crate::{Fingerprint, KeyHasher, Position, RouteError, Router, Slot};

/// Which function made a digest: 64 bits of its name (or of its answers to fixed probes) and width.
///
/// ```
/// use keyroute_core::{HasherTag, hash_fn};
///
/// let length = hash_fn(|key: &[u8]| key.len() as u64);
/// let zero = hash_fn(|_: &[u8]| 0u64);
/// assert_eq!(HasherTag::of(&length), HasherTag::of(&length));
/// assert_ne!(HasherTag::of(&length), HasherTag::of(&zero));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HasherTag(u64);

impl HasherTag {
    /// The tag of this hasher. Routers compute it once, when they are made.
    #[must_use]
    pub fn of<H: KeyHasher + ?Sized>(hasher: &H) -> Self {
        let text = alloc::format!("{}/{}", identify(hasher), H::Out::BITS);
        Self(Fingerprint::of(text.as_bytes()).low())
    }
}

impl fmt::Display for HasherTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for HasherTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A key's hash, and which hasher made it.
///
/// Its width is in its type; a digest of another width does not compile, one of another hasher is
/// refused when it is routed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyDigest<P> {
    tag: HasherTag,
    value: P,
}

impl<P: Position> KeyDigest<P> {
    /// A digest that was stored as a number: `tag` says which hasher made it.
    #[must_use]
    pub fn new(tag: HasherTag, value: P) -> Self {
        Self { tag, value }
    }

    /// The hash.
    #[must_use]
    pub fn value(self) -> P {
        self.value
    }

    /// Which hasher made it.
    #[must_use]
    pub fn tag(self) -> HasherTag {
        self.tag
    }
}

/// Routers that read nothing of a key but its digest: almost all of them.
///
/// Callers hash once and route through many routers, store digests and replay them, or hash on one
/// machine and route on another. Implementors: [`route`](Router::route) of a key must equal
/// `route_digest` of its digest.
///
/// It is object safe: `dyn RouteDigest<Width = u64>`.
///
/// ```
/// use keyroute_core::{HasherTag, KeyDigest, RouteDigest, RouteError};
/// use keyroute_vector_ring::VectorRing;
///
/// let ring = VectorRing::from_ids(["a", "b"])?;
/// let digest = ring.digest(b"user:1");
/// assert_eq!(ring.route_digest(digest)?, ring.route(b"user:1"));
///
/// let foreign = KeyDigest::new(HasherTag::of(&|_: &[u8]| 0u64), digest.value());
/// assert!(matches!(ring.route_digest(foreign), Err(RouteError::ForeignDigest { .. })));
/// # Ok::<(), RouteError>(())
/// ```
pub trait RouteDigest: Router {
    /// The width of its digests.
    type Width: Position;

    /// Which hasher its digests must come from.
    fn hasher_tag(&self) -> HasherTag;

    /// Hashes a key.
    fn digest(&self, key: &[u8]) -> KeyDigest<Self::Width>;

    /// The owner of the key with this hash, whoever computed it; `None` where `route` gives `None`.
    fn route_value(&self, value: Self::Width) -> Option<Slot>;

    /// The owner of the key with this digest.
    ///
    /// # Errors
    ///
    /// [`RouteError::ForeignDigest`] if another hasher made it.
    fn route_digest(&self, digest: KeyDigest<Self::Width>) -> Result<Option<Slot>, RouteError> {
        self.check_tag(digest.tag)?;
        Ok(self.route_value(digest.value))
    }

    /// The owners of the keys with these hashes, all made by the hasher with this tag.
    ///
    /// # Errors
    ///
    /// [`RouteError::ForeignDigest`] if another hasher made them (checked once),
    /// [`RouteError::BatchLength`] if `out` is longer or shorter than `values`. `out` is then as it
    /// was.
    fn route_digests(
        &self,
        tag: HasherTag,
        values: &[Self::Width],
        out: &mut [Option<Slot>],
    ) -> Result<(), RouteError> {
        self.check_tag(tag)?;
        crate::error::check_batch(values.len(), out.len())?;
        for (&value, out) in values.iter().zip(out) {
            *out = self.route_value(value);
        }
        Ok(())
    }

    /// Says whether this router accepts digests with this tag.
    ///
    /// # Errors
    ///
    /// [`RouteError::ForeignDigest`].
    fn check_tag(&self, tag: HasherTag) -> Result<(), RouteError> {
        let expected = self.hasher_tag();
        if tag == expected {
            Ok(())
        } else {
            Err(RouteError::ForeignDigest {
                expected,
                found: tag,
            })
        }
    }
}
