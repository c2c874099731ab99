//! `anchorhash/cpp-anchorhash`: the authors' AnchorHash in C++.

use keyroute_anchor::{AnchorBuckets, Buckets, Draws};
use keyroute_core::RouteError;

/// `AnchorHashQre`: AnchorHash of pairs of numbers, under the CRC-32C instruction of x86.
///
/// Its `mem/AnchorHash`, which keeps two arrays instead of four, routes alike.
///
/// Source: `AnchorHashQre.cpp` and `misc/crc32c_sse42_u64.h` at commit 3ef98f0.
///
/// ```
/// use keyroute_interop::CppAnchorHash;
///
/// let mut anchor = CppAnchorHash::new(20, 20)?;
/// assert_eq!(anchor.compute_bucket(0, 6_284_736_759_746_825_267), Some(14));
/// anchor.remove_bucket(14);
/// assert_ne!(anchor.compute_bucket(0, 6_284_736_759_746_825_267), Some(14));
/// assert_eq!(anchor.add_bucket(), Some(14));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CppAnchorHash {
    buckets: AnchorBuckets,
}

impl CppAnchorHash {
    /// An anchor of so many buckets, of which the first `working` are in service.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a capacity of 0 or over 2^24, or more working buckets than that.
    pub fn new(capacity: u32, working: u32) -> Result<Self, RouteError> {
        let mut buckets = AnchorBuckets::new(capacity)?;
        if !(0..working).all(|bucket| buckets.add() == Some(bucket)) {
            return Err(RouteError::Parameter {
                name: "working",
                given: alloc::format!("{working}"),
                accepted: "at most the capacity",
            });
        }
        Ok(Self { buckets })
    }

    /// The bucket of a pair of keys; `None` if none is in service.
    #[must_use]
    pub fn compute_bucket(&self, key1: u64, key2: u64) -> Option<u32> {
        self.buckets.bucket_by(&mut Pair {
            keys: (key1, key2),
            hash: crc(key1, key2),
        })
    }

    /// Adds the bucket that was removed last, else the lowest that never was in service, and gives it;
    /// `None` if the anchor is full (undefined in the original).
    pub fn add_bucket(&mut self) -> Option<u32> {
        self.buckets.add()
    }

    /// Removes a bucket; says whether it was in service.
    pub fn remove_bucket(&mut self, bucket: u32) -> bool {
        self.buckets.remove(bucket)
    }
}

/// A pair of keys: each hash changes both.
struct Pair {
    keys: (u64, u64),
    hash: u64,
}

impl Draws for Pair {
    fn first(&mut self, buckets: u32) -> u32 {
        let bucket = self.hash.checked_rem(buckets.into()).unwrap_or(0);
        u32::try_from(bucket).unwrap_or(0) // below `buckets`
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        let (one, other) = self.keys;
        self.hash = crc(one.wrapping_sub(self.hash), other.wrapping_add(self.hash));
        self.first(bound)
    }
}

/// The instruction `crc32q`: CRC-32C over the key's bytes, from the seed's low half, nothing inverted.
fn crc(key: u64, seed: u64) -> u64 {
    key.to_le_bytes()
        .into_iter()
        .fold(seed & 0xffff_ffff, |state, byte| {
            TABLE[usize::from(byte ^ state.to_le_bytes()[0])] ^ (state >> 8)
        })
}

/// The CRC of each byte.
static TABLE: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut state = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            state = (state >> 1) ^ (0x82f6_3b78 * (state & 1));
            bit += 1;
        }
        table[byte] = state;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::crc;

    #[test]
    fn the_crc_is_castagnolis() {
        // CRC-32C as it is published is inverted before and after.
        let inverted = crc(u64::from_le_bytes(*b"12345678"), 0xffff_ffff) ^ 0xffff_ffff;
        assert_eq!(inverted, 0x6087_809a);
    }
}
