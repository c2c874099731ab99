//! The xxHash family (Collet).

use alloc::format;
use alloc::string::String;

use crate::KeyHasher;

/// XXH3, 64 bits, seed 0: `xxh3-64`. The native default.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Xxh3};
///
/// assert_eq!(Xxh3.hash(b""), 0x2d06_8005_38d3_94c2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xxh3;

impl KeyHasher for Xxh3 {
    type Out = u64;

    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxhash_rust::xxh3::xxh3_64(bytes)
    }

    fn name(&self) -> Option<String> {
        Some("xxh3-64".into())
    }
}

/// XXH64 with a seed: `xxh64`, or `xxh64:SEED` where the seed is not 0.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Xxh64};
///
/// assert_eq!(Xxh64::default().hash(b"abc"), 0x44bc_2cf5_ad77_0999);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xxh64 {
    /// The seed.
    pub seed: u64,
}

impl KeyHasher for Xxh64 {
    type Out = u64;

    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxhash_rust::xxh64::xxh64(bytes, self.seed)
    }

    fn name(&self) -> Option<String> {
        Some(with_seed("xxh64", self.seed))
    }
}

/// XXH32 with a seed: `xxh32`, or `xxh32:SEED` where the seed is not 0.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Xxh32};
///
/// assert_eq!(Xxh32::default().hash(b"abc"), 852_579_327);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Xxh32 {
    /// The seed.
    pub seed: u32,
}

impl KeyHasher for Xxh32 {
    type Out = u32;

    #[inline]
    fn hash(&self, bytes: &[u8]) -> u32 {
        xxhash_rust::xxh32::xxh32(bytes, self.seed)
    }

    fn name(&self) -> Option<String> {
        Some(with_seed("xxh32", self.seed.into()))
    }
}

fn with_seed(name: &str, seed: u64) -> String {
    if seed == 0 {
        name.into()
    } else {
        format!("{name}:{seed}")
    }
}
