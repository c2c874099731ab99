//! The collection's FlipHash.

use keyroute_core::buckets::low;
use keyroute_jump::{LevelDraws, flip_hash_by};

use super::{Hash, SizedEngine, SizedFunction};

/// `FlipEngine`: FlipHash with the collection's hashes, and the answer of no other FlipHash.
///
/// Source: `consistenthash/flip/FlipEngine.java`.
///
/// ```
/// use keyroute_interop::java::{FlipEngine, Hash};
///
/// assert_eq!(FlipEngine::new(20, Hash::Xx)?.bucket(b" "), Some(7));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type FlipEngine = SizedEngine<Flip>;

/// The collection's FlipHash.
#[derive(Clone, Copy, Debug)]
pub struct Flip;

impl SizedFunction for Flip {
    fn bucket(hash: Hash, key: &[u8], size: u32) -> Option<u32> {
        let mut draws = Draws {
            hash,
            key: hash.text(key),
            size,
        };
        flip_hash_by(&mut draws, size)
    }
}

/// The collection's mask covers the size itself, so that a power of two has a level more than it needs;
/// nothing in that level is ever accepted, and the answer is that of the levels below.
struct Draws {
    hash: Hash,
    key: u64,
    size: u32,
}

impl LevelDraws for Draws {
    fn over(&mut self, attempt: u32, _mask: u32) -> u32 {
        let drawn = match attempt {
            0 => self.key,
            attempt => self
                .hash
                .number_twice_seeded(self.key, self.size.leading_zeros(), attempt),
        };
        low(drawn)
    }

    fn within(&mut self, level: u32) -> u32 {
        low(self.hash.number(self.key, u64::from(level).leading_zeros()))
    }
}
