//! [`Blake2bWord`]: the first word of BLAKE2b.

use alloc::string::String;

use blake2::{Blake2b512, Digest};
use keyroute_core::KeyHasher;

/// The first eight bytes of BLAKE2b-512 (RFC 7693, without a key), little-endian; 64 bits,
/// `blake2b-512-word0`.
///
/// ```
/// use keyroute_interop::{Blake2bWord, KeyHasher};
///
/// assert_eq!(Blake2bWord.hash(b"127.0.0.1:70000"), 5_454_206_383_899_538_029);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blake2bWord;

impl KeyHasher for Blake2bWord {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        let digest: [u8; 64] = Blake2b512::digest(bytes).into();
        let [a, b, c, d, e, f, g, h, ..] = digest;
        u64::from_le_bytes([a, b, c, d, e, f, g, h])
    }

    fn name(&self) -> Option<String> {
        Some("blake2b-512-word0".into())
    }
}
