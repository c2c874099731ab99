//! [`Modulo`]: the remainder of the hash, as a router.

use keyroute_core::hash::NativeHasher;
use keyroute_core::{BucketFunction, Bucketed, Position, Renumbers};

/// `hash % n` over an ordered list of n nodes: the remainder is the place in the list.
///
/// **The order of the list is part of the input**, so all clients must list the same nodes in the same
/// order; the fingerprint covers it. Any node may join or leave, and either moves nearly all keys: the
/// laws that adding and removing leave other keys in place **do not hold**. Weights other than 1 are
/// an error; there is no preference order, hence no replicas.
///
/// Any hasher's width serves: 32, 64 and 128 bits.
///
/// | | cost, n nodes |
/// | --- | --- |
/// | lookup | one hash and one division |
/// | add, remove last | O(log n) |
/// | remove | O(n) |
/// | memory | the list of nodes; nothing per key |
///
/// ```
/// use keyroute_modulo::{Modulo, hash_fn};
///
/// let mut router = Modulo::from_ids_with(hash_fn(|key| key.len() as u32), ["a", "b", "c"])?;
/// assert_eq!(router.route_id(b"12345").unwrap(), "c"); // 5 % 3 = 2
/// router.remove("a")?;
/// assert_eq!(router.route_id(b"12345").unwrap(), "c"); // 5 % 2 = 1, and "c" moved up
/// # Ok::<(), keyroute_modulo::RouteError>(())
/// ```
pub type Modulo<H = NativeHasher> = Bucketed<Remainder, H>;

/// The remainder as the bucket function of [`Modulo`]: `modulo/1`.
#[derive(Clone, Copy, Debug)]
pub struct Remainder;

impl<P: Position> BucketFunction<P> for Remainder {
    const NAME: &'static str = "modulo";
    const REVISION: u32 = 1;

    fn bucket(hash: P, buckets: u32) -> Option<u32> {
        (buckets > 0).then(|| hash.modulo(buckets))
    }
}

impl Renumbers for Remainder {}
