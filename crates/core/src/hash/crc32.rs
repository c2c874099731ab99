//! [`Crc32`]: CRC-32 IEEE.

use alloc::string::String;

use crate::KeyHasher;

/// CRC-32 IEEE (reflected polynomial 0xEDB88320, zlib's checksum); 32 bits, `crc32`.
///
/// A checksum, not a mixer: it is linear, so points of similar labels come in patterns and collide
/// in groups, and more points need not balance better. For systems that use it already.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Crc32};
///
/// assert_eq!(Crc32.hash(b"abc"), 891_568_578);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crc32;

impl KeyHasher for Crc32 {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        crc32fast::hash(bytes)
    }

    fn name(&self) -> Option<String> {
        Some("crc32".into())
    }
}
