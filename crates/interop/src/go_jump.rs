//! Jump in Go: `dgryski/go-jump` and `lithammer/go-jump-consistent-hash`.

use alloc::string::String;

use crc::{CRC_64_XZ, Crc, Table};
use keyroute_core::{KeyHasher, RouteError};
use keyroute_jump::jump_hash;

/// `dgryski/go-jump`: −1 without buckets.
///
/// Over 2^31 − 1 buckets the original's answers wrap to negative ones; here they are refused.
///
/// Source: `jump.go` at commit ba001c3.
///
/// ```
/// use keyroute_interop::go_jump;
///
/// assert_eq!(go_jump(1, 10)?, 6);
/// assert_eq!(go_jump(1, 0)?, -1);
/// assert!(go_jump(1, 1 << 31).is_err());
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
///
/// # Errors
///
/// [`RouteError::Parameter`] over 2^31 − 1 buckets.
pub fn go_jump(key: u64, buckets: i64) -> Result<i32, RouteError> {
    if buckets <= 0 {
        return Ok(-1);
    }
    let bucket = u32::try_from(buckets)
        .ok()
        .and_then(|buckets| jump_hash(key, buckets))
        .and_then(|bucket| i32::try_from(bucket).ok());
    bucket.ok_or_else(|| RouteError::Parameter {
        name: "buckets",
        given: alloc::format!("{buckets}"),
        accepted: "at most 2147483647",
    })
}

/// `lithammer/go-jump-consistent-hash`, whose `Hash` answers for one bucket where there is none.
///
/// Source: `jump.go` at commit 95892cd.
///
/// ```
/// use keyroute_interop::lithammer_jump;
///
/// assert_eq!(lithammer_jump(1, 10)?, 6);
/// assert_eq!(lithammer_jump(1, -5)?, 0);
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
///
/// # Errors
///
/// [`RouteError::Parameter`] over 2^31 − 1 buckets.
pub fn lithammer_jump(key: u64, buckets: i64) -> Result<i32, RouteError> {
    go_jump(key, buckets.max(1))
}

static CRC: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// CRC-64 with ECMA's polynomial as Go has it (all ones before and after): lithammer's `CRC64`; 64 bits,
/// `crc64-xz`.
///
/// Its `CRC32` is [`ZeroExtend`](keyroute_core::hash::ZeroExtend) over
/// [`Crc32`](keyroute_core::hash::Crc32), its `FNV1` and `FNV1a` are
/// [`Fnv1_64`](keyroute_core::hash::Fnv1_64) and [`Fnv1a64`](keyroute_core::hash::Fnv1a64).
///
/// ```
/// use keyroute_interop::{Crc64, KeyHasher, lithammer_jump};
///
/// assert_eq!(Crc64.hash(b"123456789"), 0x995d_c9bb_df19_39fa);
/// assert_eq!(lithammer_jump(Crc64.hash(b" "), 10)?, 8); // `HashString(" ", 10, CRC64)`
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crc64;

impl KeyHasher for Crc64 {
    type Out = u64;

    fn hash(&self, bytes: &[u8]) -> u64 {
        CRC.checksum(bytes)
    }

    fn name(&self) -> Option<String> {
        Some("crc64-xz".into())
    }
}
