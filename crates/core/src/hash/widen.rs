//! From 32 to 64 bits, in the open: [`ZeroExtend`] and [`Mixed`].

use alloc::format;
use alloc::string::String;

use crate::KeyHasher;

/// A 32-bit hasher as a 64-bit one whose upper half is zero.
///
/// What systems do that pass a CRC-32 to a 64-bit function. Compatible, and a trap: a strategy that
/// reads the top bits sees zeros and sends every key to one node. Natively, use [`Mixed`].
///
/// ```
/// use keyroute_core::{KeyHasher, hash::ZeroExtend};
///
/// assert_eq!(ZeroExtend(|_: &[u8]| 0x8000_0001u32).hash(b""), 0x8000_0001u64);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZeroExtend<H>(pub H);

impl<H: KeyHasher<Out = u32>> KeyHasher for ZeroExtend<H> {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        self.0.hash(bytes).into()
    }

    fn name(&self) -> Option<String> {
        Some(format!("zero-extend({})", self.0.name()?))
    }
}

/// A 32-bit hasher as a 64-bit one whose bits are spread over the whole width by [`mix64`].
///
/// It still has at most 2^32 different answers.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::{Mixed, mix64}};
///
/// assert_eq!(Mixed(|_: &[u8]| 1u32).hash(b""), mix64(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mixed<H>(pub H);

impl<H: KeyHasher<Out = u32>> KeyHasher for Mixed<H> {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        mix64(self.0.hash(bytes).into())
    }

    fn name(&self) -> Option<String> {
        Some(format!("mixed({})", self.0.name()?))
    }
}

/// Spreads the bits of a word over the whole word: a bijection of two multiply–xorshift rounds.
///
/// The finaliser of MurmurHash3 (Appleby, public domain). 0 stays 0.
///
/// ```
/// use keyroute_core::hash::mix64;
///
/// assert_eq!(mix64(1), 0xb456_bcfc_34c2_cb2c);
/// ```
#[must_use]
pub fn mix64(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^= word >> 33;
    word = word.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ (word >> 33)
}
