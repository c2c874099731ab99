//! [`Md5BigEndian`]: MD5 as the number that its hex digits write.

use alloc::string::String;

use keyroute_core::KeyHasher;
use keyroute_core::hash::Md5;

/// MD5 read as one big-endian number; 128 bits, `md5-big-endian`.
///
/// ```
/// use keyroute_interop::{KeyHasher, hash::Md5BigEndian};
///
/// assert_eq!(Md5BigEndian.hash(b""), 0xd41d_8cd9_8f00_b204_e980_0998_ecf8_427e);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md5BigEndian;

impl KeyHasher for Md5BigEndian {
    type Out = u128;

    fn hash(&self, bytes: &[u8]) -> u128 {
        Md5.hash(bytes).swap_bytes()
    }

    fn name(&self) -> Option<String> {
        Some("md5-big-endian".into())
    }
}
