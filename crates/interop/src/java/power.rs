//! The collection's PowerCH.

use keyroute_core::buckets::low;
use keyroute_jump::{LevelDraws, power_hash_by};

use super::jump::jump_from;
use super::{Hash, SizedEngine, SizedFunction};

/// `PowerEngine`: Leu's power hash with the collection's hashes and Guava's jump.
///
/// Source: `consistenthash/power/PowerEngine.java`.
///
/// ```
/// use keyroute_interop::java::{Hash, PowerEngine};
///
/// assert_eq!(PowerEngine::new(20, Hash::Xx)?.bucket(b" "), Some(7));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type PowerEngine = SizedEngine<Power>;

/// The collection's power hash.
#[derive(Clone, Copy, Debug)]
pub struct Power;

impl SizedFunction for Power {
    fn bucket(hash: Hash, key: &[u8], size: u32) -> Option<u32> {
        let key = hash.text(key);
        let jump = |below| jump_from(key, below, size);
        power_hash_by(&mut Draws { hash, key }, jump, size)
    }
}

struct Draws {
    hash: Hash,
    key: u64,
}

impl LevelDraws for Draws {
    fn over(&mut self, _attempt: u32, _mask: u32) -> u32 {
        low(self.key)
    }

    fn within(&mut self, level: u32) -> u32 {
        low(self.hash.number(self.key, level))
    }
}
