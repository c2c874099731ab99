//! [`SpyHash`]: the key hashes of spymemcached.

use alloc::format;
use alloc::string::String;

use keyroute_core::KeyHasher;
use keyroute_core::hash::{Crc32, Md5Word};

use super::{FNV_32, FNV_64_LOW, fnv1, fnv1a};

/// The key hashes of spymemcached (`DefaultHashAlgorithm`), chosen at run time as there; 32 bits,
/// `spymemcached/ketama` and so on.
///
/// KETAMA and CRC hash a key's UTF-8. The others step through **UTF-16 code units**, as Java's strings are:
/// beyond ASCII their FNVs are neither the usual ones nor libmemcached's. Bytes that are no UTF-8, which
/// no Java string becomes, count as U+FFFD there, and as they stand in KETAMA and CRC.
///
/// ```
/// use keyroute_interop::{KeyHasher, hash::SpyHash};
///
/// assert_eq!(SpyHash::Native.hash("clé".as_bytes()), 98720);
/// assert_eq!(SpyHash::Fnv1a32.hash(b"10.0.1.1:11211-0"), 2_779_353_827);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpyHash {
    /// Java's `String.hashCode`: `NATIVE_HASH`.
    #[default]
    Native,
    /// Bits 16 to 30 of CRC-32: `CRC_HASH`.
    Crc,
    /// The low half of FNV-1, 64 bits: `FNV1_64_HASH`.
    Fnv1_64,
    /// The low half of FNV-1a, 64 bits: `FNV1A_64_HASH`.
    Fnv1a64,
    /// FNV-1, 32 bits: `FNV1_32_HASH`.
    Fnv1_32,
    /// FNV-1a, 32 bits: `FNV1A_32_HASH`.
    Fnv1a32,
    /// Word 0 of MD5: `KETAMA_HASH`.
    Ketama,
}

impl KeyHasher for SpyHash {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        match self {
            Self::Native => {
                units(bytes).fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit))
            }
            Self::Crc => Crc32.hash(bytes) >> 16 & 0x7fff,
            Self::Fnv1_64 => fnv1(units(bytes), FNV_64_LOW),
            Self::Fnv1a64 => fnv1a(units(bytes), FNV_64_LOW),
            Self::Fnv1_32 => fnv1(units(bytes), FNV_32),
            Self::Fnv1a32 => fnv1a(units(bytes), FNV_32),
            Self::Ketama => Md5Word::FIRST.hash(bytes),
        }
    }

    fn name(&self) -> Option<String> {
        let name = match self {
            Self::Native => "native",
            Self::Crc => "crc",
            Self::Fnv1_64 => "fnv1_64",
            Self::Fnv1a64 => "fnv1a_64",
            Self::Fnv1_32 => "fnv1_32",
            Self::Fnv1a32 => "fnv1a_32",
            Self::Ketama => "ketama",
        };
        Some(format!("spymemcached/{name}"))
    }
}

/// The UTF-16 code units of this text.
fn units(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes
        .utf8_chunks()
        .flat_map(|chunk| {
            let replacement = (!chunk.invalid().is_empty()).then_some(0xfffd);
            chunk.valid().encode_utf16().chain(replacement)
        })
        .map(u32::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U+1F600 is two units, 0xD83D and 0xDE00; U+4E2D is one of 16 bits.
    #[test]
    fn units_are_utf_16() {
        let all: alloc::vec::Vec<u32> = units("a中😀".as_bytes()).collect();
        assert_eq!(all, [0x61, 0x4e2d, 0xd83d, 0xde00]);
        let all: alloc::vec::Vec<u32> = units(b"a\xffb\xe4\xb8").collect();
        assert_eq!(all, [0x61, 0xfffd, 0x62, 0xfffd]);
    }

    /// For ASCII the FNVs are libmemcached's, which were asked; beyond it worked out by hand.
    #[test]
    fn every_hash_steps_through_units() {
        use super::super::MemcachedHash;
        for (ours, theirs) in [
            (SpyHash::Fnv1_32, MemcachedHash::Fnv1_32),
            (SpyHash::Fnv1a32, MemcachedHash::Fnv1a32),
            (SpyHash::Fnv1_64, MemcachedHash::Fnv1_64),
            (SpyHash::Fnv1a64, MemcachedHash::Fnv1a64),
            (SpyHash::Crc, MemcachedHash::Crc),
        ] {
            assert_eq!(ours.hash(b"user:1001"), theirs.hash(b"user:1001"));
        }
        // (offset ^ 0x4e2d) × prime and offset × prime ^ 0x4e2d.
        assert_eq!(SpyHash::Fnv1a32.hash("中".as_bytes()), 0x2861_9638);
        assert_eq!(SpyHash::Fnv1_32.hash("中".as_bytes()), 0x050c_1332);
        assert_eq!(SpyHash::Native.hash("😀".as_bytes()), 0x001b_0d63);
    }
}
