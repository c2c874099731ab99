//! Who is measured: each contestant is built here and lent only after its answers were checked.

use keyroute_btree_ring::BTreeRing;
use keyroute_core::{Router, Slot};
use keyroute_jump::Jump;
use keyroute_ketama::Ketama;
use keyroute_modulo::Modulo;
use keyroute_vector_ring::VectorRing;

use crate::expected::{bare_hash, check};
use crate::peers;
use crate::workload::fleet;

/// The number of the node that owns this key. Fleets are listed in the order of their numbers, so the
/// slot is the number.
pub fn owner(router: &impl Router, key: &[u8]) -> u32 {
    router.route(key).map_or(u32::MAX, Slot::index)
}

macro_rules! checked {
    ($(#[doc = $doc:literal] $name:ident: $Router:ty, $rule:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// # Panics
        ///
        /// If its answers are not the expected ones.
        #[must_use]
        pub fn $name(nodes: u32) -> $Router {
            let router = fleet(nodes).and_then(<$Router>::from_nodes);
            let router = router.expect("the fleets are within every limit");
            check($rule, nodes, |key| owner(&router, key));
            router
        }
    )*};
}

checked! {
    /// The vector ring over a fleet of this many nodes.
    vector_ring: VectorRing, "ring/native";
    /// The tree ring over a fleet of this many nodes.
    btree_ring: BTreeRing, "ring/native";
    /// The native ketama ring over a fleet of this many nodes.
    ketama: Ketama, "ring/ketama";
    /// Jump over a fleet of this many nodes.
    jump: Jump, "jump";
    /// Modulo over a fleet of this many nodes.
    modulo: Modulo, "modulo";
}

/// Something that measures lookups, given a function from a key to the number of its owner.
pub trait MeasureLookup {
    /// Measures one contestant.
    fn lookup(&mut self, name: &str, owner: impl Fn(&[u8]) -> u32);
}

/// Measures the lookups of everyone at this size: the bare hash first, then ours, then the peers.
pub fn lookups(nodes: u32, measure: &mut impl MeasureLookup) {
    measure.lookup("bare-hash", bare_hash);
    let router = vector_ring(nodes);
    measure.lookup("vector-ring", |key| owner(&router, key));
    let router = btree_ring(nodes);
    measure.lookup("btree-ring", |key| owner(&router, key));
    let router = ketama(nodes);
    measure.lookup("ketama", |key| owner(&router, key));
    let router = jump(nodes);
    measure.lookup("jump", |key| owner(&router, key));
    let router = modulo(nodes);
    measure.lookup("modulo", |key| owner(&router, key));
    let ring = peers::hashring(nodes);
    measure.lookup("hashring", |key| peers::hashring_owner(&ring, key));
    let ring = peers::pingora_ketama(nodes);
    measure.lookup("pingora-ketama", |key| peers::pingora_owner(&ring, key));
}
