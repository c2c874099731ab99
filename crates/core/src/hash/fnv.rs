//! The FNV family (Fowler, Noll, Vo). The `fnv` crate has FNV-1a 64; the others are its siblings.

use alloc::string::String;
use core::hash::Hasher;

use crate::KeyHasher;

const OFFSET_32: u32 = 0x811c_9dc5;
const PRIME_32: u32 = 0x0100_0193;
const OFFSET_64: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME_64: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a, 64 bits: `fnv1a-64`.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Fnv1a64};
///
/// assert_eq!(Fnv1a64.hash(b"abc"), 0xe71f_a219_0541_574b);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fnv1a64;

impl KeyHasher for Fnv1a64 {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut state = fnv::FnvHasher::with_key(OFFSET_64);
        state.write(bytes);
        state.finish()
    }

    fn name(&self) -> Option<String> {
        Some("fnv1a-64".into())
    }
}

/// FNV-1 (multiply, then xor), 64 bits: `fnv1-64`.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Fnv1_64};
///
/// assert_eq!(Fnv1_64.hash(b"abc"), 0xd8dc_ca18_6baf_adcb);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fnv1_64;

impl KeyHasher for Fnv1_64 {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        bytes.iter().fold(OFFSET_64, |state, &byte| {
            state.wrapping_mul(PRIME_64) ^ u64::from(byte)
        })
    }

    fn name(&self) -> Option<String> {
        Some("fnv1-64".into())
    }
}

/// FNV-1a (xor, then multiply), 32 bits: `fnv1a-32`.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Fnv1a32};
///
/// assert_eq!(Fnv1a32.hash(b"abc"), 440_920_331);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fnv1a32;

impl KeyHasher for Fnv1a32 {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        bytes.iter().fold(OFFSET_32, |state, &byte| {
            (state ^ u32::from(byte)).wrapping_mul(PRIME_32)
        })
    }

    fn name(&self) -> Option<String> {
        Some("fnv1a-32".into())
    }
}

/// FNV-1 (multiply, then xor), 32 bits: `fnv1-32`.
///
/// ```
/// use keyroute_core::{KeyHasher, hash::Fnv1_32};
///
/// assert_eq!(Fnv1_32.hash(b"foo"), 1_083_137_555);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fnv1_32;

impl KeyHasher for Fnv1_32 {
    type Out = u32;

    fn hash(&self, bytes: &[u8]) -> u32 {
        bytes.iter().fold(OFFSET_32, |state, &byte| {
            state.wrapping_mul(PRIME_32) ^ u32::from(byte)
        })
    }

    fn name(&self) -> Option<String> {
        Some("fnv1-32".into())
    }
}
