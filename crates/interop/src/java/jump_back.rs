//! The collection's JumpBackHash: hash4j's.

use keyroute_core::buckets::jump_back_hash;

use super::{Hash, SizedEngine, SizedFunction};

/// `JumpBackEngine`: hash4j's JumpBackHash over the key's hash.
///
/// Source: `consistenthash/jumpback/JumpBackEngine.java`, hash4j 0.17.0 with SplitMix64.
///
/// ```
/// use keyroute_interop::java::{Hash, JumpBackEngine};
///
/// assert_eq!(JumpBackEngine::new(20, Hash::Xx)?.bucket(b" "), Some(7));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type JumpBackEngine = SizedEngine<JumpBack>;

/// hash4j's JumpBackHash.
#[derive(Clone, Copy, Debug)]
pub struct JumpBack;

impl SizedFunction for JumpBack {
    fn bucket(hash: Hash, key: &[u8], size: u32) -> Option<u32> {
        jump_back_hash(hash.text(key), size)
    }
}
