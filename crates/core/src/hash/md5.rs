//! MD5 as a position: whole, or one of its four words.

use alloc::format;
use alloc::string::String;

use md5::Digest;

use crate::{KeyHasher, RouteError};

/// MD5 (RFC 1321) read as one little-endian number; 128 bits, `md5`.
///
/// For systems that use it already; on short keys it costs some forty times XXH3.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Md5};
///
/// assert_eq!(Md5.hash(b"").to_le_bytes()[..4], [0xd4, 0x1d, 0x8c, 0xd9]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md5;

impl Md5 {
    /// The four little-endian 32-bit words of the digest: the points of one ketama label.
    ///
    /// ```
    /// use keyroute_core::hash::Md5;
    ///
    /// assert_eq!(Md5::words(b""), [3_649_838_548, 78_774_415, 2_550_759_657, 2_118_318_316]);
    /// ```
    #[must_use]
    pub fn words(bytes: &[u8]) -> [u32; 4] {
        let digest: [u8; 16] = md5::Md5::digest(bytes).into();
        let mut words = [0; 4];
        for (word, bytes) in words.iter_mut().zip(digest.chunks_exact(4)) {
            *word = bytes
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte));
        }
        words
    }
}

impl KeyHasher for Md5 {
    type Out = u128;

    fn hash(&self, bytes: &[u8]) -> u128 {
        u128::from_le_bytes(md5::Md5::digest(bytes).into())
    }

    fn name(&self) -> Option<String> {
        Some("md5".into())
    }
}

/// One little-endian 32-bit word of MD5; 32 bits, `md5-word0` to `md5-word3`.
///
/// Word 0 hashes the keys of most ketama systems.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Md5Word};
///
/// assert_eq!(Md5Word::FIRST.hash(b"foo"), 3_675_831_724);
/// assert!(Md5Word::new(4).is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Md5Word(u8);

impl Md5Word {
    /// Word 0: bytes 0 to 3 of the digest.
    pub const FIRST: Self = Self(0);

    /// The word with this index.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] over 3: a digest has four words.
    pub fn new(index: u8) -> Result<Self, RouteError> {
        if index > 3 {
            return Err(RouteError::Parameter {
                name: "MD5 word",
                given: format!("{index}"),
                accepted: "0 to 3",
            });
        }
        Ok(Self(index))
    }
}

impl KeyHasher for Md5Word {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        Md5::words(bytes)[usize::from(self.0)]
    }

    fn name(&self) -> Option<String> {
        Some(format!("md5-word{}", self.0))
    }
}
