//! [`Hash`]: the collection's hash layer.

use core::fmt;
use core::hash::Hasher;
use core::str::FromStr;

use alloc::string::{String, ToString};

use keyroute_core::{KeyHasher, RouteError};
use md5::Digest;

/// The collection's hash functions: numbers of 64 bits of which at most 32 are used.
///
/// Source: package `hashfunction`.
///
/// ```
/// use keyroute_interop::java::Hash;
///
/// assert_eq!("XX".parse::<Hash>()?.text(b"abc"), 0x32d1_53ff);
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// xxHash32 with seed 0.
    Xx,
    /// MurmurHash3 (x86, 32 bits, seed 0) as a signed number, and its absolute value.
    Murmur3,
    /// CRC-32.
    Crc32,
    /// The first four bytes of MD5, the first the most significant.
    Md5,
}

/// The names that the collection gives them.
const NAMES: [(&str, Hash); 4] = [
    ("XX", Hash::Xx),
    ("MURMUR3", Hash::Murmur3),
    ("CRC32", Hash::Crc32),
    ("MD5", Hash::Md5),
];

impl Hash {
    /// A text.
    #[must_use]
    pub fn text(self, text: &[u8]) -> u64 {
        self.parts([text])
    }

    /// A text and a seed; seed 0 is none.
    #[must_use]
    pub fn seeded(self, text: &[u8], seed: u32) -> u64 {
        match seed {
            0 => self.text(text),
            seed => self.parts([text, &seed.to_be_bytes()]),
        }
    }

    /// A number and a seed, which may be 0.
    #[must_use]
    pub fn number(self, number: u64, seed: u32) -> u64 {
        self.parts([number.to_be_bytes().as_slice(), &seed.to_be_bytes()])
    }

    /// A number and two seeds.
    #[must_use]
    pub fn number_twice_seeded(self, number: u64, first: u32, second: u32) -> u64 {
        self.parts([
            number.to_be_bytes().as_slice(),
            &first.to_be_bytes(),
            &second.to_be_bytes(),
        ])
    }

    /// The bytes of all parts, one behind the other.
    pub(crate) fn parts<const N: usize>(self, parts: [&[u8]; N]) -> u64 {
        match self {
            Self::Xx => {
                let mut hasher = xxhash_rust::xxh32::Xxh32::new(0);
                parts.into_iter().for_each(|part| hasher.update(part));
                hasher.digest().into()
            }
            Self::Murmur3 => {
                let mut hasher = mur3::Hasher32::with_seed(0);
                parts.into_iter().for_each(|part| hasher.write(part));
                // As `Math.abs`: −2^31 stays negative, and is widened as a signed number.
                i64::from(hasher.finish32().cast_signed().wrapping_abs()).cast_unsigned()
            }
            Self::Crc32 => {
                let mut hasher = crc32fast::Hasher::new();
                parts.into_iter().for_each(|part| hasher.update(part));
                hasher.finalize().into()
            }
            Self::Md5 => {
                let mut hasher = md5::Md5::new();
                parts.into_iter().for_each(|part| hasher.update(part));
                let digest: [u8; 16] = hasher.finalize().into();
                u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]).into()
            }
        }
    }
}

impl KeyHasher for Hash {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        self.text(bytes)
    }

    fn name(&self) -> Option<String> {
        Some(alloc::format!("java-collection/{self}"))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, hash)| hash == self);
        f.pad(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Hash {
    type Err = RouteError;

    fn from_str(name: &str) -> Result<Self, RouteError> {
        let found = NAMES.iter().find(|(known, _)| *known == name);
        found
            .map(|&(_, hash)| hash)
            .ok_or_else(|| RouteError::Parameter {
                name: "hash function",
                given: name.to_string(),
                accepted: "XX, MURMUR3, CRC32 or MD5",
            })
    }
}
