//! Hash functions: those of `keyroute-core`, and those that only other systems have.
//!
//! | hasher | width | of | name |
//! | --- | --- | --- | --- |
//! | [`MemcachedHash`] | 32 | libmemcached, twemproxy | `memcached/md5`, … |
//! | [`SpyHash`] | 32 | spymemcached | `spymemcached/fnv1a_32`, … |
//! | [`Md5BigEndian`] | 128 | uhashring | `md5-big-endian` |

mod hsieh;
mod lookup3;
mod md5_big_endian;
mod memcached;
mod spy;

pub use keyroute_core::hash::*;
pub use md5_big_endian::Md5BigEndian;
pub use memcached::MemcachedHash;
pub use spy::SpyHash;

/// The low 32 bits of FNV-1 (multiply, then xor) from this offset and prime.
///
/// Bits only ever move up, so this is also the low half of the 64-bit function with these low halves.
fn fnv1(units: impl Iterator<Item = u32>, [offset, prime]: [u32; 2]) -> u32 {
    units.fold(offset, |state, unit| state.wrapping_mul(prime) ^ unit)
}

/// The low 32 bits of FNV-1a (xor, then multiply) from this offset and prime.
fn fnv1a(units: impl Iterator<Item = u32>, [offset, prime]: [u32; 2]) -> u32 {
    units.fold(offset, |state, unit| (state ^ unit).wrapping_mul(prime))
}

/// Offset and prime of 32-bit FNV.
const FNV_32: [u32; 2] = [0x811c_9dc5, 0x0100_0193];
/// The low halves of offset and prime of 64-bit FNV.
const FNV_64_LOW: [u32; 2] = [0x8422_2325, 0x0000_01b3];

/// The bytes as C widens them where `char` is signed: 0x80 to 0xFF become negative.
fn signed(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.iter().map(|&byte| widened(byte))
}

/// One byte as C widens a signed `char`.
fn widened(byte: u8) -> u32 {
    i32::from(byte.cast_signed()).cast_unsigned()
}
