//! Other crates, each as its documentation has it used.
//!
//! They keep their own hash functions, which their users pay for as well; a crate that takes a hash is given
//! XXH3, as ours have it. Nodes are plain numbers, the cheapest that their types allow; where a ring has points,
//! a node has as many as ours.

mod numbered;
mod rendezvous;
mod rings;
mod tables;

use std::collections::hash_map::DefaultHasher;
use std::hash::BuildHasherDefault;
use std::sync::OnceLock;

use crate::contestant::{Contestant, Kind, Line, Lookup};
use crate::workload::POINTS;

/// All of them.
#[must_use]
pub fn contestants() -> Vec<Contestant> {
    use Kind::{
        Anchor, Jump, JumpLike, Ketama, Maglev, MultiProbe, Rendezvous, Ring, WeightedRendezvous,
    };
    vec![
        line("hashring", Ring, rings::hashring)
            .rule("hashring")
            .points(POINTS)
            .most(100_000)
            .changes()
            .done(),
        line("pingora-ketama", Ring, rings::pingora_ketama)
            .rule("pingora-ketama")
            .points(POINTS)
            .most(100_000)
            .replicates()
            .done(),
        line("hash-rings", Ring, rings::hash_rings)
            .points(POINTS)
            .most(10_000)
            .changes()
            .done(),
        line("hulahoop", Ring, rings::hulahoop)
            .points(POINTS)
            .most(10_000)
            .changes()
            .done(),
        line("consistent_hash", Ring, rings::consistent_hash)
            .points(POINTS)
            .most(10_000)
            .replicates()
            .done(),
        // It copies the whole ring for each key.
        line("hashring_coordinator", Ring, rings::hashring_coordinator)
            .points(POINTS)
            .most(1_000)
            .slow()
            .replicates()
            .changes()
            .done(),
        line("ketama (crate)", Ketama, rings::ketama)
            .points(POINTS)
            .most(10_000)
            .done(),
        line("conhash", Ketama, rings::conhash)
            .points(POINTS)
            .most(10_000)
            .changes()
            .done(),
        line("mpchash", MultiProbe, rings::mpchash)
            .points(1)
            .most(10_000)
            .replicates()
            .changes()
            .done(),
        line("hash-rings, mpc", MultiProbe, rings::hash_rings_mpc)
            .points(1)
            .most(10_000)
            .changes()
            .done(),
        line("hash-rings, rendezvous", Rendezvous, rendezvous::hash_rings)
            .most(10_000)
            .slow()
            .changes()
            .done(),
        line("rendezvous_hash", Rendezvous, rendezvous::rendezvous_hash)
            .most(10_000)
            .slow()
            .replicates()
            .changes()
            .done(),
        line("hrw-hash", Rendezvous, rendezvous::hrw_hash)
            .most(10_000)
            .slow()
            .replicates()
            .done(),
        line(
            "hash-rings, weighted",
            WeightedRendezvous,
            rendezvous::hash_rings_weighted,
        )
        .most(10_000)
        .slow()
        .done(),
        line(
            "rendezvous_hash, weighted",
            WeightedRendezvous,
            rendezvous::rendezvous_hash_weighted,
        )
        .most(10_000)
        .slow()
        .replicates()
        .done(),
        line(
            "hrw-hash, weighted",
            WeightedRendezvous,
            rendezvous::hrw_hash_weighted,
        )
        .most(10_000)
        .slow()
        .replicates()
        .done(),
        line("maglev-hash", Maglev, tables::maglev_hash)
            .most(10_000)
            .replicates()
            .done(),
        // These two allocate nodes times entries.
        line("maglev (crate)", Maglev, tables::maglev)
            .most(1_000)
            .done(),
        line("hash-rings, maglev", Maglev, tables::hash_rings)
            .most(1_000)
            .done(),
        line("jumpconsistenthash", Jump, numbered::jumpconsistenthash).done(),
        line("jumphash", Jump, numbered::jumphash).done(),
        line("hash-rings, jump", Jump, numbered::hash_rings).done(),
        line("fliphash", JumpLike, numbered::fliphash).done(),
        line(
            "consistent-choose-k",
            JumpLike,
            numbered::consistent_choose_k,
        )
        .replicates()
        .done(),
        // Its buckets are numbered in 16 bits.
        line("anchorhash", Anchor, numbered::anchorhash)
            .most(32_767)
            .changes()
            .done(),
        line(
            "anchorhash, no spare",
            Anchor,
            numbered::anchorhash_without_spare,
        )
        .most(65_535)
        .full()
        .changes()
        .done(),
    ]
}

fn line<L: Lookup + 'static>(
    name: &'static str,
    kind: Kind,
    prepare: fn(u32) -> Box<dyn Fn() -> L>,
) -> Line<L> {
    Line::new(name, kind, true, prepare)
}

/// SipHash without a secret, where a crate's default would draw one for each process.
type Sip = BuildHasherDefault<DefaultHasher>;

/// The number of a node, for crates that borrow their nodes.
fn borrowed(number: u32) -> &'static u32 {
    static NUMBERS: OnceLock<Vec<u32>> = OnceLock::new();
    &NUMBERS.get_or_init(|| (0..1 << 15).collect())[number as usize] // u32 fits
}
