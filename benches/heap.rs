//! How many bytes does a router hold, and do `heap_bytes` and `estimate` say so?
//!
//! It counts what the allocator is asked for, prints it, and fails where a router's own word is further off than
//! [`TOLERANCE`] and [`SLACK`] allow. The barometer runs it; alone it takes the largest fleet and parts of names.

use std::alloc::System;
use std::env;

use keyroute_benches::contestant::{Contestant, contestants};
use keyroute_benches::report::thousands;
use keyroute_benches::workload::keys;
use keyroute_btree_ring::BTreeRing;
use keyroute_core::{DefaultScheme, Weight};
use keyroute_ketama::{Ketama, KetamaPoints};
use keyroute_vector_ring::VectorRing;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// In percent: how full the nodes of a B-tree are is only known on average.
const TOLERANCE: u64 = 10;

/// In bytes: the trees of three names and of one zone hold a whole node each.
const SLACK: u64 = 320;

/// In nodes.
const FLEETS: [u32; 6] = [3, 10, 100, 1_000, 10_000, 100_000];

fn main() {
    let mut arguments = env::args().skip(1);
    let most = arguments
        .next()
        .map_or(u32::MAX, |most| most.parse().expect("a number of nodes"));
    let parts: Vec<String> = arguments.collect();
    keys(); // made before anything is counted
    println!(
        "## heap\n\nHow many bytes does a router hold, and do `heap_bytes` and `estimate` say so, in percent?\n"
    );
    println!("| | nodes | bytes | a node | a point | heap_bytes | estimate |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for contestant in contestants() {
        if parts.is_empty() || parts.iter().any(|part| contestant.name.contains(&**part)) {
            for nodes in FLEETS
                .into_iter()
                .filter(|&nodes| nodes <= most.min(contestant.most))
            {
                print_row(&contestant, nodes);
            }
        }
    }
}

fn print_row(contestant: &Contestant, nodes: u32) {
    drop(contestant.builder(3)()); // what stays for ever is there before
    let region = Region::new(ALLOCATOR);
    // The list of nodes too, whose names the router may go on to share; the list itself ends.
    let build = contestant.builder(nodes);
    let router = build();
    drop(build);
    let change = region.change();
    // The router itself is in a box here, and is not what it holds.
    let boxed = size_of_val(&*router);
    let held = (change.bytes_allocated - change.bytes_deallocated - boxed) as u64;
    contestant.check(nodes, &*router);

    let name = contestant.name;
    let percent = |said| {
        assert!(
            u64::abs_diff(said, held) <= held * TOLERANCE / 100 + SLACK,
            "{name}, {nodes} nodes: holds {held} bytes and says {said}"
        );
        (said * 100 + held / 2)
            .checked_div(held)
            .map_or(String::new(), |said| format!("{said} %"))
    };
    let said = router.says_heap_bytes().map_or(String::new(), percent);
    let estimated = estimate(name, nodes).map_or(String::new(), percent);
    let tenths = held * 10 / u64::from(nodes);
    let a_point = match contestant.points {
        0 => String::new(),
        points => one_decimal(tenths / u64::from(points)),
    };
    println!(
        "| {name} | {} | {held} | {} | {a_point} | {said} | {estimated} |",
        thousands(nodes),
        one_decimal(tenths)
    );
}

fn one_decimal(tenths: u64) -> String {
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// What `estimate` says before there is a router, where a strategy has it.
fn estimate(name: &str, nodes: u32) -> Option<u64> {
    let (scheme, nodes) = (DefaultScheme::default(), nodes.into());
    let size = match name {
        "vector-ring" | "two-sided" => VectorRing::estimate(&scheme, nodes, Weight::ONE),
        "btree-ring" => BTreeRing::estimate(&scheme, nodes, Weight::ONE),
        "ketama" => Ketama::estimate(&KetamaPoints::default(), nodes, Weight::ONE),
        _ => return None,
    };
    Some(size.bytes)
}
