//! [`MemcachedHash`]: the key hashes of libmemcached (libhashkit) and of twemproxy, which took them over.

use alloc::format;
use alloc::string::String;

use crc::{CRC_16_XMODEM, Crc};
use keyroute_core::KeyHasher;
use keyroute_core::hash::{Crc32, Md5Word};

use super::hsieh::hsieh;
use super::lookup3::hashlittle;
use super::{FNV_32, FNV_64_LOW, fnv1, fnv1a, signed};

/// The key hashes of libmemcached and twemproxy, chosen at run time as there; 32 bits,
/// `memcached/one_at_a_time` and so on.
///
/// **Bytes from 0x80 are negative** in one-at-a-time, the FNVs and (one byte of) Hsieh's, since both
/// programs read `char`, which is signed on x86-64. On Linux for arm64 it is not: the same programs route
/// keys beyond ASCII otherwise there.
///
/// ```
/// use keyroute_interop::{KeyHasher, hash::MemcachedHash};
///
/// assert_eq!(MemcachedHash::OneAtATime.hash(b"foo"), 596_015_325);
/// assert_eq!(MemcachedHash::Crc.hash("clé".as_bytes()), 1735);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemcachedHash {
    /// Jenkins' one-at-a-time: libmemcached's default.
    #[default]
    OneAtATime,
    /// Word 0 of MD5.
    Md5,
    /// Bits 16 to 30 of CRC-32: **15 bits**, so on a ring of 32 bits every key lies below 32768.
    /// libmemcached's `crc`, twemproxy's `crc32`.
    Crc,
    /// CRC-32. twemproxy alone.
    Crc32a,
    /// CRC-16/XMODEM in a register of 32 bits that is never masked: old bits stay in the upper half.
    /// twemproxy alone.
    Crc16,
    /// FNV-1, 32 bits.
    Fnv1_32,
    /// FNV-1a, 32 bits.
    Fnv1a32,
    /// The low half of FNV-1, 64 bits.
    Fnv1_64,
    /// The low half of FNV-1a, 64 bits: twemproxy's default.
    Fnv1a64,
    /// Hsieh's SuperFastHash. libmemcached as packaged leaves it out.
    Hsieh,
    /// MurmurHash2, 32 bits, seeded with 0xdeadbeef × length.
    Murmur,
    /// MurmurHash3, 32 bits, seeded with 0xdeadbeef × length. libmemcached from 1.1 alone.
    Murmur3,
    /// Jenkins' lookup3, seeded with 13.
    Jenkins,
}

impl MemcachedHash {
    /// Its name, as libmemcached writes it where it has it.
    pub(crate) fn plain_name(self) -> &'static str {
        match self {
            Self::OneAtATime => "one_at_a_time",
            Self::Md5 => "md5",
            Self::Crc => "crc",
            Self::Crc32a => "crc32a",
            Self::Crc16 => "crc16",
            Self::Fnv1_32 => "fnv1_32",
            Self::Fnv1a32 => "fnv1a_32",
            Self::Fnv1_64 => "fnv1_64",
            Self::Fnv1a64 => "fnv1a_64",
            Self::Hsieh => "hsieh",
            Self::Murmur => "murmur",
            Self::Murmur3 => "murmur3",
            Self::Jenkins => "jenkins",
        }
    }
}

impl KeyHasher for MemcachedHash {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        match self {
            Self::OneAtATime => one_at_a_time(bytes),
            Self::Md5 => Md5Word::FIRST.hash(bytes),
            Self::Crc => Crc32.hash(bytes) >> 16 & 0x7fff,
            Self::Crc32a => Crc32.hash(bytes),
            Self::Crc16 => crc16_unmasked(bytes),
            Self::Fnv1_32 => fnv1(signed(bytes), FNV_32),
            Self::Fnv1a32 => fnv1a(signed(bytes), FNV_32),
            Self::Fnv1_64 => fnv1(signed(bytes), FNV_64_LOW),
            Self::Fnv1a64 => fnv1a(signed(bytes), FNV_64_LOW),
            Self::Hsieh => hsieh(bytes),
            Self::Murmur => murmur2::murmur2(bytes, length_seed(bytes)),
            Self::Murmur3 => mur3::murmurhash3_x86_32(bytes, length_seed(bytes)),
            Self::Jenkins => hashlittle(bytes, 13),
        }
    }

    fn name(&self) -> Option<String> {
        Some(format!("memcached/{}", self.plain_name()))
    }
}

fn one_at_a_time(bytes: &[u8]) -> u32 {
    let mut hash = signed(bytes).fold(0u32, |hash, byte| {
        let hash = hash.wrapping_add(byte);
        let hash = hash.wrapping_add(hash << 10);
        hash ^ hash >> 6
    });
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// The table's entry for a byte is the checksum of that byte alone.
fn crc16_unmasked(bytes: &[u8]) -> u32 {
    const XMODEM: Crc<u16> = Crc::<u16>::new(&CRC_16_XMODEM);
    bytes.iter().fold(0u32, |register, &byte| {
        let [_, above, ..] = register.to_le_bytes();
        register << 8 ^ u32::from(XMODEM.checksum(&[above ^ byte]))
    })
}

#[expect(clippy::cast_possible_truncation, reason = "modulo 2^32, as there")]
fn length_seed(bytes: &[u8]) -> u32 {
    0xdead_beef_u32.wrapping_mul(bytes.len() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked of the programs; Hsieh's, which both leave out, of the definition.
    #[test]
    fn every_hash_has_its_published_values() {
        use MemcachedHash::{
            Crc, Crc16, Crc32a, Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64, Hsieh, Jenkins, Md5, Murmur,
            Murmur3, OneAtATime,
        };
        #[rustfmt::skip]
        let values: [(MemcachedHash, [u32; 4]); 13] = [
            (OneAtATime, [596_015_325, 2_745_963_488, 1_968_136_217, 0]),
            (Md5, [3_675_831_724, 3_839_126_290, 1_925_876_898, 3_649_838_548]),
            (Crc, [3187, 26739, 1735, 0]),
            (Crc32a, [2_356_372_769, 3_899_860_853, 113_715_828, 0]),
            (Crc16, [205_303_702, 3_781_449_296, 4_083_502_016, 0]),
            (Fnv1_64, [1_805_727_027, 3_550_362_912, 4_044_155_928, 2_216_829_733]),
            (Fnv1a64, [4_275_688_823, 2_927_313_110, 503_911_478, 2_216_829_733]),
            (Fnv1_32, [1_083_137_555, 2_796_551_328, 2_864_616_632, 2_166_136_261]),
            (Fnv1a32, [2_851_307_223, 1_333_533_686, 1_733_572_406, 2_166_136_261]),
            (Hsieh, [1_993_659_431, 3_661_336_675, 386_485_210, 0]),
            (Murmur, [3_303_027_599, 1_285_847_563, 558_373_031, 0]),
            (Murmur3, [2_784_297_138, 3_893_942_624, 687_550_215, 0]),
            (Jenkins, [2_583_187_353, 2_493_643_546, 3_774_723_105, 3_735_928_572]),
        ];
        for (hash, expected) in values {
            let computed = ["foo", "user:1001", "clé", ""].map(|key| hash.hash(key.as_bytes()));
            assert_eq!(computed, expected, "{hash:?}");
        }
    }

    /// Of another program that follows the definition, and gives the values above.
    #[test]
    fn hsieh_widens_the_last_of_three_bytes_alone() {
        let keys = [&b"ab\xe9"[..], b"\xe9", b"ab"];
        let computed = keys.map(|key| MemcachedHash::Hsieh.hash(key));
        assert_eq!(computed, [307_729_637, 1_008_785_338, 1_535_905_475]);
    }
}
