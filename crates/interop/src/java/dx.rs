//! The collection's DxHash.

use alloc::vec::Vec;

use keyroute_anchor::{Buckets, Draws, DxBuckets};
use keyroute_core::RouteError;

use super::removal::modulo;
use super::{Hash, KeyedBuckets, RemovalEngine};

/// `DxEngine`: DxHash over the random numbers of Java's standard library.
///
/// The collection draws for ever if it must; this one gives up after four draws a bucket of the capacity,
/// as the paper does, which one key in e^(4 × size) meets.
///
/// Source: `consistenthash/dx/DxEngine.java`.
///
/// ```
/// use keyroute_interop::java::{DxEngine, Hash};
///
/// assert_eq!(DxEngine::with_capacity(20, 40, Hash::Xx)?.bucket(b" "), Some(4));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type DxEngine = RemovalEngine<StackedDx>;

impl DxEngine {
    /// An engine of `size` buckets and room for `capacity`.
    ///
    /// # Errors
    ///
    /// [`RouteError::Parameter`] for a capacity of 0 or over 2^24, and for a size of 0 or over the
    /// capacity.
    pub fn with_capacity(size: u32, capacity: u32, hash: Hash) -> Result<Self, RouteError> {
        let buckets = StackedDx {
            dx: DxBuckets::new(capacity)?,
            used: 0,
            left: Vec::new(),
        };
        Self::over(buckets, size, hash)
    }
}

/// The buckets of DxHash, of which the one that left last returns first.
#[derive(Clone, Debug)]
pub struct StackedDx {
    dx: DxBuckets,
    /// How many buckets were ever in service.
    used: u32,
    left: Vec<u32>,
}

impl KeyedBuckets for StackedDx {
    fn bucket(&self, hash: Hash, key: &[u8]) -> Option<u32> {
        self.dx.bucket_by(&mut Random::new(hash.text(key)))
    }

    fn add(&mut self) -> Option<u32> {
        let bucket = self.left.last().copied().unwrap_or(self.used);
        if !self.dx.insert(bucket) {
            return None;
        }
        if self.left.pop().is_none() {
            self.used += 1;
        }
        Some(bucket)
    }

    fn remove(&mut self, bucket: u32) -> bool {
        let removed = self.dx.remove(bucket);
        if removed {
            self.left.push(bucket);
        }
        removed
    }
}

/// `java.util.Random`.
struct Random(u64);

impl Random {
    const MULTIPLIER: u64 = 0x5_deec_e66d;
    const MASK: u64 = (1 << 48) - 1;

    fn new(seed: u64) -> Self {
        Self((seed ^ Self::MULTIPLIER) & Self::MASK)
    }

    /// 31 bits.
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(Self::MULTIPLIER).wrapping_add(11) & Self::MASK;
        self.0 >> 17
    }

    /// `nextInt(bound)`.
    fn below(&mut self, bound: u32) -> u32 {
        let wide = u64::from(bound);
        if bound.is_power_of_two() {
            return u32::try_from((wide * self.draw()) >> 31).unwrap_or(0);
        }
        loop {
            let draw = self.draw();
            // Draws of the last stretch, which is not whole, are made again.
            if draw - draw % wide.max(1) + wide <= 1 << 31 {
                return modulo(draw, bound);
            }
        }
    }
}

impl Draws for Random {
    fn first(&mut self, buckets: u32) -> u32 {
        self.below(buckets)
    }

    fn next(&mut self, _left: u32, bound: u32) -> u32 {
        self.below(bound)
    }
}
