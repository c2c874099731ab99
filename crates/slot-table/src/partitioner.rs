//! [`Partitioner`]: which partition a key falls into.

use core::num::NonZeroU32;

use keyroute_core::hash::NativeHasher;
use keyroute_core::{EqualParts, HashValue, KeyHasher, Position, RouteError};

/// The partitions of a table that says no number: 16,384.
pub const DEFAULT_PARTITIONS: u32 = 16_384;

/// The most partitions that a table has: 2^20 (4 MiB).
pub const MAX_PARTITIONS: u32 = 1 << 20;

/// How a key finds its partition: a hasher, a number of partitions, and a rule from digests to
/// partitions.
///
/// The number is fixed for the life of a table: another number is another table, in which nearly every
/// key is somewhere else. Implementors: the rule must depend on the digest alone and give 0 to
/// `partitions` − 1.
pub trait Partitioner {
    /// The hasher of keys.
    type Hasher: KeyHasher;
    /// The rule's name in descriptions.
    const RULE: &'static str;

    /// The hasher of keys.
    fn hasher(&self) -> &Self::Hasher;

    /// How many partitions there are: 1 to [`MAX_PARTITIONS`].
    fn partitions(&self) -> u32;

    /// The partition of the key with this digest.
    fn partition(&self, digest: <Self::Hasher as KeyHasher>::Out) -> u32;

    /// The first and the last digest that fall into a partition, where they are a range: for explanations.
    fn digests(&self, _partition: u32) -> Option<[HashValue; 2]> {
        None
    }
}

/// Partitions that are equal ranges of 64-bit digests: native tables.
///
/// A partition is found by one multiplication, by the digest's top bits, and can be named as a range:
/// such a table has [`Ranges`](keyroute_core::Ranges).
///
/// ```
/// use keyroute_slot_table::{ByRange, Partitioner, hash_fn};
///
/// let keys = ByRange::new(hash_fn(|key| key.len() as u64), 4)?;
/// assert_eq!(keys.partition(u64::MAX / 4), 0);
/// assert_eq!(keys.partition(u64::MAX / 4 + 1), 1);
/// assert!(ByRange::new(hash_fn(|_| 0u64), 0).is_err());
/// # Ok::<(), keyroute_slot_table::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ByRange<H = NativeHasher> {
    hasher: H,
    partitions: Partitions,
}

/// Partitions that are remainders: digest mod their number. Other systems' tables.
///
/// ```
/// use keyroute_slot_table::{ByRemainder, Partitioner, hash_fn};
///
/// let keys = ByRemainder::new(hash_fn(|key| key.len() as u64), 271)?;
/// assert_eq!(keys.partition(1000), 187);
/// # Ok::<(), keyroute_slot_table::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ByRemainder<H> {
    hasher: H,
    partitions: Partitions,
}

impl<H: KeyHasher<Out = u64>> ByRange<H> {
    /// This many partitions of this hasher's digests.
    ///
    /// # Errors
    ///
    /// [`RouteError::Partitions`] for 0 and over [`MAX_PARTITIONS`].
    pub fn new(hasher: H, partitions: u32) -> Result<Self, RouteError> {
        Ok(Self {
            hasher,
            partitions: Partitions::new(partitions)?,
        })
    }

    pub(crate) fn parts(&self) -> EqualParts {
        EqualParts::new(self.partitions.0)
    }
}

#[cfg(feature = "redis")]
impl ByRemainder<crate::RedisCrc16> {
    /// The 16,384 slots of a Redis Cluster.
    #[must_use]
    pub fn redis() -> Self {
        Self {
            hasher: crate::RedisCrc16,
            partitions: Partitions(NonZeroU32::MIN.saturating_add(16_383)),
        }
    }
}

impl<H: KeyHasher> ByRemainder<H> {
    /// This many partitions of this hasher's digests.
    ///
    /// # Errors
    ///
    /// [`RouteError::Partitions`] for 0 and over [`MAX_PARTITIONS`].
    pub fn new(hasher: H, partitions: u32) -> Result<Self, RouteError> {
        Ok(Self {
            hasher,
            partitions: Partitions::new(partitions)?,
        })
    }
}

impl<H: KeyHasher<Out = u64>> Partitioner for ByRange<H> {
    type Hasher = H;
    const RULE: &'static str = "ranges";

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn partitions(&self) -> u32 {
        self.partitions.0.get()
    }

    fn partition(&self, digest: u64) -> u32 {
        self.parts().of(digest)
    }

    fn digests(&self, partition: u32) -> Option<[HashValue; 2]> {
        Some(self.parts().digests(partition))
    }
}

impl<H: KeyHasher> Partitioner for ByRemainder<H> {
    type Hasher = H;
    const RULE: &'static str = "remainders";

    fn hasher(&self) -> &H {
        &self.hasher
    }

    fn partitions(&self) -> u32 {
        self.partitions.0.get()
    }

    fn partition(&self, digest: H::Out) -> u32 {
        digest.modulo(self.partitions.0.get())
    }
}

/// A number of partitions: 1 to [`MAX_PARTITIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "u32", into = "u32"))]
pub(crate) struct Partitions(NonZeroU32);

impl Partitions {
    pub(crate) fn new(given: u32) -> Result<Self, RouteError> {
        let number = NonZeroU32::new(given).filter(|number| number.get() <= MAX_PARTITIONS);
        number.map(Self).ok_or(RouteError::Partitions {
            given,
            limit: MAX_PARTITIONS,
        })
    }
}

impl Default for Partitions {
    fn default() -> Self {
        Self(NonZeroU32::MIN.saturating_add(DEFAULT_PARTITIONS - 1))
    }
}

impl TryFrom<u32> for Partitions {
    type Error = RouteError;

    fn try_from(given: u32) -> Result<Self, RouteError> {
        Self::new(given)
    }
}

impl From<Partitions> for u32 {
    fn from(partitions: Partitions) -> Self {
        partitions.0.get()
    }
}
