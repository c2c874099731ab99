//! Hash functions: what turns the bytes of a key into a position.
//!
//! Any function or closure from bytes to `u32`, `u64` or `u128` is a [`KeyHasher`]; a
//! [`BuildHasher`](core::hash::BuildHasher) becomes one through [`StdHasher`]. The named functions,
//! each behind a feature, are pinned: their answers never change under their names.
//!
//! | hasher | width | feature | name |
//! | --- | --- | --- | --- |
//! | [`Xxh3`], [`Xxh64`], [`Xxh32`] | 64, 64, 32 | `xxh3` | `xxh3-64`, `xxh64`, `xxh32` |
//! | [`Crc32`] | 32 | `crc32` | `crc32` |
//! | [`Fnv1a64`], [`Fnv1_64`], [`Fnv1a32`], [`Fnv1_32`] | 64, 64, 32, 32 | `fnv` | `fnv1a-64`, … |
//! | [`Md5`], [`Md5Word`] | 128, 32 | `md5` | `md5`, `md5-word0`, … |
//!
//! A 32-bit function serves a 64-bit strategy only through an explicit step: [`Mixed`] spreads its
//! bits, [`ZeroExtend`] leaves the upper half zero, as some systems do.

use alloc::string::String;
use alloc::vec::Vec;

#[cfg(feature = "crc32")]
mod crc32;
#[cfg(feature = "fnv")]
mod fnv;
#[cfg(feature = "md5")]
mod md5;
#[cfg(feature = "md5")]
mod md5_lanes;
#[cfg(feature = "md5")]
mod md5_short;
mod position;
mod std_hasher;
mod widen;
#[cfg(feature = "xxh3")]
mod xxh;

#[cfg(feature = "crc32")]
pub use crc32::Crc32;
#[cfg(feature = "fnv")]
pub use fnv::{Fnv1_32, Fnv1_64, Fnv1a32, Fnv1a64};
#[cfg(feature = "md5")]
pub use md5::{Md5, Md5Word};
pub use position::Position;
pub use std_hasher::StdHasher;
pub use widen::{Mixed, ZeroExtend, mix64};
#[cfg(feature = "xxh3")]
pub use xxh::{Xxh3, Xxh32, Xxh64};

/// A hash function over bytes.
///
/// Callers: it is deterministic. Implementors: the answer must depend on the bytes (and on what
/// [`name`](Self::name) says) alone, on every machine and for ever; it must not panic.
///
/// Closures and functions implement it; a closure that is passed on the spot needs its argument's
/// type, `|key: &[u8]| …`, or the help of [`hash_fn`].
///
/// ```
/// use keyroute_core::{HasherTag, KeyHasher};
///
/// fn digest_of<H: KeyHasher<Out = u64>>(hasher: &H) -> u64 { hasher.hash(b"user:1") }
///
/// assert_eq!(digest_of(&|key: &[u8]| key.len() as u64), 6);
/// ```
pub trait KeyHasher {
    /// The width of the answers: `u32`, `u64` or `u128`.
    type Out: Position;

    /// Hashes the bytes.
    fn hash(&self, bytes: &[u8]) -> Self::Out;

    /// Hashes many keys: `out[i]` is `hash(keys[i])`, as far as both go.
    ///
    /// A function whose steps wait for each other may take several keys at a time.
    fn hash_each(&self, keys: &[&[u8]], out: &mut [Self::Out]) {
        for (key, out) in keys.iter().zip(out) {
            *out = self.hash(key);
        }
    }

    /// The pinned name of this function, seeds included; `None` for a function without one.
    ///
    /// Two hashers with one name must be one function: names are compared, not answers.
    fn name(&self) -> Option<String> {
        None
    }
}

// Coherent beside the named structs, since `Fn` is a fundamental trait.
impl<F, P> KeyHasher for F
where
    F: Fn(&[u8]) -> P,
    P: Position,
{
    type Out = P;

    fn hash(&self, bytes: &[u8]) -> P {
        self(bytes)
    }
}

/// The hasher of routers that say none: XXH3 (64 bits).
#[cfg(feature = "xxh3")]
pub type NativeHasher = Xxh3;

/// The hasher of routers that say none. Without the feature `xxh3` there is none: this type has no
/// values, and routers are made with a hasher.
#[cfg(not(feature = "xxh3"))]
#[derive(Clone, Copy, Debug)]
pub enum NativeHasher {}

#[cfg(not(feature = "xxh3"))]
impl KeyHasher for NativeHasher {
    type Out = u64;

    fn hash(&self, _bytes: &[u8]) -> u64 {
        match *self {}
    }
}

/// Gives back the closure, its argument inferred as bytes of any lifetime.
///
/// ```
/// use keyroute_core::{KeyHasher, hash_fn};
///
/// let hasher = hash_fn(|key| key.iter().map(|&byte| u32::from(byte)).sum::<u32>());
/// assert_eq!(hasher.hash(b"ab"), 195);
/// ```
pub fn hash_fn<P: Position, F: Fn(&[u8]) -> P>(hasher: F) -> F {
    hasher
}

/// The lengths of the probes that stand for an unnamed hasher: they lie in every length class of
/// the usual functions (XXH3 changes its way at 16, 128 and 240 bytes).
const PROBE_LENGTHS: [usize; 16] = [0, 1, 2, 3, 4, 7, 8, 9, 16, 17, 32, 65, 128, 129, 241, 300];

/// The name of a hasher, or its answers to the 16 probes: what fingerprints and tags say of it.
pub(crate) fn identify<H: KeyHasher + ?Sized>(hasher: &H) -> String {
    use core::fmt::Write;

    if let Some(name) = hasher.name() {
        return name;
    }
    let mut text = String::from("unnamed");
    for length in PROBE_LENGTHS {
        // Byte i of a probe is (i × 151 + length × 31 + 7) mod 256.
        let probe: Vec<u8> = (0..length)
            .map(|i| (i.wrapping_mul(151) + length.wrapping_mul(31) + 7).to_le_bytes()[0])
            .collect();
        // Writing to a string cannot fail.
        let _ = write!(text, " {:x}", hasher.hash(&probe));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unnamed_hasher_is_known_by_its_answers() {
        let length = hash_fn(|key: &[u8]| key.len() as u64);
        assert_eq!(
            identify(&length),
            "unnamed 0 1 2 3 4 7 8 9 10 11 20 41 80 81 f1 12c"
        );
        let sum = hash_fn(|key: &[u8]| key.iter().map(|&b| u64::from(b)).sum::<u64>());
        assert_ne!(identify(&length), identify(&sum));
    }
}
