//! Links core and every strategy without std, and runs them.
//!
//! The proof is the panic handler: std brings one too, and two do not compile. So if any crate below
//! pulls std in, under any feature, this program is an error (E0152). Built with `pull-std-in` it
//! must be one.
//!
//! It exits with 0 if the routers answer as they do elsewhere.

#![no_std]
#![no_main]

extern crate alloc;
#[cfg(feature = "pull-std-in")]
extern crate std;

mod runtime;

use alloc::boxed::Box;
use core::ffi::c_int;
use core::time::Duration;

use keyroute_adaptive::{Balancer, Steady, Verdict, Weight};
use keyroute_anchor::{GrowableAnchor, Memento, Ranking};
use keyroute_bounded::{Bounded, Exact};
use keyroute_btree_ring::BTreeRing;
use keyroute_core::{Native, Node, RouteError, hash_fn};
use keyroute_interop::GoRendezvous;
use keyroute_jump::Jump;
use keyroute_ketama::Ketama;
use keyroute_maglev::{Maglev, TableSize};
use keyroute_modulo::Modulo;
use keyroute_multi_probe::{MultiProbe, MultiProbeScheme};
use keyroute_rendezvous::Rendezvous;
use keyroute_slot_table::{BoundedFill, ByRange, SlotTable};
use keyroute_token_ring::TokenRing;
use keyroute_vector_ring::VectorRing;
use keyroute_window_ring::{Window, WindowRing};
use keyroute_zone_aware::ZoneAware;

/// What the C runtime calls.
#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    match answers_agree() {
        Ok(true) => 0,
        Ok(false) | Err(_) => 1,
    }
}

fn answers_agree() -> Result<bool, RouteError> {
    let nodes = [Node::new("a")?, Node::new("b")?, Node::new("c")?];
    let scheme = Native::new(hash_fn(fnv1a));
    let vector = VectorRing::from_nodes_with(scheme, nodes.clone())?;
    let tree = BTreeRing::from_nodes_with(scheme, nodes.clone())?;
    let jump = Jump::from_nodes_with(fnv1a, nodes.clone())?;
    let modulo = Modulo::from_nodes_with(fnv1a, nodes.clone())?;
    let ketama = Ketama::from_nodes(nodes.clone())?;
    let ranking = Ranking::from_nodes_with(fnv1a, nodes.clone())?;
    let growable = GrowableAnchor::from_nodes_with(fnv1a, nodes.clone())?;
    let memento = Memento::from_nodes_with(fnv1a, nodes.clone())?;
    let rendezvous = Rendezvous::from_nodes_with(fnv1a, nodes.clone())?;
    let maglev = Maglev::from_nodes_with(fnv1a, TableSize::new(251)?, nodes.clone())?;
    let probes = MultiProbeScheme::<_, 5>::new(hash_fn(fnv1a));
    let multi_probe = MultiProbe::from_nodes_with(probes, nodes.clone())?;
    let window = WindowRing::from_nodes_with(fnv1a, Window::default(), nodes.clone())?;
    let tokens = TokenRing::from_nodes_with(fnv1a, nodes.clone())?;
    let partitioner = ByRange::new(fnv1a, 64)?;
    let slots = SlotTable::from_nodes_with(BoundedFill::new(fnv1a), partitioner, nodes.clone())?;
    let zone_aware = ZoneAware::new(VectorRing::from_nodes_with(scheme, nodes.clone())?);
    let bounded = Bounded::new(
        VectorRing::from_nodes_with(scheme, nodes)?,
        Exact::new(250)?,
    );
    let go = GoRendezvous::from_names(fnv1a, ["a", "b", "c"])?;
    let leased = bounded.acquire(b"user:1").map(|lease| lease.slot());

    let routers: [Box<dyn keyroute::Router>; 17] = [
        Box::new(vector),
        Box::new(tree),
        Box::new(jump),
        Box::new(modulo),
        Box::new(ketama),
        Box::new(bounded),
        Box::new(ranking),
        Box::new(growable),
        Box::new(memento),
        Box::new(rendezvous),
        Box::new(maglev),
        Box::new(slots),
        Box::new(multi_probe),
        Box::new(go),
        Box::new(tokens),
        Box::new(window),
        Box::new(zone_aware),
    ];
    let all_answer = routers
        .iter()
        .all(|router| router.route(b"user:1").is_some());
    let rings_agree = routers[0].route(b"user:1") == routers[1].route(b"user:1");
    let idle_is_plain = leased == routers[0].route(b"user:1");
    Ok(all_answer && rings_agree && idle_is_plain && balancing_moves_points()? && hashes::agree()?)
}

/// A node with all the requests is given fewer points.
fn balancing_moves_points() -> Result<bool, RouteError> {
    let scheme = Native::new(hash_fn(fnv1a)).with_points_per_weight(1)?;
    let hundred = Weight::new(100)?;
    let nodes = [Node::new("a")?, Node::new("b")?].map(|node| node.with_weight(hundred));
    let mut ring = VectorRing::from_nodes_with(scheme, nodes)?;
    let mut balancer = Balancer::new(Steady::default());
    let counters = balancer.by_slot(ring.members());
    balancer.tick(Duration::ZERO, &mut ring)?;
    if let Some(Some(busy)) = counters.first() {
        busy.add(1000);
    }
    let round = balancer.tick(Duration::from_secs(1), &mut ring)?;
    let moved = round.is_some_and(|round| matches!(round.judgement.verdict, Verdict::Move(_)));
    let first = ring.members().iter().next();
    Ok(moved && first.is_some_and(|(_, node)| node.weight() < hundred))
}

/// FNV-1a, 64 bits: a user's own hasher.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The named hashers.
#[cfg(feature = "all")]
mod hashes {
    use keyroute_core::hash::{Crc32, Fnv1a64, Md5, Xxh3};
    use keyroute_core::{KeyHasher, RouteError};
    use keyroute_vector_ring::VectorRing;

    pub(crate) fn agree() -> Result<bool, RouteError> {
        let ring = VectorRing::from_ids(["a", "b", "c"])?;
        Ok(ring.route(b"user:1").is_some()
            && Xxh3.hash(b"") == 0x2d06_8005_38d3_94c2
            && Crc32.hash(b"123456789") == 0xcbf4_3926
            && Fnv1a64.hash(b"user:1") == super::fnv1a(b"user:1")
            && Md5.hash(b"") != Md5.hash(b"a"))
    }
}

/// Without features there are none.
#[cfg(not(feature = "all"))]
mod hashes {
    pub(crate) fn agree() -> Result<bool, keyroute_core::RouteError> {
        Ok(true)
    }
}
