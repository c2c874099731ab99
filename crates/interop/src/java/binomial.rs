//! The collection's BinomialHash: its authors' code.

use keyroute_jump::binomial_hash_published;

use super::{Hash, SizedEngine, SizedFunction};

/// `BinomialEngine`: the published BinomialHash over the key's hash.
///
/// Source: `consistenthash/binomial/BinomialEngine.java`.
///
/// ```
/// use keyroute_interop::java::{BinomialEngine, Hash};
///
/// assert_eq!(BinomialEngine::new(20, Hash::Xx)?.bucket(b" "), Some(7));
/// # Ok::<(), keyroute_interop::RouteError>(())
/// ```
pub type BinomialEngine = SizedEngine<Binomial>;

/// The published BinomialHash.
#[derive(Clone, Copy, Debug)]
pub struct Binomial;

impl SizedFunction for Binomial {
    fn bucket(hash: Hash, key: &[u8], size: u32) -> Option<u32> {
        binomial_hash_published(hash.text(key), size)
    }
}
