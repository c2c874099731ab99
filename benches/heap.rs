//! How many bytes does a router hold, and do `heap_bytes` and `estimate` say so?
//!
//! It counts what the allocator is asked for, prints it, and fails where a router's own word is
//! further off than [`TOLERANCE`] and [`SLACK`] allow.

use std::alloc::System;

use keyroute_benches::contestants::{
    anchor, btree_ring, dx, growable_anchor, jump, jump_back, ketama, maglev, memento, modulo,
    multi_probe, ranking, rendezvous, slot_table, token_ring, two_sided, vector_ring, window_ring,
};
use keyroute_benches::peers::{hashring, pingora_ketama};
use keyroute_benches::workload::{SIZES, keys};
use keyroute_btree_ring::BTreeRing;
use keyroute_core::{DefaultScheme, Router, Weight};
use keyroute_ketama::{Ketama, KetamaPoints};
use keyroute_vector_ring::VectorRing;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// In percent: how full the nodes of a B-tree are is only known on average.
const TOLERANCE: u64 = 10;

/// In bytes: the trees of three names and of one zone hold a whole node each.
const SLACK: u64 = 320;

fn main() {
    keys(); // made before anything is counted
    println!("Bytes held on the heap, and what the router says in percent of them:\n");
    println!("| strategy | nodes | bytes | a node | heap_bytes | estimate |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let scheme = DefaultScheme::default();
    for nodes in SIZES {
        let vector = VectorRing::estimate(&scheme, nodes.into(), Weight::ONE);
        let tree = BTreeRing::estimate(&scheme, nodes.into(), Weight::ONE);
        let continuum = Ketama::estimate(&KetamaPoints::default(), nodes.into(), Weight::ONE);
        ours("vector-ring", nodes, vector_ring, Some(vector.bytes));
        ours("btree-ring", nodes, btree_ring, Some(tree.bytes));
        ours("ketama", nodes, ketama, Some(continuum.bytes));
        ours("jump", nodes, jump, None);
        ours("modulo", nodes, modulo, None);
        ours("two-sided", nodes, two_sided, Some(vector.bytes));
        ours("multi-probe", nodes, multi_probe, None);
        ours("window-ring", nodes, window_ring, None);
        ours("token-ring", nodes, token_ring, None);
        ours("rendezvous", nodes, rendezvous, None);
        ours("maglev", nodes, maglev, None);
        ours("slot-table", nodes, slot_table, None);
        ours("jump-back", nodes, jump_back, None);
        ours("ranking", nodes, ranking, None);
        ours("dx", nodes, dx, None);
        ours("anchor", nodes, anchor, None);
        ours("growable-anchor", nodes, growable_anchor, None);
        ours("memento", nodes, memento, None);
        peer("hashring", nodes, hashring);
        peer("pingora-ketama", nodes, pingora_ketama);
    }
}

fn ours<R: Router>(name: &str, nodes: u32, build: impl Fn(u32) -> R, estimate: Option<u64>) {
    let (router, held) = held(|| build(nodes));
    let said = compare(name, nodes, held, router.heap_bytes() as u64);
    let estimated = estimate.map_or_else(
        || "none".to_owned(),
        |estimate| compare(name, nodes, held, estimate),
    );
    row(name, nodes, held, &said, &estimated);
}

fn peer<R>(name: &str, nodes: u32, build: impl Fn(u32) -> R) {
    let (ring, held) = held(|| build(nodes));
    row(name, nodes, held, "", "");
    drop(ring);
}

/// What was said in percent of what is held.
fn compare(name: &str, nodes: u32, held: u64, said: u64) -> String {
    assert!(
        said.abs_diff(held) <= held * TOLERANCE / 100 + SLACK,
        "{name}, {nodes} nodes: holds {held} bytes and says {said}"
    );
    format!("{} %", (said * 100 + held / 2) / held)
}

fn row(name: &str, nodes: u32, held: u64, said: &str, estimated: &str) {
    let each = held / u64::from(nodes);
    println!("| {name} | {nodes} | {held} | {each} | {said} | {estimated} |");
}

/// What `build` gives, and the bytes that it holds.
fn held<R>(build: impl FnOnce() -> R) -> (R, u64) {
    let region = Region::new(ALLOCATOR);
    let built = build();
    let change = region.change();
    (
        built,
        (change.bytes_allocated - change.bytes_deallocated) as u64,
    )
}
