//! Who is measured: each contestant is built here and lent only after its answers were checked.

use keyroute_anchor::{Anchor, Dx, GrowableAnchor, Memento, Ranking};
use keyroute_btree_ring::BTreeRing;
use keyroute_core::{Node, Router, Slot};
use keyroute_jump::{Binomial, BinomialPublished, Flip, Jump, JumpBack, Power};
use keyroute_ketama::Ketama;
use keyroute_maglev::Maglev;
use keyroute_modulo::Modulo;
use keyroute_multi_probe::MultiProbe;
use keyroute_rendezvous::Rendezvous;
use keyroute_slot_table::SlotTable;
use keyroute_token_ring::TokenRing;
use keyroute_vector_ring::{TwoSidedRing, VectorRing};
use keyroute_window_ring::WindowRing;

use crate::expected::{bare_hash, check};
use crate::peers;
use crate::workload::fleet;

/// The number of the node that owns this key. Fleets are listed in the order of their numbers, so the
/// slot is the number.
pub fn owner(router: &impl Router, key: &[u8]) -> u32 {
    router.route(key).map_or(u32::MAX, Slot::index)
}

macro_rules! checked {
    ($(#[doc = $doc:literal] $name:ident: $Router:ty, $make:expr, $rule:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// # Panics
        ///
        /// If its answers are not the expected ones.
        #[must_use]
        pub fn $name(nodes: u32) -> $Router {
            let router = fleet(nodes).and_then($make);
            let router = router.expect("the fleets are within every limit");
            check($rule, nodes, |key| owner(&router, key));
            router
        }
    )*};
}

checked! {
    /// The vector ring over a fleet of this many nodes.
    vector_ring: VectorRing, VectorRing::from_nodes, "ring/native";
    /// The tree ring over a fleet of this many nodes.
    btree_ring: BTreeRing, BTreeRing::from_nodes, "ring/native";
    /// The native ketama ring over a fleet of this many nodes.
    ketama: Ketama, Ketama::from_nodes, "ring/ketama";
    /// Jump over a fleet of this many nodes.
    jump: Jump, Jump::from_nodes, "jump";
    /// Modulo over a fleet of this many nodes.
    modulo: Modulo, Modulo::from_nodes, "modulo";
    /// The ring that searches both ways.
    two_sided: TwoSidedRing, TwoSidedRing::from_nodes, "ring/nearest";
    /// Multi-probe, one point a node and 21 probes.
    multi_probe: MultiProbe, MultiProbe::from_nodes, "multi-probe";
    /// Local rendezvous hashing, 64 points a node and 8 candidates.
    window_ring: WindowRing, WindowRing::from_nodes, "window-ring";
    /// The ring of allocated tokens, 16 a node.
    token_ring: TokenRing, TokenRing::from_nodes, "token-ring";
    /// Rendezvous hashing.
    rendezvous: Rendezvous, Rendezvous::from_nodes, "rendezvous";
    /// Maglev, 65,537 entries.
    maglev: Maglev, Maglev::from_nodes, "maglev";
    /// Partitions owned by rendezvous, 16,384 of them.
    slot_table: SlotTable, SlotTable::from_nodes, "slot-table";
    /// JumpBack.
    jump_back: JumpBack, JumpBack::from_nodes, "jump-back";
    /// FlipHash.
    flip: Flip, Flip::from_nodes, "flip";
    /// PowerCH.
    power: Power, Power::from_nodes, "power";
    /// BinomialHash.
    binomial: Binomial, Binomial::from_nodes, "binomial";
    /// BinomialHash as published.
    binomial_published: BinomialPublished, BinomialPublished::from_nodes, "binomial-published";
    /// Ranking.
    ranking: Ranking, Ranking::from_nodes, "ranking";
    /// DxHash, half of whose buckets are in service.
    dx: Dx, |fleet| Dx::with_capacity(twice(&fleet))?.with_nodes(fleet), "dx";
    /// AnchorHash, half of whose buckets are in service.
    anchor: Anchor, |fleet| Anchor::with_capacity(twice(&fleet))?.with_nodes(fleet), "anchor";
    /// The anchor that grows; while nobody has left it answers as JumpBack.
    growable_anchor: GrowableAnchor, GrowableAnchor::from_nodes, "jump-back";
    /// MementoHash; while nobody has left it answers as JumpBack.
    memento: Memento, Memento::from_nodes, "jump-back";
}

/// A capacity of twice this fleet; one that is too large is refused.
fn twice(fleet: &[Node]) -> u32 {
    u32::try_from(2 * fleet.len()).unwrap_or(u32::MAX)
}

/// Something that measures lookups, given a function from a key to the number of its owner.
pub trait MeasureLookup {
    /// Measures one contestant.
    fn lookup(&mut self, name: &str, owner: impl Fn(&[u8]) -> u32);
}

/// Measures the lookups of everyone at this size: the bare hash first, then ours, then the peers.
pub fn lookups(nodes: u32, measure: &mut impl MeasureLookup) {
    measure.lookup("bare-hash", bare_hash);
    macro_rules! ours {
        ($($name:literal: $make:ident),* $(,)?) => {$(
            let router = $make(nodes);
            measure.lookup($name, |key| owner(&router, key));
        )*};
    }
    ours! {
        "vector-ring": vector_ring, "btree-ring": btree_ring, "ketama": ketama, "jump": jump,
        "modulo": modulo, "two-sided": two_sided, "multi-probe": multi_probe, "window-ring": window_ring,
        "token-ring": token_ring, "rendezvous": rendezvous, "maglev": maglev, "slot-table": slot_table,
        "jump-back": jump_back, "flip": flip, "power": power, "binomial": binomial,
        "binomial-published": binomial_published, "ranking": ranking, "dx": dx, "anchor": anchor,
        "growable-anchor": growable_anchor, "memento": memento,
    }
    let ring = peers::hashring(nodes);
    measure.lookup("hashring", |key| peers::hashring_owner(&ring, key));
    let ring = peers::pingora_ketama(nodes);
    measure.lookup("pingora-ketama", |key| peers::pingora_owner(&ring, key));
}
